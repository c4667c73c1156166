// A block of an integration on a page: drawn by its script for whoever reads the page in the console.

import { html } from "../vendor/preact.js";
import { Component } from "./component.js";

/** @param {{ block: import("../parts/rendered.js").Block, space: string }} props */
export function PageBlock({ block, space }) {
  const { integration, component, props, title, url, frames } = block;
  const first = url ? { action: "@link.unfurl", url } : null;
  return html`<${Component} integration=${integration} component=${component} place=${{ type: "DOCUMENT", spaceId: space, editable: false }} given=${props} first=${first} frames=${frames} label=${title} onDone=${() => undefined} />`;
}
