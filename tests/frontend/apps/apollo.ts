// An app made with Apollo Client: its normalized cache, lists that grow as pages are fetched.
import { ApolloClient, HttpLink, InMemoryCache, type NormalizedCacheObject } from "@apollo/client";
import { PersistedQueryLink } from "@apollo/client/link/persisted-queries";
import { relayStylePagination } from "@apollo/client/utilities";
import { type App, type Document, documentOf, payloadOf, type Variables } from "./client";
import { RefusedDocument, SpacesDocument } from "./documents/graphql";
import introspection from "./introspection.json";
import { callOptions, register, type Server } from "./server";

const schema = introspection as { __schema: { types: { name: string; possibleTypes?: { name: string }[] }[] } };

const possibleTypes = Object.fromEntries(
  schema.__schema.types.flatMap(({ name, possibleTypes: types }) =>
    types ? [[name, types.map((type) => type.name)]] : [],
  ),
);
const ROOTS = new Set(["ROOT_MUTATION", "__META"]);

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function clientOf(server: Server, persisted = false): ApolloClient {
  const http = new HttpLink({ uri: server.url, ...callOptions(server) });
  return new ApolloClient({
    link: persisted ? new PersistedQueryLink({ sha256, useGETForHashedQueries: true }).concat(http) : http,
    cache: new InMemoryCache({
      possibleTypes,
      typePolicies: {
        Organization: { fields: { spaces: relayStylePagination() } },
        Space: { fields: { comments: relayStylePagination() } },
        ChangeRequest: { fields: { comments: relayStylePagination() } },
        Comment: { fields: { replies: relayStylePagination() } },
      },
    }),
  });
}

/** Returns what a cache has of the fields that another one has. */
function sameFields(cache: NormalizedCacheObject, other: NormalizedCacheObject): NormalizedCacheObject {
  const found: NormalizedCacheObject = {};
  for (const [id, fields] of Object.entries(other)) {
    if (ROOTS.has(id) || fields === undefined) continue;
    found[id] = Object.fromEntries(Object.keys(fields).map((name) => [name, cache[id]?.[name]]));
  }
  return found;
}

class ApolloApp implements App {
  readonly client: ApolloClient;
  readonly #shown: [Document, Variables][] = [];

  constructor(readonly server: Server) {
    this.client = clientOf(server);
  }

  async show(...[name, variables]: Parameters<App["show"]>): Promise<unknown> {
    const query = documentOf(name);
    this.#shown.push([query, variables]);
    const { data } = await this.client.query({ query, variables });
    return data;
  }

  async change(...[name, variables]: Parameters<App["change"]>): Promise<ReturnType<typeof payloadOf>> {
    const { data } = await this.client.mutate({
      mutation: documentOf(name),
      variables,
      update: (cache, result) => {
        const { deletedId } = payloadOf(result.data);
        const id = cache.identify({ __typename: name.replace("Delete", ""), id: deletedId });
        if (deletedId && !(id && cache.evict({ id }))) throw new Error(`${deletedId} is no object that was shown`);
      },
    });
    return payloadOf(data);
  }

  async state(): Promise<{ cached: unknown; server: unknown }> {
    const fresh = clientOf(this.server);
    for (const [query, variables] of this.#shown) {
      await fresh.query({ query, variables, fetchPolicy: "network-only" });
    }
    const server = fresh.cache.extract() as NormalizedCacheObject;
    const cached = this.client.cache.extract() as NormalizedCacheObject;
    return { cached: sameFields(cached, server), server: sameFields(server, server) };
  }

  /** Shows all spaces of an organization, a few more at a time; returns their titles, and how many requests it took. */
  async spaces(organization: string, first: number): Promise<{ titles: string[]; pages: number }> {
    const asked = { query: SpacesDocument, variables: { organization, first } };
    await this.client.query(asked);
    const shown = this.client.watchQuery(asked);
    const showing = shown.subscribe(() => undefined);
    let pages = 1;
    let spaces = this.client.readQuery(asked)?.organization?.spaces;
    for (; spaces?.pageInfo.hasNextPage && pages < 10; pages += 1) {
      await shown.fetchMore({ variables: { after: spaces.pageInfo.endCursor } });
      spaces = this.client.readQuery(asked)?.organization?.spaces;
    }
    showing.unsubscribe();
    return { titles: spaces?.edges.map(({ node }) => node.title) ?? [], pages };
  }

  /** Asks by the hash of the document, as a client that starts anew does; returns the titles of the spaces. */
  async byHash(organization: string): Promise<string[] | undefined> {
    const asked = { query: SpacesDocument, variables: { organization, first: 10 } };
    const { data } = await clientOf(this.server, true).query(asked);
    return data?.organization?.spaces?.edges.map(({ node }) => node.title);
  }

  /** Returns what is left of an answer of which one field is refused. */
  async refused(organization: string): Promise<unknown> {
    const { data, error } = await this.client.query({
      query: RefusedDocument,
      variables: { organization },
      errorPolicy: "all",
    });
    return { data, message: error?.message };
  }
}

register((server) => new ApolloApp(server));
