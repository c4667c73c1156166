// Text and bytes. `host` is the one way out of the sandbox: it takes a message (a letter that names its kind, and
// text), and bytes where there are any.

const viewed = (source) => {
  if (source instanceof Uint8Array) return source;
  if (ArrayBuffer.isView(source)) return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  if (source instanceof ArrayBuffer) return new Uint8Array(source);
  throw new TypeError("Expected an ArrayBuffer or a view of one.");
};
const copied = (source) => viewed(source).slice();
const isBytes = (value) => value instanceof ArrayBuffer || ArrayBuffer.isView(value);

// The kinds of messages, as in host.py.
const MESSAGE = Object.freeze({
  encode: "e",
  decode: "d",
  latin1: "l",
  idna: "i",
  random: "n",
  digest: "h",
  subtle: "s",
  fetch: "f",
  log: "c",
  timer: "t",
  loaded: "o",
  failed: "x",
  response: "r",
  finished: "z",
});
const encode = (text) => host(MESSAGE.encode + String(text).toWellFormed());
const decode = (bytes) => host(MESSAGE.decode, bytes); // wrong bytes become U+FFFD, as the Encoding Standard says
const latin1 = (bytes) => host(MESSAGE.latin1, bytes); // one character per byte, so places in it are places in the bytes

class TextEncoder {
  get encoding() {
    return "utf-8";
  }
  encode(text = "") {
    return encode(text);
  }
  encodeInto(text, target) {
    let read = 0;
    let written = 0;
    for (const character of String(text).toWellFormed()) {
      const bytes = encode(character);
      if (written + bytes.length > target.length) break;
      target.set(bytes, written);
      written += bytes.length;
      read += character.length;
    }
    return { read, written };
  }
}

class TextDecoder {
  #fatal;
  #keepMark;
  #rest = new Uint8Array(0);
  constructor(label = "utf-8", { fatal = false, ignoreBOM = false } = {}) {
    if (!/^\s*(utf-?8|unicode-1-1-utf-8)\s*$/i.test(label)) throw new RangeError(`The encoding ${label} is not here.`);
    this.#fatal = Boolean(fatal);
    this.#keepMark = Boolean(ignoreBOM);
  }
  get encoding() {
    return "utf-8";
  }
  get fatal() {
    return this.#fatal;
  }
  get ignoreBOM() {
    return this.#keepMark;
  }
  decode(source, { stream = false } = {}) {
    let bytes = source === undefined ? new Uint8Array(0) : viewed(source);
    if (this.#rest.length) {
      const joined = new Uint8Array(this.#rest.length + bytes.length);
      joined.set(this.#rest);
      joined.set(bytes, this.#rest.length);
      bytes = joined;
    }
    const end = stream ? bytes.length - unfinished(bytes) : bytes.length;
    this.#rest = bytes.slice(end);
    const text = decode(bytes.subarray(0, end));
    if (this.#fatal && text.includes("\uFFFD") && differ(encode(text), bytes.subarray(0, end))) {
      throw new TypeError("The bytes are not UTF-8.");
    }
    return !this.#keepMark && text.startsWith("\uFEFF") ? text.slice(1) : text;
  }
}

// How many bytes at the end begin a character that more bytes could finish.
function unfinished(bytes) {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back];
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
  }
  return 0;
}

function differ(one, other) {
  return one.length !== other.length || one.some((byte, at) => byte !== other[at]);
}

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

function btoa(text) {
  const source = String(text);
  let out = "";
  for (let at = 0; at < source.length; at += 3) {
    const [a, b, c] = [source.charCodeAt(at), source.charCodeAt(at + 1), source.charCodeAt(at + 2)];
    if (a > 255 || b > 255 || c > 255) throw new DOMException("The text has characters above U+00FF.", "InvalidCharacterError");
    out += BASE64[a >> 2] + BASE64[((a & 3) << 4) | (b >> 4)];
    out += at + 1 < source.length ? BASE64[((b & 15) << 2) | (c >> 6)] : "=";
    out += at + 2 < source.length ? BASE64[c & 63] : "=";
  }
  return out;
}

function atob(text) {
  let source = String(text).replace(/[\t\n\f\r ]/g, "");
  if (source.length % 4 === 0) source = source.replace(/==?$/, "");
  if (source.length % 4 === 1 || /[^A-Za-z0-9+/]/.test(source)) {
    throw new DOMException("The text is not base64.", "InvalidCharacterError");
  }
  let out = "";
  let held = 0;
  let bits = 0;
  for (const character of source) {
    held = ((held << 6) | BASE64.indexOf(character)) & 0xffff;
    bits += 6;
    if (bits >= 8) out += String.fromCharCode((held >> (bits -= 8)) & 255);
  }
  return out;
}

// Names of exceptions with a number of their own, in the order of the numbers; those without a name are no more.
const NUMBERED = [
  "IndexSizeError", "", "HierarchyRequestError", "WrongDocumentError", "InvalidCharacterError", "", "NoModificationAllowedError",
  "NotFoundError", "NotSupportedError", "InUseAttributeError", "InvalidStateError", "SyntaxError", "InvalidModificationError",
  "NamespaceError", "InvalidAccessError", "", "TypeMismatchError", "SecurityError", "NetworkError", "AbortError",
  "URLMismatchError", "QuotaExceededError", "TimeoutError", "InvalidNodeTypeError", "DataCloneError",
];

class DOMException extends Error {
  #name;
  constructor(message = "", name = "Error") {
    super(message);
    this.#name = String(name);
    Error.captureStackTrace(this, DOMException); // whose first line has the name
  }
  get name() {
    return #name in this ? this.#name : "Error";
  }
  get code() {
    return this.#name ? NUMBERED.indexOf(this.#name) + 1 : 0;
  }
  get [Symbol.toStringTag]() {
    return "DOMException";
  }
}
NUMBERED.forEach((name, at) => {
  const constant = name.replace("URLM", "UrlM").replace(/Error$/, "").replace(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase();
  const described = { value: at + 1, enumerable: true };
  if (name) for (const holder of [DOMException, DOMException.prototype]) Object.defineProperty(holder, `${constant}_ERR`, described);
});
