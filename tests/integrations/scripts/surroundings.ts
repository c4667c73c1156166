// What scripts find around them, tried out: the same module runs in the sandbox and in Node, and both must agree.

type Try = () => unknown;

const addresses: [string, string?][] = [
  ["https://example.org"],
  ["HTTPS://Example.ORG:443/a/./b/../c%2e/%2E%2e/d?q=1 2#f g"],
  ["http://user:pass@host:8080/path?x#y"],
  ["http://us er:p@ss@host/"],
  ["  https://example.org/\ttab\nline  "],
  ["https://example.org\\back\\slash?\\q#\\f"],
  ["//other.example/x", "https://example.org/a/b"],
  ["../up?x=1", "https://example.org/a/b/c"],
  ["?only", "https://example.org/a/b?c#d"],
  ["#only", "https://example.org/a/b?c#d"],
  ["", "https://example.org/a/b?c#d"],
  ["./", "https://example.org/a/b"],
  ["..", "https://example.org/a/b/"],
  ["https:relative", "https://example.org/a/b"],
  ["https:/single"],
  ["https://bücher.example/straße?ü=ü#ü"],
  ["https://xn--bcher-kva.example/"],
  ["http://0x7f.1/"],
  ["http://2130706433/"],
  ["http://017700000001/"],
  ["http://256.1.1.1/"],
  ["http://1.2.3.4.5/"],
  ["http://127.0.0.1./"],
  ["http://[::1]:3000/"],
  ["http://[2001:db8:0:0:1:0:0:1]/"],
  ["http://[::ffff:192.168.0.1]/"],
  ["http://[1:2:3:4:5:6:7:8]/"],
  ["http://[1::2::3]/"],
  ["http://ex%41mple.org/"],
  ["http://a b/"],
  ["http://a%00b/"],
  ["http://host:99999/"],
  ["http://host:/"],
  ["http:///x"],
  ["mailto:someone@example.org?subject=a b"],
  ["data:text/plain,hello world#frag"],
  ["javascript:alert(1)"],
  ["custom://Host/Path/../x?y"],
  ["file:///etc/passwd"],
  ["not a url"],
  ["/path/only"],
  ["http://"],
  ["https://example.org/a?b=c&d=%20e+f&g"],
  ["https://example.org/'\"<>`{}|"],
  ["https://example.org/?'\"<>`{}|^"],
  ["https://example.org/😀?😀#😀"],
];

