// What the test sees of an app, whichever GraphQL client it is made with.
import type { TypedDocumentNode } from "@graphql-typed-document-node/core";
import * as documents from "./documents/graphql";

export type Variables = Record<string, unknown>;
export type Document = TypedDocumentNode<unknown, Variables>;

/** What the client holds of all that is on screen, and what the server says of it to who asks anew. */
export interface State {
  cached: unknown;
  server: unknown;
}

export interface Payload {
  deletedId?: string;
  userErrors: readonly { code: string; message: string; path: readonly string[] | null }[];
}

export interface App {
  /** Show what a query answers, and keep it on screen. */
  show(name: DocumentName, variables: Variables): Promise<unknown>;
  /** Run a mutation; returns its payload. */
  change(name: DocumentName, variables: Variables): Promise<Payload>;
  state(): Promise<State>;
}

type DocumentName = {
  [Name in keyof typeof documents]: Name extends `${infer Short}Document` ? Short : never;
}[keyof typeof documents];

/** Returns the document of a query or mutation by its name. */
export function documentOf(name: DocumentName): Document {
  return documents[`${name}Document`] as unknown as Document;
}

/** Returns the only field of the answer to a mutation. */
export function payloadOf(data: unknown): Payload {
  const [payload] = Object.values(data as Record<string, Payload>);
  if (payload === undefined) throw new Error("no payload");
  return payload;
}
