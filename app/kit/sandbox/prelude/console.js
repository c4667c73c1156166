// console: lines go to the trace of the event. The sandbox counts them again on its side.

const LINE = 4000;

function shown(value, depth = 0, seen = new Set()) {
  if (typeof value === "string") return depth ? JSON.stringify(value.slice(0, LINE)) : value.slice(0, LINE);
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "function") return `[Function ${value.name || "without a name"}]`;
  if (value === null || typeof value !== "object") return String(value);
  if (value instanceof Error) return withCause(value, depth, seen);
  if (value instanceof Date || value instanceof RegExp || value instanceof URL) return String(value);
  if (isBytes(value)) return `[${value.byteLength} bytes]`;
  if (seen.has(value) || depth > 4) return Array.isArray(value) ? "[…]" : "{…}";
  seen.add(value);
  return structured(value, depth, seen);
}

function withCause(error, depth, seen) {
  const text = String(error.stack || error).trimEnd();
  return error.cause === undefined || depth > 4 ? text : `${text}\n  caused by: ${shown(error.cause, depth + 1, seen)}`;
}

function structured(value, depth, seen) {
  const inside = (item) => shown(item, depth + 1, seen);
  const some = (items) => (items.length > 100 ? [...items.slice(0, 100), "…"] : items);
  if (Array.isArray(value)) return `[${some(value.slice(0, 101).map(inside)).join(", ")}]`;
  if (value instanceof Map) return `Map ${structured(Object.fromEntries([...value].map(([k, v]) => [String(k), v])), depth, seen)}`;
  if (value instanceof Set) return `Set ${structured([...value], depth, seen)}`;
  const source = value instanceof Headers || value instanceof FormData || value instanceof URLSearchParams ? [...value] : Object.entries(value);
  const name = value.constructor?.name;
  const fields = some(source.slice(0, 101)).map((entry) => (entry === "…" ? entry : `${entry[0]}: ${inside(entry[1])}`));
  return `${name && name !== "Object" ? name + " " : ""}{${fields.length ? " " + fields.join(", ") + " " : ""}}`;
}

function logger(level) {
  return (...values) => {
    let text;
    try {
      text = values.map((value) => shown(value)).join(" ");
    } catch {
      text = "[a value that cannot be shown]";
    }
    host(MESSAGE.log + level + ":" + text.slice(0, LINE).toWellFormed());
  };
}

const console = {
  debug: logger("debug"),
  trace: logger("debug"),
  log: logger("info"),
  info: logger("info"),
  dir: logger("info"),
  table: logger("info"),
  group: logger("info"),
  groupCollapsed: logger("info"),
  groupEnd() {},
  warn: logger("warn"),
  error: logger("error"),
  assert(right, ...values) {
    if (!right) console.error("Assertion failed:", ...values);
  },
  time() {},
  timeEnd() {},
  count() {},
};