const parts = "href origin protocol username password host hostname port pathname search hash".split(" ") as (keyof URL)[];
const hex = (source: ArrayBuffer | Uint8Array) =>
  [...new Uint8Array(source as ArrayBuffer)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const bytes = (text: string) => new TextEncoder().encode(text);

function changed(part: keyof URL, value: string, from = "https://user:pw@example.org:8443/a/b?c=d#e") {
  const url = new URL(from);
  (url as any)[part] = value;
  return url.href;
}

async function mac(hash: string, secret: string, text: string) {
  const algorithm = { name: "HMAC", hash };
  const key = await crypto.subtle.importKey("raw", bytes(secret), algorithm, false, ["sign", "verify"]);
  const signed = await crypto.subtle.sign("HMAC", key, bytes(text));
  const right = await crypto.subtle.verify("HMAC", key, signed, bytes(text));
  const wrong = await crypto.subtle.verify("HMAC", key, signed, bytes(text + "!"));
  return [hex(signed), right, wrong];
}

async function formed() {
  const form = new FormData();
  form.append("plain", "grüße\r\nline");
  form.append("plain", "two");
  form.append('qu"oted', "x");
  form.append("file", new File([bytes("\u0000data")], "näme.bin", { type: "image/png" }));
  form.append("blob", new Blob(["text"]), "b.txt");
  const read = await new Response(form).formData();
  const found = [];
  for (const [name, value] of read) {
    found.push(typeof value === "string" ? [name, value] : [name, value.name, value.type, await value.text()]);
  }
  return found;
}

const tries: Record<string, Try> = {
  changes: () => [
    changed("protocol", "http"), changed("protocol", "mailto"), changed("host", "other.example:9"), changed("hostname", "x.example"),
    changed("port", "443"), changed("port", "80abc"), changed("port", "x"), changed("port", ""), changed("pathname", "x y/../z?"),
    changed("search", "a=ü"), changed("search", ""), changed("hash", "x y"), changed("hash", ""), changed("username", "a@b"),
    changed("password", ""), changed("href", "http://n.example"),
  ],
  params: () => {
    const url = new URL("https://example.org/?a=1&b=2&a=3&c=%F0%9F%98%80+x");
    url.searchParams.append("d e", "f&g=h");
    url.searchParams.delete("b");
    url.searchParams.set("a", "~*'()");
    return [url.href, [...url.searchParams], url.searchParams.getAll("a"), url.searchParams.get("none"), url.searchParams.has("c")];
  },
  moreParams: () => {
    const params = new URLSearchParams({ z: "1", a: "2" });
    params.sort();
    return [String(params), String(new URLSearchParams([["x", "y"]])), String(new URLSearchParams("?%zz=%&=v&k")), params.size];
  },
  headers: () => {
    const headers = new Headers({ "X-B": " two ", "x-a": "1" });
    headers.append("x-b", "three");
    headers.append("set-cookie", "a=1");
    headers.append("set-cookie", "b=2");
    return [[...headers], headers.get("X-B"), headers.get("none"), headers.getSetCookie(), headers.has("SET-COOKIE")];
  },
  badHeader: () => new Headers({ "a b": "c" }),
  badValue: () => new Headers({ a: "b\r\nc: d" }),
  encoding: () => [hex(bytes("aü€😀\ud800")), hex(new TextEncoder().encode())],
  decoding: () => {
    const decoder = new TextDecoder();
    const whole = new TextDecoder().decode(new Uint8Array([0xef, 0xbb, 0xbf, 0x61, 0xff, 0xe2, 0x82, 0x41, 0xf0, 0x9f]));
    const euro = bytes("€😀");
    let pieces = "";
    for (const byte of euro) pieces += decoder.decode(new Uint8Array([byte]), { stream: true });
    return [whole, pieces + decoder.decode()];
  },
  fatal: () => new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array([0xff])),
  latin: () => new TextDecoder("klingon"),
  into: () => {
    const target = new Uint8Array(5);
    return [new TextEncoder().encodeInto("a€😀", target), hex(target)];
  },
  base64: () => [btoa("\u0000\u00ffabc"), atob(" YWJj ZA "), atob(""), btoa("")],
  badBtoa: () => btoa("€"),
  badAtob: () => atob("a"),
  digests: async () =>
    Promise.all(["SHA-1", "SHA-256", "SHA-384", "SHA-512"].map(async (name) => hex(await crypto.subtle.digest(name, bytes("abc"))))),
  badDigest: () => crypto.subtle.digest("MD5", bytes("abc")),
  macs: async () => [await mac("SHA-256", "key", "text"), await mac("SHA-512", "k".repeat(200), "text")],
  unusable: async () => {
    const key = await crypto.subtle.importKey("raw", bytes("k"), { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
    return crypto.subtle.sign("HMAC", key, bytes("x"));
  },
  random: () => [crypto.randomUUID().length, crypto.getRandomValues(new Uint16Array(4)).length, crypto.randomUUID() !== crypto.randomUUID()],
  uuid: () => /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(crypto.randomUUID()),
  form: formed,
  urlencoded: async () => [
    ...(await new Response("a=1&b=%C3%BC+x", { headers: { "content-type": "application/x-www-form-urlencoded" } }).formData()),
  ],
  noForm: () => new Response("x").formData(),
  brokenForm: () => new Response("--b\r\nnothing", { headers: { "content-type": "multipart/form-data; boundary=b" } }).formData(),
  response: async () => {
    const response = new Response("body", { status: 201, headers: { a: "b" } });
    const copy = response.clone();
    return [response.status, response.ok, [...response.headers], await response.text(), response.bodyUsed, await copy.text()];
  },
  twice: async () => {
    const response = new Response("body");
    await response.text();
    return response.text();
  },
  json: async () => {
    const response = Response.json({ a: [1] }, { status: 400 });
    return [response.status, response.ok, response.headers.get("content-type"), await response.json()];
  },
  redirect: () => [Response.redirect("https://example.org/x", 307).headers.get("location"), Response.redirect("https://a.example").status],
  badStatus: () => new Response(null, { status: 99 }),
  noBody: () => new Response("x", { status: 204 }),
  kinds: async () => [
    hex(await new Response(new Uint8Array([1, 2, 3]).subarray(1)).arrayBuffer()),
    await new Response(new URLSearchParams({ a: "b c" })).text(),
    new Response(new URLSearchParams()).headers.get("content-type"),
    await new Response(new Blob(["x"], { type: "text/x" })).blob().then((blob) => [blob.type, blob.size]),
    new Response("x").headers.get("content-type"),
  ],
  request: async () => {
    const request = new Request("https://example.org/a#b", { method: "post", body: "x", headers: { a: "b" } });
    const copy = new Request(request, { headers: { c: "d" } });
    return [request.method, request.url, copy.method, await copy.text(), [...copy.headers], request.bodyUsed];
  },
  bodyOfGet: () => new Request("https://example.org", { body: "x" }),
  noUrl: () => new Request("/relative"),
  methods: () => [new Request("https://e.example", { method: "patch" }).method, new Request("https://e.example", { method: "delete" }).method],
  aborting: async () => {
    const controller = new AbortController();
    const heard: string[] = [];
    controller.signal.addEventListener("abort", () => heard.push("heard"));
    controller.abort();
    await new Promise((resolve) => setTimeout(resolve, 2));
    return [controller.signal.aborted, controller.signal.reason.name, heard];
  },
  aborted: () => fetch("https://example.org", { signal: AbortSignal.abort() }),
  order: async () => {
    const seen: string[] = [];
    setTimeout(() => seen.push("late"), 150);
    const stopped = setTimeout(() => seen.push("never"), 3);
    clearTimeout(stopped);
    setTimeout((...values: string[]) => seen.push(...values), 1, "first", "values");
    queueMicrotask(() => seen.push("micro"));
    seen.push("sync");
    await new Promise((resolve) => setTimeout(resolve, 300));
    return seen;
  },
  interval: async () => {
    let count = 0;
    await new Promise<void>((resolve) => {
      const timer = setInterval(() => {
        if (++count === 3) resolve(clearInterval(timer));
      }, 1);
    });
    return count;
  },
  clone: () => structuredClone({ a: [1, { b: new Date(0) }], m: new Map([[1, new Set([2])]]) }).m.get(1)!.has(2),
  globals: () => [typeof globalThis, typeof self === "undefined" ? "object" : typeof self, Math.random() !== Math.random()],
};

async function outcome(attempt: Try): Promise<unknown> {
  try {
    return { value: await attempt() };
  } catch (reason) {
    return { thrown: reason instanceof Error ? reason.name : String(reason) };
  }
}

export default {
  async fetch(): Promise<Response> {
    const found: Record<string, unknown> = {};
    for (const [name, attempt] of Object.entries(tries)) found[name] = await outcome(attempt);
    for (const [input, base] of addresses) {
      found[`${input} | ${base ?? ""}`] = await outcome(() => {
        const url = new URL(input, base);
        return parts.map((part) => String(url[part]));
      });
    }
    return Response.json(found);
  },
};
