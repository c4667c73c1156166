// URL and URLSearchParams over the parser of addresses.js.

const formed = (text) => escaped(String(text), /[^*\-.0-9A-Z_a-z ]/gu).replaceAll(" ", "+");

class URLSearchParams {
  #pairs = [];
  #changed = () => {};
  constructor(from = "") {
    if (typeof from === "object" && from !== null) {
      const pairs = typeof from[Symbol.iterator] === "function" ? from : Object.entries(from);
      for (const pair of pairs) {
        const [name, value, ...more] = pair;
        if (value === undefined || more.length) throw new TypeError("A parameter is a name and a value.");
        this.#pairs.push([String(name), String(value)]);
      }
    } else {
      this.#read(String(from).replace(/^\?/, ""));
    }
  }
  #read(text) {
    const plain = (part) => unescaped(part.replaceAll("+", " "));
    this.#pairs = text.split("&").filter(Boolean).map((pair) => {
      const [name, value] = cut(pair, "=");
      return [plain(name), plain(value ?? "")];
    });
  }
  get size() {
    return this.#pairs.length;
  }
  append(name, value) {
    this.#pairs.push([String(name), String(value)]);
    this.#changed();
  }
  set(name, value) {
    const key = String(name);
    const first = this.#pairs.findIndex(([known]) => known === key);
    if (first < 0) return this.append(key, value);
    this.#pairs[first] = [key, String(value)];
    this.#pairs = this.#pairs.filter(([known], at) => known !== key || at === first);
    this.#changed();
  }
  get(name) {
    return this.#pairs.find(([known]) => known === String(name))?.[1] ?? null;
  }
  getAll(name) {
    return this.#pairs.filter(([known]) => known === String(name)).map(([, value]) => value);
  }
  has(name, value) {
    return this.#pairs.some(([known, given]) => known === String(name) && (value === undefined || given === String(value)));
  }
  delete(name, value) {
    this.#pairs = this.#pairs.filter(
      ([known, given]) => known !== String(name) || (value !== undefined && given !== String(value)),
    );
    this.#changed();
  }
  sort() {
    this.#pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    this.#changed();
  }
  forEach(visit, self) {
    for (const [name, value] of this) visit.call(self, value, name, this);
  }
  *entries() {
    for (const [name, value] of this.#pairs) yield [name, value];
  }
  *keys() {
    for (const [name] of this.#pairs) yield name;
  }
  *values() {
    for (const [, value] of this.#pairs) yield value;
  }
  [Symbol.iterator]() {
    return this.entries();
  }
  toString() {
    return this.#pairs.map(([name, value]) => `${formed(name)}=${formed(value)}`).join("&");
  }
  get [Symbol.toStringTag]() {
    return "URLSearchParams";
  }
  static tied(params, changed) {
    params.#changed = changed;
  }
  static reread(params, text) {
    params.#read(text);
  }
}
const tie = URLSearchParams.tied;
const reread = URLSearchParams.reread;
delete URLSearchParams.tied;
delete URLSearchParams.reread;

class URL {
  #parts;
  #params = null;
  constructor(input, base) {
    const from = base === undefined ? null : parsed(base, null);
    const parts = base !== undefined && !from ? null : parsed(input, from);
    if (!parts) throw new TypeError(`${JSON.stringify(String(input))} is not a URL.`);
    this.#parts = parts;
  }
  static canParse(input, base) {
    return URL.parse(input, base) !== null;
  }
  static parse(input, base) {
    try {
      return new URL(input, base);
    } catch {
      return null;
    }
  }
  get href() {
    return written(this.#parts);
  }
  set href(value) {
    this.#parts = new URL(value).#parts;
    this.#renew();
  }
  get origin() {
    const { scheme, host } = this.#parts;
    return special(scheme) && scheme !== "file:" ? `${scheme}//${host}${this.port && ":" + this.port}` : "null";
  }
  get protocol() {
    return this.#parts.scheme;
  }
  set protocol(value) {
    const scheme = /^([a-z][a-z0-9+.-]*)(:|$)/i.exec(value)?.[1].toLowerCase() + ":";
    if (special(scheme) !== special(this.#parts.scheme) || scheme === "undefined:") return;
    this.#parts.scheme = scheme;
    ported(this.#parts, this.#parts.port);
  }
  get username() {
    return this.#parts.user;
  }
  set username(value) {
    if (this.#parts.host) this.#parts.user = escaped(String(value), USER);
  }
  get password() {
    return this.#parts.password;
  }
  set password(value) {
    if (this.#parts.host) this.#parts.password = escaped(String(value), USER);
  }
  get host() {
    return (this.#parts.host ?? "") + (this.port && ":" + this.port);
  }
  set host(value) {
    const [, name, port] = /^(\[[^\]]*\]|[^:/?#\\]*)(?::(\d+))?/u.exec(String(value));
    this.hostname = name;
    if (port !== undefined) this.port = port;
  }
  get hostname() {
    return this.#parts.host ?? "";
  }
  set hostname(value) {
    const { scheme, opaque } = this.#parts;
    const name = opaque ? null : hosted(String(value).replace(/[/?#].*$/su, ""), scheme);
    if (name !== null && (name !== "" || !special(scheme))) this.#parts.host = name;
  }
  get port() {
    return this.#parts.port;
  }
  set port(value) {
    const digits = /^\d*/.exec(String(value))[0];
    if (this.#parts.host && (digits || value === "")) ported(this.#parts, digits);
  }
  get pathname() {
    return this.#parts.path;
  }
  set pathname(value) {
    if (this.#parts.opaque) return;
    const text = special(this.#parts.scheme) ? String(value).replaceAll("\\", "/") : String(value);
    this.#parts.path = walked({ scheme: this.#parts.scheme }, text, []).path;
  }
  get search() {
    return this.#parts.query ? "?" + this.#parts.query : "";
  }
  set search(value) {
    const text = String(value).replace(/^\?/, "");
    this.#parts.query = text === "" ? null : escaped(text, special(this.#parts.scheme) ? SPECIAL_QUERY : QUERY);
    this.#renew();
  }
  get searchParams() {
    if (!this.#params) {
      const params = new URLSearchParams(this.#parts.query ?? "");
      tie(params, () => (this.#parts.query = params.toString() || null));
      this.#params = params;
    }
    return this.#params;
  }
  #renew() {
    if (this.#params) reread(this.#params, this.#parts.query ?? "");
  }
  get hash() {
    return this.#parts.fragment ? "#" + this.#parts.fragment : "";
  }
  set hash(value) {
    const text = String(value).replace(/^#/, "");
    this.#parts.fragment = text === "" ? null : escaped(text, FRAGMENT);
  }
  toString() {
    return this.href;
  }
  toJSON() {
    return this.href;
  }
  get [Symbol.toStringTag]() {
    return "URL";
  }
}
