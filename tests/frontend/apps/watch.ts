// Subscribes in Node with graphql-sse: prints what was told, a line of JSON after every change, until the end.
//   node watch.js SERVER SUBSCRIPTION    both as JSON
import type { Server } from "./server";
import { type Subscription, Watching } from "./watching";

declare const process: { argv: string[] };
const [server, subscription] = process.argv.slice(2).map((text) => JSON.parse(text) as unknown);
new Watching(server as Server, subscription as Subscription, (told) => console.log(JSON.stringify(told)));
