// Blob, File and FormData, with multipart forms read and written.

class Blob {
  #bytes;
  #type;
  constructor(parts = [], { type = "" } = {}) {
    if (Object(parts) !== parts || typeof parts[Symbol.iterator] !== "function") throw new TypeError("The parts must be a sequence.");
    this.#bytes = joined([...parts].map((part) => (part instanceof Blob ? part.#bytes : isBytes(part) ? viewed(part) : encode(part))));
    this.#type = /^[ -~]*$/.test(type) ? String(type).toLowerCase() : "";
  }
  get size() {
    return this.#bytes.length;
  }
  get type() {
    return this.#type;
  }
  slice(start, end, type = "") {
    return new Blob([this.#bytes.slice(start, end)], { type });
  }
  async text() {
    return decode(this.#bytes);
  }
  async arrayBuffer() {
    return this.#bytes.slice().buffer;
  }
  stream() {
    return streamOf(this.#bytes);
  }
  async bytes() {
    return this.#bytes.slice();
  }
  get [Symbol.toStringTag]() {
    return "Blob";
  }
  static inside(blob) {
    return blob.#bytes;
  }
}
const insideBlob = Blob.inside;
delete Blob.inside;

class File extends Blob {
  #name;
  #lastModified;
  constructor(parts, name, { type = "", lastModified = Date.now() } = {}) {
    if (arguments.length < 2) throw new TypeError("A file needs parts and a name.");
    super(parts, { type });
    this.#name = String(name);
    this.#lastModified = Math.trunc(Number(lastModified)) || 0;
  }
  get name() {
    return this.#name;
  }
  get lastModified() {
    return this.#lastModified;
  }
  get [Symbol.toStringTag]() {
    return "File";
  }
}

function joined(pieces) {
  const whole = new Uint8Array(pieces.reduce((size, piece) => size + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

class FormData {
  #entries = [];
  append(name, value, filename) {
    this.#entries.push([String(name), field(value, filename)]);
  }
  set(name, value, filename) {
    const key = String(name);
    const first = this.#entries.findIndex(([known]) => known === key);
    if (first < 0) return this.append(key, value, filename);
    this.#entries[first] = [key, field(value, filename)];
    this.#entries = this.#entries.filter(([known], at) => known !== key || at === first);
  }
  get(name) {
    const found = this.#entries.find(([known]) => known === String(name));
    return found ? found[1] : null;
  }
  getAll(name) {
    return this.#entries.filter(([known]) => known === String(name)).map(([, value]) => value);
  }
  has(name) {
    return this.#entries.some(([known]) => known === String(name));
  }
  delete(name) {
    this.#entries = this.#entries.filter(([known]) => known !== String(name));
  }
  forEach(visit, self) {
    for (const [name, value] of this) visit.call(self, value, name, this);
  }
  *entries() {
    for (const [name, value] of this.#entries) yield [name, value];
  }
  *keys() {
    for (const [name] of this.#entries) yield name;
  }
  *values() {
    for (const [, value] of this.#entries) yield value;
  }
  [Symbol.iterator]() {
    return this.entries();
  }
  get [Symbol.toStringTag]() {
    return "FormData";
  }
}

function field(value, filename) {
  if (!(value instanceof Blob)) return String(value);
  if (value instanceof File && filename === undefined) return value;
  return new File([value], filename ?? "blob", { type: value.type });
}

function writeForm(form, boundary) {
  const quoted = (text) => text.replace(/\r\n|\r|\n/g, "%0D%0A").replace(/"/g, "%22");
  const pieces = [];
  for (const [name, value] of form) {
    let head = `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"`;
    if (value instanceof Blob) {
      head += `; filename="${quoted(value.name)}"\r\nContent-Type: ${value.type || "application/octet-stream"}`;
    }
    pieces.push(encode(head + "\r\n\r\n"), value instanceof Blob ? insideBlob(value) : encode(value), encode("\r\n"));
  }
  return joined([...pieces, encode(`--${boundary}--\r\n`)]);
}

function readForm(bytes, boundary) {
  const form = new FormData();
  const text = "\r\n" + latin1(bytes); // places in it are two ahead of places in the bytes
  const mark = `\r\n--${boundary}`;
  let at = text.indexOf(mark);
  while (at >= 0 && !text.startsWith("--", at + mark.length)) {
    const head = at + mark.length + 2;
    const body = text.indexOf("\r\n\r\n", head - 2) + 4;
    const end = text.indexOf(mark, body - 2);
    if (body < 4 || end < 0) throw new TypeError("The form ends in the middle of a part.");
    readPart(form, text.slice(head, body - 4), bytes.subarray(body - 2, Math.max(body, end) - 2));
    at = end;
  }
  if (at < 0) throw new TypeError("The body is not a multipart form.");
  return form;
}

function readPart(form, head, bytes) {
  const disposition = /^content-disposition:([^\r\n]*)/im.exec(head)?.[1] ?? "";
  const parameter = (key) => {
    const found = new RegExp(`;\\s*${key}="([^"]*)"`, "i").exec(disposition)?.[1];
    return found === undefined ? undefined : unquoted(found);
  };
  const [name, filename] = [parameter("name"), parameter("filename")];
  if (name === undefined) throw new TypeError("A part of the form has no name.");
  const type = /^content-type:\s*([^\r\n]*)/im.exec(head)?.[1] ?? "text/plain";
  form.append(name, filename === undefined ? decode(bytes) : new File([bytes], filename, { type }));
}

function unquoted(text) {
  const plain = text.replace(/%22/g, '"').replace(/%0D%0A/gi, "\r\n");
  return /[\x80-\xff]/.test(plain) ? decode(Uint8Array.from(plain, (character) => character.charCodeAt(0))) : plain;
}
