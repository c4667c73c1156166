// What the scripts of the tests share: it takes an event apart and calls the component or the handler it is for.

export interface Environment {
  apiEndpoint: string;
  apiTokens: { installation?: string };
  integration: { name: string };
  installation?: { id: string; configuration: Record<string, unknown> };
  spaceInstallation?: { configuration: Record<string, unknown> };
  siteInstallation?: { configuration: Record<string, unknown> };
  secrets: Record<string, string>;
}

export interface Event {
  type: string;
  eventId?: string;
  installationId?: string;
  [field: string]: unknown;
}

export interface Rendering {
  props: Record<string, any>;
  state: Record<string, any>;
  context: { type: string; theme: string; [field: string]: unknown };
  action?: { action: string; [field: string]: unknown };
  environment: Environment;
}

export interface Rendered {
  element: object;
  state?: object;
  props?: object;
}

type Done = { returnValue: unknown };
export type Component = (rendering: Rendering) => Promise<Rendered | Done> | Rendered | Done;
export type Handler = (event: Event, environment: Environment) => Promise<void> | void;
export type Fetcher = (request: Request, environment: Environment) => Promise<Response> | Response;

interface Definition {
  components?: Record<string, Component>;
  events?: Record<string, Handler>;
  fetch?: Fetcher;
}

interface Context {
  waitUntil(promise: Promise<unknown>): void;
}

export function integration({ components = {}, events = {}, fetch: fetcher }: Definition) {
  return {
    async fetch(request: Request, _env: unknown, context: Context): Promise<Response> {
      if (request.method !== "POST") return new Response("Events are posted.", { status: 405 });
      const form = await request.formData();
      const event = JSON.parse(form.get("event") as string) as Event;
      const environment = JSON.parse(form.get("environment") as string) as Environment;
      if (event.type === "ui_render") return render(components, event, environment);
      if ((event.type === "fetch" || event.type === "fetch_published_script") && fetcher) {
        return fetcher(original(event, form.get("fetch-body")), environment);
      }
      const handler = events[event.type];
      if (handler) context.waitUntil(Promise.resolve(handler(event, environment)));
      return new Response(null, { status: 204 });
    },
  };
}

async function render(components: Record<string, Component>, event: Event, environment: Environment) {
  const component = components[event.componentId as string];
  if (!component) return new Response(`There is no component ${event.componentId}.`, { status: 404 });
  const { props, context, action, state } = event as unknown as Rendering;
  const rendered = await component({ props, state: state ?? {}, context, action, environment });
  if ("returnValue" in rendered) return Response.json({ type: "complete", ...rendered });
  return Response.json(
    { type: "element", state: state ?? {}, props, ...rendered },
    { headers: { "cache-control": "private, max-age=60" } },
  );
}

function original(event: Event, body: File | string | null): Request {
  const { url, method, headers } = event.request as { url: string; method: string; headers: Record<string, string> };
  return new Request(url, { method, headers: new Headers(headers), body: body ?? undefined });
}
