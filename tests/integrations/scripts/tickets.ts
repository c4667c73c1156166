// A block that is configured: people set a prefix and a token, the block shows a ticket and lets them change it.
// It answers requests from outside (signed), adds a script to published sites, and calls the API back.

import { type Environment, integration, type Rendering } from "./runtime";

function settings(environment: Environment): Record<string, unknown> {
  return { ...environment.installation?.configuration, ...environment.spaceInstallation?.configuration };
}

function ticket({ props, state, action, environment }: Rendering) {
  const { prefix = "T" } = settings(environment);
  if (action?.action === "save") {
    return shown(prefix, { ...props, number: state.number }, "Saved");
  }
  if (action?.action === "@link.unfurl") {
    const number = /(\d+)$/.exec(new URL(String(action.url)).pathname)?.[1];
    return shown(prefix, { ...props, number }, "From a link");
  }
  return shown(prefix, props, "Ticket");
}

function shown(prefix: unknown, props: Record<string, any>, title: string) {
  return {
    props,
    state: { number: String(props.number ?? "") },
    element: {
      type: "block",
      controls: [{ icon: "edit", label: "Change", onPress: { action: "@ui.modal.open", componentId: "change", props } }],
      children: [
        {
          type: "card",
          title: `${title} ${prefix}-${props.number ?? "?"}`,
          icon: "check-circle",
          children: [
            {
              type: "hstack",
              align: "center",
              children: [
                { type: "textinput", state: "number", placeholder: "Number" },
                {
                  type: "button",
                  style: "primary",
                  label: "Save",
                  onPress: { action: "save" },
                  confirm: { title: "Save?", text: "The number changes for everybody.", confirm: "Save" },
                },
              ],
            },
            props.number
              ? {
                  type: "webframe",
                  source: { url: `https://tickets.example/frame/${props.number}` },
                  aspectRatio: 16 / 9,
                  data: { number: { $state: "number" } },
                }
              : null,
          ],
        },
      ],
    },
  };
}

function configuration({ action, state, environment }: Rendering) {
  if (action?.action === "done") return { returnValue: { prefix: state.prefix } };
  return {
    state: { prefix: settings(environment).prefix ?? "" },
    element: {
      type: "configuration",
      children: [
        {
          type: "input",
          label: "Prefix",
          hint: "What tickets begin with",
          element: { type: "textinput", state: "prefix", inputType: "text" },
        },
        { type: "button", label: "Save", onPress: { action: "done" } },
      ],
    },
  };
}

async function signature(secret: string, text: string): Promise<string> {
  const encoder = new TextEncoder();
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const signed = new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(text)));
  return [...signed].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function answer(request: Request, environment: Environment): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname.endsWith("/script.js")) {
    return new Response(`document.documentElement.dataset.tickets = ${JSON.stringify(settings(environment).prefix)};`, {
      headers: { "content-type": "application/javascript", "cache-control": "max-age=300" },
    });
  }
  if (pathname.endsWith("/me")) {
    return fetch(`${environment.apiEndpoint}/v1/user`, {
      headers: { authorization: `Bearer ${environment.apiTokens.installation}` },
    });
  }
  const body = await request.text();
  if (request.headers.get("x-signature") !== (await signature(environment.secrets.hook ?? "", body))) {
    return new Response("The signature is wrong.", { status: 401 });
  }
  return Response.json({ received: JSON.parse(body) });
}

export default integration({
  components: { ticket, change: ticket, configuration },
  events: {
    installation_setup(event, environment) {
      console.log("Set up", event.installationId, settings(environment));
    },
    space_content_updated(event) {
      console.warn("Content changed", event.revisionId);
    },
  },
  fetch: answer,
});
