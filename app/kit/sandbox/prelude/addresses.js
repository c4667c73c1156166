// Parsing addresses as the URL Standard says: into scheme, user, password, host, port, path, query and fragment.

const PORTS = { "http:": "80", "https:": "443", "ws:": "80", "wss:": "443", "ftp:": "21", "file:": "" };
const special = (scheme) => Object.hasOwn(PORTS, scheme);

const FRAGMENT = /[^\x21\x23-\x3b\x3d\x3f-\x5f\x61-\x7e]/gu;
const QUERY = /[^\x21\x24-\x3b\x3d\x3f-\x7e]/gu;
const SPECIAL_QUERY = /[^\x21\x24-\x26\x28-\x3b\x3d\x3f-\x7e]/gu;
const PATH = /[^\x21\x24-\x3b\x3d\x40-\x5d\x5f\x61-\x7a\x7c\x7e]/gu;
const USER = /[^\x21\x24-\x2e\x30-\x39\x41-\x5a\x5f\x61-\x7a\x7e]/gu;
const OPAQUE = /[^\x20-\x7e]/gu;

const escaped = (text, outside) =>
  text.toWellFormed().replace(outside, (character) =>
    Array.from(encode(character), (byte) => "%" + byte.toString(16).toUpperCase().padStart(2, "0")).join(""),
  );

function unescaped(text) {
  if (!text.includes("%")) return text;
  const bytes = encode(text);
  const out = [];
  for (let at = 0; at < bytes.length; at++) {
    const code = bytes[at] === 0x25 ? String.fromCharCode(bytes[at + 1], bytes[at + 2]) : "";
    if (/^[0-9a-f]{2}$/i.test(code)) {
      out.push(parseInt(code, 16));
      at += 2;
    } else {
      out.push(bytes[at]);
    }
  }
  return decode(Uint8Array.from(out));
}

