// What an app is told, and how the test starts it.
export interface Server {
  url: string;
  token: string;
}

/** Lets the test start apps: `start("app", { url, token })` puts one on the window. */
export function register(app: (server: Server) => object): void {
  Object.assign(window, {
    start: (name: string, server: Server) => {
      Object.assign(window, { [name]: app(server) });
    },
  });
}
