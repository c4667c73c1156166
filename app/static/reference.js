// Shows our OpenAPI document. Everything that would leave this server is switched off here,
// and the page's content policy forbids it a second time.
"use strict";

const below = (path) => new URL(path, document.baseURI).href;

Scalar.createApiReference("#reference", {
  url: below("v1/openapi.json"),
  // Requests tried from this page go to the server that shows it, under whatever name it was reached:
  // the content policy allows no other.
  servers: [{ url: below("v1") }],
  withDefaultFonts: false,
  telemetry: false,
  showDeveloperTools: "never",
  hideClientButton: true,
  agent: { disabled: true },
  mcp: { disabled: true },
  metaData: { title: "Docyard API reference" },
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
  documentDownloadType: "json",
});
