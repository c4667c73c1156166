// An installation that is connected to a provider: the code flow with PKCE, whose verifier is kept in a cookie.

import { createIntegration } from "@gitbook/runtime";

const base64url = (bytes: ArrayBuffer | Uint8Array) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes))).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");

const cookieOf = (request: Request, name: string) =>
  request.headers.get("cookie")?.split("; ").find((each) => each.startsWith(`${name}=`))?.slice(name.length + 1);

export default createIntegration({
  async fetch(request, { api, environment }) {
    const url = new URL(request.url), provider = environment.secrets.provider;
    const { id } = environment.installation!;
    const callback = `${environment.installation!.urls.publicEndpoint}/callback`;
    if (url.pathname.endsWith("/connect")) {
      const verifier = base64url(crypto.getRandomValues(new Uint8Array(32)));
      const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
      const asked = new URLSearchParams({ redirect_uri: callback, code_challenge: base64url(digest), state: id });
      const headers = new Headers({ location: `${provider}/authorize?${asked}` });
      headers.append("set-cookie", `verifier=${verifier}; Max-Age=600; SameSite=Lax; HttpOnly`);
      return new Response(null, { status: 302, headers });
    }
    const verifier = cookieOf(request, "verifier");
    if (!verifier) return new Response("This did not begin here.", { status: 400 });
    const body = new URLSearchParams({ code: url.searchParams.get("code") ?? "", code_verifier: verifier });
    const answer = await fetch(`${provider}/token`, { method: "POST", body });
    if (!answer.ok) return new Response("The provider refuses.", { status: 502 });
    const { access_token: key } = (await answer.json()) as { access_token: string };
    await api.integrations.updateIntegrationInstallation(environment.integration.name, id, { configuration: { key } });
    return new Response("<h1>Connected</h1>", { headers: { "content-type": "text/html" } });
  },
});
