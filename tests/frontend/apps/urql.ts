// An app made with urql and its normalized cache, which knows the schema.
import { Client, fetchExchange } from "@urql/core";
import { type CacheExchangeOpts, cacheExchange, type UpdateResolver } from "@urql/exchange-graphcache";
import {
  type App,
  type Document,
  documentOf,
  type Payload,
  payloadOf,
  type Variables,
} from "./client";
import introspection from "./introspection.json";
import { callOptions, register, type Server } from "./server";

const schema = introspection as NonNullable<CacheExchangeOpts["schema"]>;

/** Returns what removes an object of a type from the cache that a mutation has deleted. */
const deleting = (typename: string): UpdateResolver<Record<string, Payload>> => (result, _input, cache, info) => {
  const id = result[info.fieldName]?.deletedId;
  if (id) cache.invalidate({ __typename: typename, id });
};

const updates = {
  Mutation: {
    deleteCollection: deleting("Collection"),
    deleteComment: deleting("Comment"),
    deleteCommentReply: deleting("CommentReply"),
    deleteSpace: deleting("Space"),
    deleteTeam: deleting("Team"),
    revokeToken: deleting("Token"),
  },
};

function clientOf(server: Server): Client {
  return new Client({
    url: server.url,
    fetchOptions: callOptions(server),
    preferGetMethod: false,
    exchanges: [cacheExchange({ schema, updates }), fetchExchange],
  });
}

class UrqlApp implements App {
  readonly client: Client;
  readonly #shown: [Document, Variables][] = [];

  constructor(readonly server: Server) {
    this.client = clientOf(server);
  }

  async show(...[name, variables]: Parameters<App["show"]>): Promise<unknown> {
    const query = documentOf(name);
    this.#shown.push([query, variables]);
    const { data, error } = await this.client.query(query, variables);
    if (error) throw error;
    return data;
  }

  async change(...[name, variables]: Parameters<App["change"]>): Promise<ReturnType<typeof payloadOf>> {
    const { data, error } = await this.client.mutation(documentOf(name), variables);
    if (error) throw error;
    return payloadOf(data);
  }

  async state(): Promise<{ cached: unknown; server: unknown }> {
    const fresh = clientOf(this.server);
    const cached: unknown[] = [];
    const server: unknown[] = [];
    for (const [query, variables] of this.#shown) {
      cached.push((await this.client.query(query, variables, { requestPolicy: "cache-only" })).data);
      server.push((await fresh.query(query, variables, { requestPolicy: "network-only" })).data);
    }
    return { cached, server };
  }
}

register((server) => new UrqlApp(server));
