// Shows a screen in two clients with normalized caches, runs a mutation, and reads the screen from the caches.
//   node caches.mjs SCHEMA    reads a case as JSON from each line, and answers it with a line of JSON
//
// Both clients are given the same responses of the server, since a mutation can only be run once.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { ApolloClient, ApolloLink, gql, InMemoryCache } from "@apollo/client";
import { Client, makeResult } from "@urql/core";
import { cacheExchange } from "@urql/exchange-graphcache";
import { minifyIntrospectionQuery } from "@urql/introspection";
import { buildSchema, introspectionFromSchema } from "graphql";
import { of } from "rxjs";
import { filter, map, pipe } from "wonka";

const introspection = introspectionFromSchema(buildSchema(readFileSync(process.argv[2], "utf8")));
const schema = minifyIntrospectionQuery(introspection);
const types = introspection.__schema.types;
const possibleTypes = Object.fromEntries(
  types
    .filter((type) => type.possibleTypes?.length)
    .map((type) => [type.name, type.possibleTypes.map(({ name }) => name)]),
);

// Apollo Client replaces objects that have no id, unless it is told to merge them.
const typePolicies = Object.fromEntries(
  types
    .filter((type) => type.kind === "OBJECT" && !type.fields.some(({ name }) => name === "id"))
    .filter(({ name }) => !["Query", "Mutation", "Subscription"].includes(name))
    .map(({ name }) => [name, { merge: true }]),
);

/** An app made with Apollo Client; `responses` are what the server answers, by document. */
class Apollo {
  constructor(responses) {
    const link = new ApolloLink((operation) => of(responses.get(operation.getContext().text)));
    this.client = new ApolloClient({ link, cache: new InMemoryCache({ possibleTypes, typePolicies }) });
  }

  async show(text, variables) {
    await this.client.query({ query: gql(text), variables, context: { text }, errorPolicy: "all" });
  }

  async change(text, variables, typename) {
    const update = (cache, { data }) => {
      const [{ deletedId }] = Object.values(data);
      if (deletedId) cache.evict({ id: cache.identify({ __typename: typename, id: deletedId }) });
    };
    await this.client.mutate({ mutation: gql(text), variables, context: { text }, update, errorPolicy: "all" });
  }

  async held(text, variables) {
    const query = this.client.cache.transformDocument(gql(text));
    return this.client.cache.diff({ query, variables, optimistic: false, returnPartialData: true }).result;
  }
}

/** An app made with urql and its normalized cache. */
class Urql {
  constructor(responses, field, typename) {
    const removed = (payload, _input, cache) => {
      const id = payload[field]?.deletedId;
      if (id) cache.invalidate({ __typename: typename, id });
    };
    const answering = () => (operations) =>
      pipe(
        operations,
        filter(({ kind }) => kind !== "teardown"),
        map((operation) => makeResult(operation, responses.get(operation.context.text))),
      );
    const caching = cacheExchange({ schema, updates: { Mutation: { [field]: removed } }, logger: () => undefined });
    this.client = new Client({ url: "http://localhost", exchanges: [caching, answering] });
  }

  async show(text, variables) {
    await this.client.query(text, variables, { text, requestPolicy: "network-only" });
  }

  async change(text, variables) {
    await this.client.mutation(text, variables, { text });
  }

  async held(text, variables) {
    return (await this.client.query(text, variables, { text, requestPolicy: "cache-only" })).data;
  }
}

async function ran({ url, token, screen, mutation, variables, input, field, deletes }) {
  const send = async (query, given) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    return (await fetch(url, { method: "POST", headers, body: JSON.stringify({ query, variables: given }) })).json();
  };
  const responses = new Map([[screen, await send(screen, variables)]]);
  const apps = { apollo: new Apollo(responses), urql: new Urql(responses, field, deletes) };
  for (const app of Object.values(apps)) await app.show(screen, variables);
  const given = { ...variables, input };
  responses.set(mutation, await send(mutation, given));
  const payload = responses.get(mutation).data?.[field];
  if (!payload) throw new Error(JSON.stringify(responses.get(mutation)));
  for (const app of Object.values(apps)) await app.change(mutation, given, deletes);
  const held = {};
  for (const [name, app] of Object.entries(apps)) held[name] = await app.held(screen, variables);
  return { before: responses.get(screen), payload, held, server: await send(screen, variables) };
}

for await (const line of createInterface({ input: process.stdin })) {
  const answer = await ran(JSON.parse(line)).catch((error) => ({ error: String(error?.stack ?? error) }));
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
