// What an app is told, and how the test starts it.
export interface Server {
  url: string;
  /** Empty where the session of the browser is to count. */
  token: string;
}

/** Returns how the clients call a server: with a token, or with the cookies of the browser. */
export function callOptions({ token }: Server): { headers: Record<string, string>; credentials: RequestCredentials } {
  return token
    ? { headers: { authorization: `Bearer ${token}` }, credentials: "same-origin" }
    : { headers: {}, credentials: "include" };
}

/** Lets the test start apps: `start("app", { url, token })` puts one on the window. */
export function register(app: (server: Server) => object): void {
  Object.assign(window, {
    start: (name: string, server: Server) => {
      Object.assign(window, { [name]: app(server) });
    },
  });
}
