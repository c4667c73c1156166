// The blocks that `/` inserts: what a form asks of each, and how it is written.

/** @typedef {Record<string, string>} Values what a form holds: "true" for a box that is checked */
/** @typedef {{ name: string, kind?: "text" | "area" | "number" | "check" | "choice" | "page" | "reusable" | "specification" | "integrationBlock", value?: string, required?: boolean,
 *   options?: string[] }} Asked  a field of a form; `options` are texts below `editor.option.` */
/** @typedef {{ name: string, group: string, asks?: Asked[], write: (values: Values) => string, end?: (values: Values) => string }} Block
 *   in what is written, `\u2038` is where the cursor stands then; `end` comes to the end of the text, with `#` for a free number */

const HERE = "\u2038";
const METHODS = ["get", "post", "put", "patch", "delete", "head", "options", "trace"];
/** @type {Asked[]} */
const SPECIFICATION = [{ name: "spec", kind: "specification", required: true }];

/**
 * Return a tag, such as `{% hint style="info" %}`, without the arguments that are empty.
 * @param {string} name
 * @param {Values} [given]
 */
function tag(name, given = {}) {
  const written = Object.entries(given).filter(([, value]) => value !== "").map(([key, value]) => ` ${key}=${quoted(value)}`);
  return `{% ${name}${written.join("")} %}`;
}

