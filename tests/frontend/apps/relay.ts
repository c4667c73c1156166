// An app made with Relay's compiler and runtime: lists that grow at both ends, nodes fetched again, edges removed.
import {
  commitMutation,
  ConnectionHandler,
  createOperationDescriptor,
  Environment,
  fetchQuery,
  getRequest,
  getSelector,
  type GraphQLTaggedNode,
  graphql,
  type MutationParameters,
  Network,
  type OperationType,
  RecordSource,
  Store,
  type VariablesOf,
} from "relay-runtime";
import type { relay_comments$data, relay_comments$key } from "./__generated__/relay_comments.graphql";
import type { relay_spaces$data, relay_spaces$key } from "./__generated__/relay_spaces.graphql";
import type { relayCommentsQuery } from "./__generated__/relayCommentsQuery.graphql";
import type { relayDeleteCommentMutation } from "./__generated__/relayDeleteCommentMutation.graphql";
import type { relayDropCommentMutation } from "./__generated__/relayDropCommentMutation.graphql";
import type { relayNodeQuery } from "./__generated__/relayNodeQuery.graphql";
import type { relayPostCommentMutation } from "./__generated__/relayPostCommentMutation.graphql";
import pagination, { type relaySpacesPaginationQuery } from "./__generated__/relaySpacesPaginationQuery.graphql";
import type { relaySpacesQuery } from "./__generated__/relaySpacesQuery.graphql";
import { register, type Server } from "./server";

const spaces = graphql`
  fragment relay_spaces on Organization
  @refetchable(queryName: "relaySpacesPaginationQuery")
  @argumentDefinitions(
    first: { type: "Int" }
    after: { type: "String" }
    last: { type: "Int" }
    before: { type: "String" }
  ) {
    id
    spaces(first: $first, after: $after, last: $last, before: $before) @connection(key: "relay_spaces") {
      edges {
        node {
          id
          title
        }
      }
      pageInfo {
        hasNextPage
        hasPreviousPage
        startCursor
        endCursor
      }
    }
  }
`;

const spacesQuery = graphql`
  query relaySpacesQuery($organization: ID!, $first: Int, $last: Int) {
    organization(id: $organization) {
      ...relay_spaces @arguments(first: $first, last: $last)
    }
  }
`;

const comments = graphql`
  fragment relay_comments on Space {
    id
    comments(first: 10) @connection(key: "relay_comments") {
      totalCount
      edges {
        node {
          id
          body {
            markdown
          }
        }
      }
    }
  }
`;

const commentsQuery = graphql`
  query relayCommentsQuery($space: ID!) {
    space(id: $space) {
      ...relay_comments
    }
  }
`;

const nodeQuery = graphql`
  query relayNodeQuery($id: ID!) {
    node(id: $id) {
      __typename
      id
      ... on Space {
        title
      }
      ... on Page {
        title
        markdown
      }
      ... on Comment {
        body {
          markdown
        }
      }
    }
  }
`;

const postComment = graphql`
  mutation relayPostCommentMutation($input: PostCommentInput!, $connections: [ID!]!) {
    postComment(input: $input) {
      comment @prependNode(connections: $connections, edgeTypeName: "CommentEdge") {
        id
        body {
          markdown
        }
      }
      space {
        comments(first: 0) {
          totalCount
        }
      }
      userErrors {
        message
      }
    }
  }
`;

const dropComment = graphql`
  mutation relayDropCommentMutation($input: DeleteCommentInput!, $connections: [ID!]!) {
    deleteComment(input: $input) {
      deletedId @deleteEdge(connections: $connections)
      userErrors {
        message
      }
    }
  }
`;

const deleteComment = graphql`
  mutation relayDeleteCommentMutation($input: DeleteCommentInput!) {
    deleteComment(input: $input) {
      deletedId @deleteRecord
      userErrors {
        message
      }
    }
  }
`;

function environmentOf({ url, token }: Server): Environment {
  return new Environment({
    network: Network.create(async ({ text }, variables) => {
      const answer = await fetch(url, {
        method: "POST",
        headers: {
          accept: "application/graphql-response+json",
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
        },
        body: JSON.stringify({ query: text, variables }),
      });
      return answer.json();
    }),
    store: new Store(new RecordSource()),
  });
}

class RelayApp {
  #environment: Environment;

  constructor(readonly server: Server) {
    this.#environment = environmentOf(server);
  }

