// An app that subscribes with graphql-sse.
import { register, type Server } from "./server";
import { type Subscription, type Told, Watching } from "./watching";

class SseApp {
  readonly #watching: Watching[] = [];

  constructor(readonly server: Server) {}

  /** Subscribe; returns the number of the subscription. */
  watch(subscription: Subscription): number {
    return this.#watching.push(new Watching(this.server, subscription)) - 1;
  }

  told(number: number): Told | undefined {
    return this.#watching[number]?.told();
  }

  stop(number: number): void {
    this.#watching[number]?.stop();
  }
}

register((server) => new SseApp(server));