/** @param {string} value */
function quoted(value) {
  return `"${value.replaceAll("\n", " ").replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

/** @param {string} text */
function lines(text) {
  return text.split("\n").map((each) => each.trim()).filter(Boolean);
}

/** @param {string} text */
function escaped(text) {
  return text.replace(/[\\[\]]/g, "\\$&");
}

/** @param {string} text */
function inHtml(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

/**
 * Return an address as Markdown takes it.
 * @param {string} href
 */
export function destination(href) {
  return /[\s()<>]/.test(href) ? `<${href.replace(/[<>\n]/g, encodeURIComponent)}>` : href;
}

/** @param {string | undefined} text */
function count(text) {
  return Math.min(Math.max(Number(text) || 1, 1), 20);
}

/**
 * Return an empty table.
 * @param {number} rows
 * @param {number} columns
 */
export function emptyTable(rows, columns) {
  const row = (/** @type {string} */ cell) => `|${` ${cell} |`.repeat(columns)}`;
  return [row("   "), row("---"), ...Array.from({ length: rows }, () => row("   "))].join("\n");
}

/** @type {Block[]} */
export const BLOCKS = [
  ...[1, 2, 3, 4].map((level) => ({ name: `heading${level}`, group: "text", write: () => `${"#".repeat(level)} ${HERE}` })),
  { name: "list", group: "text", write: () => `- ${HERE}` },
  { name: "numbers", group: "text", write: () => `1. ${HERE}` },
  { name: "tasks", group: "text", write: () => `- [ ] ${HERE}` },
  { name: "quote", group: "text", write: () => `> ${HERE}` },
  { name: "divider", group: "text", write: () => `---\n\n${HERE}` },
  {
    name: "code", group: "text", asks: [{ name: "language" }, { name: "title" }, { name: "lineNumbers", kind: "check" }, { name: "wrap", kind: "check" }],
    write: ({ language = "", title = "", lineNumbers, wrap }) => {
      const given = { title, lineNumbers: lineNumbers ? "true" : "", overflow: wrap ? "wrap" : "" }, fence = `\`\`\`${language}\n${HERE}\n\`\`\``;
      return Object.values(given).some(Boolean) ? `${tag("code", given)}\n${fence}\n{% endcode %}` : fence;
    },
  },
  { name: "formula", group: "text", asks: [{ name: "formula", kind: "area", required: true }], write: ({ formula = "" }) => `$$\n${lines(formula).join("\n")}\n$$\n\n${HERE}` },
  { name: "footnote", group: "text", asks: [{ name: "text", kind: "area", required: true }], write: () => "[^#]", end: ({ text = "" }) => `[^#]: ${lines(text).join(" ")}` },
  {
    name: "table", group: "layout", asks: [{ name: "rows", kind: "number", value: "2" }, { name: "columns", kind: "number", value: "3" }],
    write: ({ rows, columns }) => `${emptyTable(count(rows), count(columns))}\n\n${HERE}`,
  },
  {
    name: "hint", group: "layout", asks: [{ name: "style", kind: "choice", value: "info", options: ["info", "success", "warning", "danger"] }, { name: "icon" }],
    write: ({ style = "", icon = "" }) => `${tag("hint", { style, icon })}\n${HERE}\n{% endhint %}`,
  },
  {
    name: "tabs", group: "layout", asks: [{ name: "titles", kind: "area", value: "1\n2", required: true }],
    write: ({ titles = "" }) => ["{% tabs %}", ...lines(titles).flatMap((title, n) => [tag("tab", { title }), n ? "" : HERE, "{% endtab %}"]), "{% endtabs %}"].join("\n"),
  },
  {
    name: "stepper", group: "layout", asks: [{ name: "titles", kind: "area", value: "1\n2", required: true }],
    write: ({ titles = "" }) => ["{% stepper %}", ...lines(titles).flatMap((title, n) => ["{% step %}", `### ${title}`, "", n ? "" : HERE, "{% endstep %}"]), "{% endstepper %}"].join("\n"),
  },
  {
    name: "columns", group: "layout", asks: [{ name: "columns", kind: "number", value: "2" }],
    write: ({ columns }) => ["{% columns %}", ...Array.from({ length: count(columns) }, (_, n) => `{% column %}\n${n ? "" : HERE}\n{% endcolumn %}`), "{% endcolumns %}"].join("\n"),
  },
  {
    name: "details", group: "layout", asks: [{ name: "summary", required: true }, { name: "open", kind: "check" }],
    write: ({ summary = "", open }) => `<details${open ? " open" : ""}>\n\n<summary>${inHtml(summary)}</summary>\n\n${HERE}\n\n</details>`,
  },
  {
    name: "cards", group: "layout", asks: [{ name: "titles", kind: "area", value: "1\n2", required: true }],
    write: ({ titles = "" }) => ['<table data-view="cards"><thead><tr><th></th><th></th></tr></thead><tbody>', ...lines(titles).map((title) => `<tr><td><strong>${inHtml(title)}</strong></td><td></td></tr>`), "</tbody></table>"].join("") + `\n\n${HERE}`,
  },
  {
    name: "updates", group: "layout", asks: [{ name: "date", value: new Date().toISOString().slice(0, 10), required: true }, { name: "title" }],
    write: ({ date = "", title = "" }) => `{% updates %}\n${tag("update", { date })}\n## ${title || date}\n\n${HERE}\n{% endupdate %}\n{% endupdates %}`,
  },
  {
    name: "image", group: "media", asks: [{ name: "address", required: true }, { name: "alt" }, { name: "caption" }, { name: "width", kind: "number" }],
    write: ({ address = "", alt = "", caption = "", width = "" }) => caption || width
      ? `<figure><img src="${inHtml(address)}" alt="${inHtml(alt)}"${width ? ` width="${inHtml(width)}"` : ""}><figcaption>${caption ? `<p>${inHtml(caption)}</p>` : ""}</figcaption></figure>\n\n${HERE}`
      : `![${escaped(alt)}](${destination(address)})\n\n${HERE}`,
  },
  {
    name: "gallery", group: "media", asks: [{ name: "addresses", kind: "area", required: true }],
    write: ({ addresses = "" }) => `<div align="center">${lines(addresses).map((each) => `<figure><img src="${inHtml(each)}" alt=""><figcaption></figcaption></figure>`).join(" ")}</div>\n\n${HERE}`,
  },
  {
    name: "embed", group: "media", asks: [{ name: "address", required: true }, { name: "caption" }],
    write: ({ address = "", caption = "" }) => (caption ? `${tag("embed", { url: address })}\n${caption}\n{% endembed %}` : tag("embed", { url: address })) + `\n\n${HERE}`,
  },
  {
    name: "file", group: "media", asks: [{ name: "address", required: true }, { name: "caption" }],
    write: ({ address = "", caption = "" }) => (caption ? `${tag("file", { src: address })}\n${caption}\n{% endfile %}` : tag("file", { src: address })) + `\n\n${HERE}`,
  },
  {
    name: "page", group: "links", asks: [{ name: "page", kind: "page", required: true }],
    write: ({ page = "" }) => `${tag("content-ref", { url: page })}\n[${escaped(page)}](${destination(page)})\n{% endcontent-ref %}\n\n${HERE}`,
  },
  { name: "include", group: "links", asks: [{ name: "content", kind: "reusable", required: true }], write: ({ content = "" }) => `{% include ${quoted(content)} %}\n\n${HERE}` },
  {
    name: "if", group: "links", asks: [{ name: "condition", required: true }, { name: "else", kind: "check" }],
    write: ({ condition = "", else: other }) => `{% if ${lines(condition).join(" ")} %}\n${HERE}\n${other ? "{% else %}\n\n" : ""}{% endif %}`,
  },
  {
    name: "operation", group: "api", asks: [...SPECIFICATION, { name: "path", required: true }, { name: "method", kind: "choice", value: "get", options: METHODS }],
    write: ({ spec = "", path = "", method = "" }) => `${tag("openapi-operation", { spec, path, method })}\n\n${HERE}`,
  },
  { name: "webhook", group: "api", asks: [...SPECIFICATION, { name: "name", required: true }], write: ({ spec = "", name = "" }) => `${tag("openapi-webhook", { spec, name })}\n\n${HERE}` },
  { name: "schemas", group: "api", asks: [...SPECIFICATION, { name: "schemas" }], write: ({ spec = "", schemas = "" }) => `${tag("openapi-schemas", { spec, schemas: lines(schemas).join(",") })}\n\n${HERE}` },
  { name: "integration", group: "api", asks: [{ name: "block", kind: "integrationBlock", required: true }], write: ({ block = "" }) => `{% @${block} %}\n\n${HERE}` },
  { name: "html", group: "api", asks: [{ name: "html", kind: "area", required: true }], write: ({ html = "" }) => `${html.trim()}\n\n${HERE}` },
];

/**
 * Return what a form begins with.
 * @param {Block} block
 * @returns {Values}
 */
export function begun(block) {
  return Object.fromEntries((block.asks ?? []).map(({ name, value = "" }) => [name, value]));
}

/**
 * Return a block as it is written, and where the cursor stands in it.
 * @param {Block} block
 * @param {Values} values
 */
export function written(block, values) {
  const text = block.write(values), cursor = text.indexOf(HERE);
  return { text: text.replace(HERE, ""), cursor: cursor < 0 ? text.length : cursor };
}
