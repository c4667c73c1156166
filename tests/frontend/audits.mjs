// Runs the audits of the GraphQL over HTTP specification against a server; prints one JSON line for each.
//   node audits.mjs URL TOKEN
import { auditServer } from "graphql-http";

const [url, token] = process.argv.slice(2);
const fetchFn = (address, options = {}) =>
  fetch(address, { ...options, headers: { ...options.headers, authorization: `Bearer ${token}` } });

for (const result of await auditServer({ url, fetchFn })) {
  console.log(JSON.stringify({ id: result.id, name: result.name, status: result.status, reason: result.reason }));
}
