// Request and Response. A body is held whole, or as the stream that a script gave or asked for.

class Body {
  #bytes;
  #stream;
  #taken = false;
  constructor(source) {
    this.#stream = source instanceof ReadableStream ? source : null;
    this.#bytes = this.#stream ? null : source;
  }
  get bodyUsed() {
    return this.#taken || Boolean(this.#stream?._disturbed);
  }
  get body() {
    if (this.#bytes === null) return this.#stream;
    this.#stream ??= streamOf(this.#bytes);
    return this.#stream;
  }
  #give() {
    if (this.bodyUsed || this.#stream?.locked) throw new TypeError("The body has been read already.");
    const source = this.#bytes ?? this.#stream;
    this.#taken = source !== null;
    return source;
  }
  async #take() {
    const source = this.#give();
    return source instanceof ReadableStream ? collected(source) : (source ?? new Uint8Array(0));
  }
  async bytes() {
    return (await this.#take()).slice();
  }
  async arrayBuffer() {
    return (await this.#take()).slice().buffer;
  }
  async text() {
    const text = decode(await this.#take());
    return text.startsWith("\uFEFF") ? text.slice(1) : text;
  }
  async json() {
    return JSON.parse(await this.text());
  }
  async blob() {
    return new Blob([await this.#take()], { type: this.headers.get("content-type") ?? "" });
  }
  async formData() {
    const type = this.headers.get("content-type") ?? "";
    const bytes = await this.#take();
    if (/^\s*application\/x-www-form-urlencoded\b/i.test(type)) {
      const form = new FormData();
      for (const [name, value] of new URLSearchParams(decode(bytes))) form.append(name, value);
      return form;
    }
    const boundary = /^\s*multipart\/form-data\b.*;\s*boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(type);
    if (!boundary) throw new TypeError("The body is no form.");
    return readForm(bytes, boundary[1] ?? boundary[2]);
  }
  // What another message is made of that takes the body over, and of one that has it as well.
  static give(message) {
    return message.#give();
  }
  static share(message) {
    if (message.bodyUsed || message.#stream?.locked) throw new TypeError("The body has been read already.");
    if (message.#bytes !== null || message.#stream === null) return message.#bytes;
    const [one, other] = message.#stream.tee();
    message.#stream = one;
    return other;
  }
  static take(message) {
    return message.#take();
  }
}
const giveBody = Body.give;
const shareBody = Body.share;
const takeBody = Body.take;
for (const name of ["give", "share", "take"]) delete Body[name];

// What can be given as a body: its bytes and the content type it brings along.
function bodied(source) {
  if (source === null || source === undefined) return [null, null];
  if (source instanceof ReadableStream) {
    if (source.locked || source._disturbed) throw new TypeError("The stream has been read already.");
    return [source, null];
  }
  if (isBytes(source)) return [copied(source), null];
  if (source instanceof Blob) return [insideBlob(source), source.type || null];
  if (source instanceof URLSearchParams) {
    return [encode(source), "application/x-www-form-urlencoded;charset=UTF-8"];
  }
  if (source instanceof FormData) {
    const boundary = "form-" + crypto.randomUUID();
    return [writeForm(source, boundary), `multipart/form-data; boundary=${boundary}`];
  }
  return [encode(source), "text/plain;charset=UTF-8"];
}

function typed(headers, type) {
  if (type !== null && !headers.has("content-type")) headers.set("content-type", type);
}

class Request extends Body {
  #method;
  #url;
  #headers;
  #signal;
  #redirect;
  constructor(input, init = {}) {
    const from = input instanceof Request ? input : null;
    const method = standard(String(init.method ?? from?.method ?? "GET"));
    let [bytes, type] = bodied(init.body);
    if (bytes !== null && (method === "GET" || method === "HEAD")) throw new TypeError(`A ${method} request has no body.`);
    if (bytes === null && from && method !== "GET" && method !== "HEAD") bytes = giveBody(from);
    super(bytes);
    this.#method = method;
    this.#url = from ? from.url : new URL(input).href;
    this.#headers = new Headers(init.headers ?? from?.headers);
    this.#signal = init.signal ?? from?.signal ?? null;
    this.#redirect = init.redirect ?? from?.redirect ?? "follow";
    typed(this.#headers, type);
  }
  get method() {
    return this.#method;
  }
  get url() {
    return this.#url;
  }
  get headers() {
    return this.#headers;
  }
  get signal() {
    return this.#signal;
  }
  get redirect() {
    return this.#redirect;
  }
  clone() {
    const { method, headers, signal, redirect } = this;
    return new Request(this.url, { method, headers, signal, redirect, body: shareBody(this) });
  }
  get [Symbol.toStringTag]() {
    return "Request";
  }
}

function standard(method) {
  if (!NAME.test(method)) throw new TypeError(`${JSON.stringify(method)} is not a method.`);
  const upper = method.toUpperCase();
  return ["DELETE", "GET", "HEAD", "OPTIONS", "POST", "PUT"].includes(upper) ? upper : method;
}

const EMPTY = [101, 204, 205, 304];

class Response extends Body {
  #status;
  #statusText;
  #headers;
  #url = "";
  #redirected = false;
  constructor(body = null, init = {}) {
    const status = init.status === undefined ? 200 : Number(init.status);
    if (!Number.isInteger(status) || status < 200 || status > 599) throw new RangeError("A status is from 200 to 599.");
    const [bytes, type] = bodied(body);
    if (bytes !== null && EMPTY.includes(status)) throw new TypeError(`An answer with status ${status} has no body.`);
    super(bytes);
    this.#status = status;
    this.#statusText = String(init.statusText ?? "");
    this.#headers = new Headers(init.headers);
    typed(this.#headers, type);
  }
  get status() {
    return this.#status;
  }
  get statusText() {
    return this.#statusText;
  }
  get ok() {
    return this.#status >= 200 && this.#status < 300;
  }
  get headers() {
    return this.#headers;
  }
  get url() {
    return this.#url;
  }
  get redirected() {
    return this.#redirected;
  }
  get type() {
    return "default";
  }
  clone() {
    return fetchedResponse(this.#url, this.#redirected, shareBody(this), this);
  }
  static json(data, init = {}) {
    const response = new Response(JSON.stringify(data), init);
    if (!new Headers(init.headers).has("content-type")) response.headers.set("content-type", "application/json");
    return response;
  }
  static redirect(url, status = 302) {
    if (![301, 302, 303, 307, 308].includes(status)) throw new RangeError("The status is not one of a redirect.");
    return new Response(null, { status, headers: { location: new URL(url).href } });
  }
  static error() {
    throw new TypeError("Response.error() is not here.");
  }
  static fetched(url, redirected, bytes, init) {
    const response = new Response(EMPTY.includes(init.status) ? null : bytes, init);
    response.#url = url;
    response.#redirected = redirected;
    return response;
  }
  get [Symbol.toStringTag]() {
    return "Response";
  }
}
const fetchedResponse = Response.fetched;
delete Response.fetched;