  /** Fetches a query, keeps its data in the store, and returns what the store has of it. */
  async #fetched<Query extends OperationType>(
    query: GraphQLTaggedNode,
    variables: VariablesOf<Query>,
    environment = this.#environment,
  ): Promise<Query["response"]> {
    const operation = createOperationDescriptor(getRequest(query), variables);
    environment.retain(operation);
    await fetchQuery<Query>(environment, query, variables).toPromise();
    return environment.lookup(operation.fragment).data as Query["response"];
  }

  #held<Data>(fragment: GraphQLTaggedNode, key: unknown, environment = this.#environment): Data {
    const selector = getSelector(fragment as never, key as never);
    if (selector?.kind !== "SingularReaderSelector") throw new Error("nothing is shown");
    const { data, isMissingData } = environment.lookup(selector);
    if (isMissingData) throw new Error("something that is shown is missing from the store");
    return data as Data;
  }

  /** Shows spaces from one end of their list, and goes on to the other; returns their titles after each page. */
  async spaces(organization: string, size: number, direction: "forward" | "backward"): Promise<string[][]> {
    const forward = direction === "forward";
    const asked = forward ? { organization, first: size } : { organization, last: size };
    const { organization: found } = await this.#fetched<relaySpacesQuery>(spacesQuery, asked);
    const key: relay_spaces$key | null | undefined = found;
    const shown: string[][] = [];
    while (shown.length < 10) {
      const { id, spaces: list } = this.#held<relay_spaces$data>(spaces, key);
      if (!list) throw new Error("no list");
      shown.push(list.edges.map(({ node }) => node.title));
      const { hasNextPage, hasPreviousPage, startCursor, endCursor } = list.pageInfo;
      if (!(forward ? hasNextPage : hasPreviousPage)) return shown;
      const further = forward ? { first: size, after: endCursor } : { last: size, before: startCursor };
      await this.#fetched<relaySpacesPaginationQuery>(pagination, { id, ...further });
    }
    throw new Error("the list does not end");
  }

  /** Fetches an object again by its id alone. */
  async node(id: string): Promise<relayNodeQuery["response"]["node"]> {
    return (await this.#fetched<relayNodeQuery>(nodeQuery, { id })).node;
  }

  /** Shows the comments of a space. */
  async comments(space: string): Promise<unknown> {
    const { space: found } = await this.#fetched<relayCommentsQuery>(commentsQuery, { space });
    this.#shown = found;
    return this.#listed();
  }

  #shown: relay_comments$key | null | undefined;

  #listed(key = this.#shown, environment = this.#environment): unknown {
    return this.#held<relay_comments$data>(comments, key, environment).comments?.edges.flatMap(({ node }) =>
      node ? [{ id: node.id, body: node.body }] : [],
    );
  }

  async #changed<Mutation extends MutationParameters & { variables: { input: object } }>(
    mutation: GraphQLTaggedNode,
    input: Mutation["variables"]["input"],
  ): Promise<Mutation["response"]> {
    const { id } = this.#held<relay_comments$data>(comments, this.#shown);
    const connections = [ConnectionHandler.getConnectionID(id, "relay_comments")];
    return new Promise((resolve, reject) => {
      commitMutation<Mutation>(this.#environment, {
        mutation,
        variables: { input, connections } as Mutation["variables"],
        onCompleted: resolve,
        onError: reject,
      });
    });
  }

  async post(input: relayPostCommentMutation["variables"]["input"]): Promise<unknown> {
    return (await this.#changed<relayPostCommentMutation>(postComment, input)).postComment;
  }

  /** Deletes a comment; its edge leaves the list that is shown. */
  async drop(comment: string): Promise<unknown> {
    return (await this.#changed<relayDropCommentMutation>(dropComment, { comment })).deleteComment;
  }

  /** Deletes a comment; its record leaves the store, and so whatever list it was in. */
  async delete(comment: string): Promise<unknown> {
    return (await this.#changed<relayDeleteCommentMutation>(deleteComment, { comment })).deleteComment;
  }

  /** Returns the comments that the store has, and those of the server. */
  async state(): Promise<{ cached: unknown; server: unknown }> {
    const fresh = environmentOf(this.server);
    const { id: space } = this.#held<relay_comments$data>(comments, this.#shown);
    const { space: found } = await this.#fetched<relayCommentsQuery>(commentsQuery, { space }, fresh);
    return { cached: this.#listed(), server: this.#listed(found, fresh) };
  }
}

register((server) => new RelayApp(server));
