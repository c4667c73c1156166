// A block that is a web frame: it is told the state, says how high it is, and counts what is pressed in it.

import { createComponent, createIntegration } from "@gitbook/runtime";

const gauge = createComponent<{ name?: string }, { presses: string }, { action: "press"; by: number }>({
  componentId: "gauge",
  initialState: { presses: "0" },
  async action({ state }, { action, by }) {
    return action === "press" ? { state: { presses: String(Number(state.presses) + by) } } : undefined;
  },
  async render(element, { environment }) {
    return (
      <block>
        <webframe
          source={{ url: `${environment.integration.urls.publicEndpoint}/gauge?name=${element.props.name}` }}
          aspectRatio={4}
          data={{ presses: element.dynamicState("presses"), unit: "presses" }}
        />
        <markdown content={`Pressed ${element.state.presses} times`} />
      </block>
    );
  },
});

const PAGE = `<!doctype html>
<style>body { margin: 0; height: 120px; font: 16px sans-serif; }</style>
<p id="shown">not told yet</p>
<button>Press</button>
<script>
  const say = (action) => window.top.postMessage({ action }, "*");
  localStorage.setItem("loads", String(Number(localStorage.getItem("loads") ?? 0) + 1));
  addEventListener("message", ({ origin, data }) => {
    if (!data.state) return;
    document.querySelector("#shown").textContent = data.state.presses + " " + data.state.unit;
  });
  document.querySelector("button").addEventListener("click", () => say({ action: "press", by: 2 }));
  addEventListener("load", () => {
    say({ action: "@webframe.ready" });
    say({ action: "@webframe.resize", size: { height: 180 } });
  });
</script>`;

export default createIntegration({
  components: [gauge],
  async fetch() {
    return new Response(PAGE, {
      headers: { "content-type": "text/html; charset=utf-8" },
    });
  },
});
