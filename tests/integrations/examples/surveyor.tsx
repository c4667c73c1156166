// An integration that tells what it was given, and calls the API as itself and as its installation.

import { createComponent, createIntegration, type RuntimeContext } from "@gitbook/runtime";

const survey = createComponent<{ name?: string }, { count: number }, { action: "count" }>({
  componentId: "survey",
  initialState: { count: 0 },
  async action({ state }, action) {
    return action.action === "count" ? { state: { count: state.count + 1 } } : undefined;
  },
  async render({ props, state }) {
    return (
      <block>
        <markdown content={`${props.name ?? "Nobody"} counted ${state.count}`} />
        <button label="Count" onPress={{ action: "count" }} />
      </block>
    );
  },
});

async function called(path: string, { api, environment, integration }: RuntimeContext): Promise<unknown> {
  const { name } = environment.integration;
  switch (path) {
    case "environment":
      return environment;
    case "installation":
      return (await api.integrations.getIntegrationInstallationById(name, environment.installation!.id)).data;
    case "installations":
      return (await integration.api.integrations.listIntegrationInstallations(name)).data;
    case "spaces":
      return (await integration.api.integrations.listIntegrationSpaceInstallations(name)).data;
    case "token":
      return (await integration.api.integrations.createIntegrationInstallationToken(name, environment.installation!.id)).data;
    case "task":
      await integration.queueTask({ task: { type: "report", about: "lamps" } });
      return { queued: true };
    default:
      return null;
  }
}

export default createIntegration({
  components: [survey],
  async fetch(request, context) {
    const path = new URL(request.url).pathname.split("/endpoint/")[1] ?? "";
    try {
      return Response.json(await called(path, context));
    } catch (reason) {
      return Response.json({ error: String(reason) }, { status: 500 });
    }
  },
  events: {
    async installation_setup(event) {
      console.log(`installed: ${event.status}`);
    },
  },
  async task(task) {
    console.log(`task: ${JSON.stringify(task)}`);
  },
});
