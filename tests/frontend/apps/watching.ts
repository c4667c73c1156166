// A subscription of graphql-sse in its distinct connections mode, which goes on where its connection was cut.
import { type Client, createClient, NetworkError } from "graphql-sse";
import { callOptions, type Server } from "./server";

export interface Subscription {
  query: string;
  variables: Record<string, unknown>;
}

/** What a subscription has told until now, and how it ended. */
export interface Told {
  connections: number;
  results: unknown[];
  end?: { status?: number };
}

const POSITION = /"position":"(\d+)"/;

export class Watching {
  readonly #client: Client;
  readonly #told: Told = { connections: 0, results: [] };
  readonly #stop: () => void;
  #position = "";

  constructor(server: Server, subscription: Subscription, changed: (told: Told) => void = () => undefined) {
    this.#client = createClient({
      url: server.url,
      credentials: callOptions(server).credentials,
      headers: (): Record<string, string> => ({
        ...callOptions(server).headers,
        ...(this.#position ? { "last-event-id": this.#position } : {}),
      }),
      retryAttempts: 20,
      retry: () => new Promise((done) => setTimeout(done, 50)),
      on: {
        connected: () => {
          this.#told.connections += 1;
          changed(this.#told);
        },
      },
    });
    const ended = (end: { status?: number }) => {
      this.#told.end = end;
      changed(this.#told);
    };
    this.#stop = this.#client.subscribe(subscription, {
      next: (result) => {
        this.#told.results.push(result);
        this.#position = POSITION.exec(JSON.stringify(result))?.[1] ?? this.#position;
        changed(this.#told);
      },
      complete: () => ended({}),
      error: (error) => {
        const response = error instanceof NetworkError ? (error.response as Response | undefined) : undefined;
        ended(response ? { status: response.status } : {});
      },
    });
  }

  told(): Told {
    return this.#told;
  }

  stop(): void {
    this.#stop();
  }
}