// The parts of an address, or null. `base` is the parts of another address.
function parsed(input, base) {
  let rest = String(input).toWellFormed().replace(/^[\0-\x20]+|[\0-\x20]+$/g, "").replace(/[\t\n\r]/g, "");
  const found = /^([a-z][a-z0-9+.-]*):/i.exec(rest);
  if (!found && !base) return null;
  const parts = { scheme: found ? found[1].toLowerCase() + ":" : base.scheme, user: "", password: "", host: null, port: "" };
  if (found) rest = rest.slice(found[0].length);
  let text;
  [text, parts.fragment] = cut(rest, "#");
  parts.fragment = parts.fragment === null ? null : escaped(parts.fragment, FRAGMENT);
  [text, parts.query] = cut(text, "?");
  if (special(parts.scheme)) text = text.replaceAll("\\", "/");
  if (parts.query !== null) parts.query = escaped(parts.query, special(parts.scheme) ? SPECIAL_QUERY : QUERY);
  const relative = !found || (base && special(parts.scheme) && base.scheme === parts.scheme && !text.startsWith("/"));
  if (relative && !text.startsWith("//")) return beside(parts, text, base);
  if (special(parts.scheme) && parts.scheme !== "file:") text = text.replace(/^\/*/, "//");
  if (text.startsWith("//")) {
    const [, authority, path] = /^\/\/([^/]*)(.*)$/su.exec(text);
    return authorized(parts, authority) && walked(parts, path, []);
  }
  if (special(parts.scheme)) parts.host = "";
  if (special(parts.scheme) || text.startsWith("/")) return walked(parts, text, []);
  return { ...parts, path: escaped(text, OPAQUE), opaque: true };
}

function cut(text, mark) {
  const at = text.indexOf(mark);
  return at < 0 ? [text, null] : [text.slice(0, at), text.slice(at + 1)];
}

function beside(parts, text, base) {
  if (base.opaque) {
    return text === "" && parts.query === null && parts.fragment !== null ? { ...base, fragment: parts.fragment } : null;
  }
  const { user, password, host, port } = base;
  Object.assign(parts, { user, password, host, port });
  if (text === "") return { ...parts, path: base.path, query: parts.query ?? base.query };
  return walked(parts, text, text.startsWith("/") ? [] : base.path.split("/").slice(1, -1));
}

// The path without its dots; `above` is the folders it starts in.
function walked(parts, text, above) {
  const folders = [...above];
  const steps = text.replace(/^\//, "").split("/");
  steps.forEach((step, at) => {
    const last = at === steps.length - 1;
    const plain = step.replace(/%2e/gi, ".");
    if (plain === "..") folders.pop();
    if (plain !== ".." && plain !== ".") folders.push(escaped(step, PATH));
    else if (last) folders.push("");
  });
  const empty = !special(parts.scheme) && text === "" && !above.length;
  return { ...parts, path: empty ? "" : "/" + folders.join("/") };
}

function authorized(parts, authority) {
  const at = authority.lastIndexOf("@");
  if (at >= 0) {
    const [user, password] = cut(authority.slice(0, at), ":");
    parts.user = escaped(user, USER);
    parts.password = escaped(password ?? "", USER);
  }
  const found = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/u.exec(authority.slice(at + 1));
  if (!found) return false;
  parts.host = hosted(found[1], parts.scheme);
  if (parts.host === null || (parts.host === "" && special(parts.scheme) && parts.scheme !== "file:")) return false;
  if (parts.scheme === "file:" && (at >= 0 || found[2])) return false;
  return ported(parts, found[2] ?? "");
}

function ported(parts, digits) {
  if (digits !== "" && Number(digits) > 65535) return false;
  parts.port = digits === "" || PORTS[parts.scheme] === String(Number(digits)) ? "" : String(Number(digits));
  return true;
}

function hosted(text, scheme) {
  if (text.startsWith("[")) return text.endsWith("]") ? sixed(text.slice(1, -1)) : null;
  if (!special(scheme)) return /[\0\t\n\r #/:<>?@[\\\]^|]/.test(text) ? null : escaped(text, OPAQUE);
  let name = unescaped(text);
  name = /[^\0-\x7f]/.test(name) ? host(MESSAGE.idna + name) : name.toLowerCase();
  if (/[\0-\x20"#%/:<>?@[\\\]^`{|}\x7f]/.test(name)) return null;
  if (name === "" && text !== "") return null;
  return /(^|\.)(\d+|0x[0-9a-f]*)\.?$/i.test(name) ? foured(name) : name;
}

function foured(name) {
  const pieces = name.replace(/\.$/, "").split(".");
  const numbers = pieces.map((piece) => {
    if (/^0x[0-9a-f]*$/i.test(piece)) return parseInt(piece.slice(2) || "0", 16);
    if (/^0[0-7]*$/.test(piece)) return parseInt(piece, 8);
    return /^[1-9]\d*$/.test(piece) ? Number(piece) : NaN;
  });
  const last = numbers.pop();
  const room = 256 ** (4 - numbers.length);
  if (numbers.length > 3 || Number.isNaN(last) || last >= room || numbers.some((number) => !(number <= 255))) return null;
  const whole = numbers.reduce((sum, number, at) => sum + number * 256 ** (3 - at), last);
  return [24, 16, 8, 0].map((shift) => Math.floor(whole / 2 ** shift) % 256).join(".");
}

function sixed(text) {
  const halves = text.split("::");
  if (halves.length > 2) return null;
  const sides = halves.map((half) => (half === "" ? [] : half.split(":").flatMap(group)));
  const given = sides.flat().length;
  if (sides.flat().includes(null) || (halves.length === 1 ? given !== 8 : given > 7)) return null;
  const groups = halves.length === 1 ? sides[0] : [...sides[0], ...Array(8 - given).fill(0), ...sides[1]];
  const texts = groups.map((number) => number.toString(16));
  const zeros = [...texts.join(":").matchAll(/(?<![^:])0(?::0)+(?![^:])/g)].sort((a, b) => b[0].length - a[0].length)[0];
  if (!zeros) return `[${texts.join(":")}]`;
  const all = texts.join(":");
  return `[${all.slice(0, zeros.index).replace(/:$/, "")}::${all.slice(zeros.index + zeros[0].length).replace(/^:/, "")}]`;
}

function group(text, at, all) {
  if (/^[0-9a-f]{1,4}$/i.test(text)) return [parseInt(text, 16)];
  const four = at === all.length - 1 && /^\d+\.\d+\.\d+\.\d+$/.test(text) ? foured(text)?.split(".").map(Number) : null;
  return four ? [four[0] * 256 + four[1], four[2] * 256 + four[3]] : [null];
}

function written(parts) {
  const user = parts.user || parts.password ? parts.user + (parts.password ? ":" + parts.password : "") + "@" : "";
  const authority = parts.host === null ? "" : "//" + user + parts.host + (parts.port ? ":" + parts.port : "");
  const path = parts.host === null && !parts.opaque && parts.path.startsWith("//") ? "/." + parts.path : parts.path;
  const query = parts.query === null ? "" : "?" + parts.query;
  return parts.scheme + authority + path + query + (parts.fragment === null ? "" : "#" + parts.fragment);
}
