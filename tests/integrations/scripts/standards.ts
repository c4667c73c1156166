// Standards of the web that scripts find, tried out: the same module runs in the sandbox and in Node, and both must agree.

type Try = () => unknown;

// Keys for these tests alone.
const RSA_KEY: JsonWebKey = {kty: "RSA", n: "r6puBsDSBrVAg0sX3illrt6E23ayKBmw3dxEgO0wTTrq0m0nSOCGQAPL8uMqcQFi9W_YPahzXx_N6NE6UsCDCs9rH8AOMADKNcOQQeLasfzOPDFPg3LFuQw3U3H04nQZf5o2YzMwRaHo4ZfhGfDo5gbwmSO0oUOI104yf1VaSTU", e: "AQAB", d: "cWDj0NIE_LVhpRwDlK1NZtdSEsACbuVeBWQUhs4P_djIFPbEg0H_BDQvH15FV1iYwWblv64IgN3rLZhVN3HvYSnDSA6A8b_u9UMhJEZPyV6t1HjvLEyfnmG-SAizXOpAwtA4Ll9tXgpN8Ua6vvufpL4Z2Kx2GueMwhwl4ylJCQU", p: "3hvsn1eZ6SpKunB_q86pa4MSchD52olz05y7GtmLxto8HlJboVV4OMqfp-LrvuGu1a54FczFhEYd2UHHY9xDgw", q: "ynhTP3O9HgeVkQ2OsLgXj9005xBEcapiGxh7L-kgTnjtmRSO5fNwGC7QD-lsXfBWE_4aspw9lpq05myarhzK5w", dp: "SH-07Q4bHxC-87xk8B-1DXLrQnBoHf1f4WL3b_wys-XoWb1oS3EqnN8G3jYj3VqtRvJ8ICGHF3YLqC7gdqgfIQ", dq: "LJ7F4eb016heOuBdAO8hKjBa101LeC1Pf58ujsl2uDSIUEMqltzGaF3wtoD_w9gScEeAxLoQDJ-9nEZ09EgeIw", qi: "yru6IojnbQ008lb3rWdpytOm6wWp8Z__ny4bXv2ZjqEBFEIykQYU6enDb9sn8rNyLWurnYGnfMfVSJRFeq15oQ"};
const EC_KEY: JsonWebKey = {kty: "EC", x: "qdI7qebjcVunf3K6tCbQ-44vSj7Rw6w_eqXGAPnWGj8", y: "I00kvrhgVo-WmrAbvP0NmJPv6uBZinwZF7ukHxiDjmE", crv: "P-256", d: "d9y6cVPyfB8SdA5vdCh-uJWx1eb_k_FcDz-uQ8kU3gE"};

const hex = (source: ArrayBuffer | Uint8Array) =>
  [...new Uint8Array(source as ArrayBuffer)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const bytes = (text: string) => new TextEncoder().encode(text);
const text = (source: ArrayBuffer) => new TextDecoder().decode(source);
const counted = (most: number) =>
  new ReadableStream<string>({
    start(controller) {
      for (let count = 1; count <= most; count++) controller.enqueue(`${count},`);
      controller.close();
    },
  });

async function all<T>(stream: ReadableStream<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const piece of stream as any) found.push(piece);
  return found;
}

const secret = (name: string, usages: KeyUsage[]) =>
  crypto.subtle.importKey("raw", bytes("0123456789abcdef"), name, true, usages);
const { d, p, q, dp, dq, qi, ...RSA_PUBLIC } = RSA_KEY;
const { d: _, ...EC_PUBLIC } = EC_KEY;

async function rsa(name: string, ours: KeyUsage[], theirs: KeyUsage[]) {
  const algorithm = { name, hash: "SHA-256" };
  return {
    closed: await crypto.subtle.importKey("jwk", RSA_KEY, algorithm, true, ours),
    open: await crypto.subtle.importKey("jwk", RSA_PUBLIC, algorithm, true, theirs),
  };
}

const ec = (key: JsonWebKey, name: string, usages: KeyUsage[]) =>
  crypto.subtle.importKey("jwk", key, { name, namedCurve: "P-256" }, true, usages);

const tries: Record<string, Try> = {
  reading: async () => all(counted(3)),
  piped: async () => {
    const louder = new TransformStream<string, string>({
      transform: (piece, controller) => controller.enqueue(piece.toUpperCase() + "!"),
      flush: (controller) => controller.enqueue("end"),
    });
    return all(counted(2).pipeThrough(louder));
  },
  teed: async () => {
    const [one, other] = counted(2).tee();
    return [await all(one), await all(other)];
  },
  coded: async () => all(counted(2).pipeThrough(new TextEncoderStream()).pipeThrough(new TextDecoderStream())),
  written: async () => {
    const heard: unknown[] = [];
    const writer = new WritableStream({ write: (piece) => void heard.push(piece), close: () => void heard.push("closed") }).getWriter();
    await writer.write("a");
    await writer.close();
    return heard;
  },
  cancelled: async () => {
    let why: unknown;
    await new ReadableStream({ cancel: (reason) => void (why = reason) }).cancel("enough");
    return why;
  },
  failing: async () => all(new ReadableStream({ pull: (controller) => controller.error(new RangeError("no")) })),
  byob: async () => {
    const reader = new Blob(["abcdef"]).stream().getReader({ mode: "byob" });
    const { value } = await reader.read(new Uint8Array(4));
    return hex(value!);
  },
  body: async () => {
    const response = new Response(counted(3).pipeThrough(new TextEncoderStream()));
    return [response.bodyUsed, await response.text(), response.bodyUsed];
  },
  bodyOut: async () => {
    const response = new Response("some text");
    const pieces = await all(response.body!);
    return [pieces.map(hex).join(""), response.bodyUsed];
  },
  bodyTwice: async () => {
    const response = new Response(counted(1).pipeThrough(new TextEncoderStream()));
    await response.text();
    return response.text();
  },
  bodyCloned: async () => {
    const response = new Response(counted(2).pipeThrough(new TextEncoderStream()));
    return [await response.clone().text(), await response.text()];
  },
  bodyLocked: async () => {
    const response = new Response("x");
    response.body!.getReader();
    return response.text();
  },
  noBody: () => new Response(null).body,
  events: () => {
    const seen: unknown[] = [];
    const target = new EventTarget();
    target.addEventListener("lamp", (event) => seen.push([event.type, event.cancelable, event.target === target]), { once: true });
    target.addEventListener("lamp", { handleEvent: (event: Event) => event.preventDefault() });
    const event = new CustomEvent("lamp", { cancelable: true, detail: { lit: true } });
    seen.push(target.dispatchEvent(event), event.defaultPrevented, event.detail, target.dispatchEvent(new Event("lamp")));
    return seen;
  },
  eventStopped: () => {
    const seen: string[] = [];
    const target = new EventTarget();
    target.addEventListener("a", (event) => (seen.push("one"), event.stopImmediatePropagation()));
    target.addEventListener("a", () => seen.push("two"));
    target.dispatchEvent(new Event("a"));
    return seen;
  },
  aborting: () => {
    const controller = new AbortController();
    const heard: unknown[] = [];
    controller.signal.onabort = (event) => heard.push(event.type);
    controller.signal.addEventListener("abort", () => heard.push("listener"));
    controller.abort("why");
    controller.abort("again");
    return [heard, controller.signal.aborted, controller.signal.reason, controller.signal instanceof EventTarget];
  },
  anySignal: () => {
    const controller = new AbortController();
    const any = (AbortSignal as any).any([new AbortController().signal, controller.signal]);
    controller.abort("why");
    return [any.aborted, any.reason];
  },
  timedSignal: async () => {
    const signal = AbortSignal.timeout(1);
    await new Promise((resolve) => setTimeout(resolve, 30));
    return [signal.aborted, signal.reason.name];
  },
  signalMade: () => new (AbortSignal as any)(),
  blobs: async () => {
    const blob = new Blob(["héllo ", bytes("world")], { type: "Text/Plain" });
    return [blob.size, blob.type, await blob.slice(1, 4).text(), (await all(blob.stream())).map(hex).join("")];
  },
  cloned: () => {
    const self: any = { when: new Date(5), how: /a+/gi, map: new Map([[{ a: 1 }, new Set([1, "two"])]]), big: 10n };
    self.self = self;
    self.list = [, 1, undefined, null, -0];
    const copy = structuredClone(self);
    return [
      copy !== self, copy.self === copy, copy.when.getTime(), String(copy.how), [...copy.map.values()][0].has("two"),
      String(copy.big), copy.list.length, 0 in copy.list, Object.is(copy.list[4], -0),
    ];
  },
  clonedBytes: () => {
    const source = new Uint8Array([1, 2, 3, 4]);
    const copy = structuredClone({ view: source.subarray(1, 3), buffer: source.buffer });
    source[1] = 9;
    return [[...copy.view], copy.buffer.byteLength, copy.view.byteOffset, copy.view instanceof Uint8Array];
  },
  clonedError: () => {
    const copy = structuredClone(new RangeError("no"));
    return [copy instanceof RangeError, copy.message, copy.name];
  },
  notCloned: () => structuredClone({ f: () => 1 }),
  stack: () => new Error("where").stack!.split("\n")[0],
  stackOfOwn: () => {
    class OwnError extends Error {
      name = "OwnError";
    }
    return new OwnError("mine").message;
  },
  gcm: async () => {
    const key = await secret("AES-GCM", ["encrypt", "decrypt"]);
    const algorithm = { name: "AES-GCM", iv: bytes("0123456789ab"), additionalData: bytes("about") };
    const sealed = await crypto.subtle.encrypt(algorithm, key, bytes("a secret"));
    const short = await crypto.subtle.encrypt({ ...algorithm, tagLength: 96 }, key, bytes("a secret"));
    return [hex(sealed), hex(short), text(await crypto.subtle.decrypt(algorithm, key, sealed))];
  },
  gcmChanged: async () => {
    const key = await secret("AES-GCM", ["encrypt", "decrypt"]);
    const algorithm = { name: "AES-GCM", iv: bytes("0123456789ab") };
    const sealed = new Uint8Array(await crypto.subtle.encrypt(algorithm, key, bytes("a secret")));
    sealed[0] ^= 1;
    return crypto.subtle.decrypt(algorithm, key, sealed);
  },
  cbc: async () => {
    const key = await secret("AES-CBC", ["encrypt", "decrypt"]);
    const algorithm = { name: "AES-CBC", iv: bytes("0123456789abcdef") };
    const sealed = await crypto.subtle.encrypt(algorithm, key, bytes("exactly sixteen."));
    return [hex(sealed), text(await crypto.subtle.decrypt(algorithm, key, sealed))];
  },
  cbcWrong: async () => crypto.subtle.decrypt({ name: "AES-CBC", iv: new Uint8Array(16) }, await secret("AES-CBC", ["decrypt"]), new Uint8Array(16)),
  ctr: async () => {
    const key = await secret("AES-CTR", ["encrypt", "decrypt"]);
    return hex(await crypto.subtle.encrypt({ name: "AES-CTR", counter: new Uint8Array(16), length: 64 }, key, bytes("a secret")));
  },
  pbkdf2: async () => {
    const key = await crypto.subtle.importKey("raw", bytes("password"), "PBKDF2", false, ["deriveBits", "deriveKey"]);
    const algorithm = { name: "PBKDF2", hash: "SHA-256", salt: bytes("salt"), iterations: 1000 };
    const made = await crypto.subtle.deriveKey(algorithm, key, { name: "AES-GCM", length: 256 }, true, ["encrypt"]);
    return [hex(await crypto.subtle.deriveBits(algorithm, key, 256)), hex(await crypto.subtle.exportKey("raw", made))];
  },
  hkdf: async () => {
    const key = await crypto.subtle.importKey("raw", bytes("password"), "HKDF", false, ["deriveBits"]);
    return hex(await crypto.subtle.deriveBits({ name: "HKDF", hash: "SHA-512", salt: bytes("salt"), info: bytes("info") }, key, 128));
  },
  rsaSigned: async () => {
    const { closed, open } = await rsa("RSASSA-PKCS1-v1_5", ["sign"], ["verify"]);
    const signed = await crypto.subtle.sign("RSASSA-PKCS1-v1_5", closed, bytes("text"));
    const verified = (of: string) => crypto.subtle.verify("RSASSA-PKCS1-v1_5", open, signed, bytes(of));
    return [hex(signed), await verified("text"), await verified("other")];
  },
  rsaPss: async () => {
    const { closed, open } = await rsa("RSA-PSS", ["sign"], ["verify"]);
    const algorithm = { name: "RSA-PSS", saltLength: 32 };
    return crypto.subtle.verify(algorithm, open, await crypto.subtle.sign(algorithm, closed, bytes("text")), bytes("text"));
  },
  rsaOaep: async () => {
    const { closed, open } = await rsa("RSA-OAEP", ["decrypt"], ["encrypt"]);
    const sealed = await crypto.subtle.encrypt("RSA-OAEP", open, bytes("a secret"));
    return [sealed.byteLength, text(await crypto.subtle.decrypt("RSA-OAEP", closed, sealed))];
  },
  rsaFormats: async () => {
    const { closed, open } = await rsa("RSA-PSS", ["sign"], ["verify"]);
    const algorithm = { name: "RSA-PSS", hash: "SHA-256" };
    const der = [await crypto.subtle.exportKey("pkcs8", closed), await crypto.subtle.exportKey("spki", open)];
    const again = await crypto.subtle.importKey("pkcs8", der[0], algorithm, true, ["sign"]);
    const jwk = await crypto.subtle.exportKey("jwk", again);
    const { name, modulusLength, publicExponent } = closed.algorithm as RsaHashedKeyAlgorithm;
    return [...der.map(hex), jwk.n, jwk.d, jwk.qi, name, modulusLength, [...publicExponent], closed.type, open.usages];
  },
  ecdsa: async () => {
    const algorithm = { name: "ECDSA", hash: "SHA-256" };
    const signed = await crypto.subtle.sign(algorithm, await ec(EC_KEY, "ECDSA", ["sign"]), bytes("text"));
    const open = await ec(EC_PUBLIC, "ECDSA", ["verify"]);
    const short = signed.slice(1);
    return [signed.byteLength, await crypto.subtle.verify(algorithm, open, signed, bytes("text")), await crypto.subtle.verify(algorithm, open, short, bytes("text"))];
  },
  ecFormats: async () => {
    const open = await ec(EC_PUBLIC, "ECDSA", ["verify"]);
    const raw = await crypto.subtle.exportKey("raw", open);
    const again = await crypto.subtle.importKey("raw", raw, { name: "ECDSA", namedCurve: "P-256" }, true, ["verify"]);
    const jwk = await crypto.subtle.exportKey("jwk", again);
    return [hex(raw), hex(await crypto.subtle.exportKey("spki", again)), jwk.x === EC_KEY.x, jwk.crv];
  },
  ecdh: async () => {
    const made = (await crypto.subtle.generateKey({ name: "ECDH", namedCurve: "P-256" }, true, ["deriveBits"])) as CryptoKeyPair;
    const one = await crypto.subtle.deriveBits({ name: "ECDH", public: await ec(EC_PUBLIC, "ECDH", []) }, made.privateKey, 256);
    const other = await crypto.subtle.deriveBits({ name: "ECDH", public: made.publicKey }, await ec(EC_KEY, "ECDH", ["deriveBits"]), 256);
    return [hex(one) === hex(other), one.byteLength, made.privateKey.usages, made.publicKey.usages];
  },
  generated: async () => {
    const made = await crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, true, ["encrypt", "decrypt"]);
    const jwk = await crypto.subtle.exportKey("jwk", made as CryptoKey);
    return [jwk.kty, jwk.alg, jwk.k!.length, jwk.key_ops];
  },
  generatedPair: async () => {
    const algorithm = { name: "ECDSA", namedCurve: "P-384" };
    const made = (await crypto.subtle.generateKey(algorithm, false, ["sign", "verify"])) as CryptoKeyPair;
    const signed = await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-384" }, made.privateKey, bytes("x"));
    const right = await crypto.subtle.verify({ name: "ECDSA", hash: "SHA-384" }, made.publicKey, signed, bytes("x"));
    return [right, signed.byteLength, made.privateKey.extractable, made.publicKey.extractable];
  },
  wrapped: async () => {
    const key = await secret("AES-GCM", ["wrapKey", "unwrapKey"]);
    const algorithm = { name: "AES-GCM", iv: bytes("0123456789ab") };
    const inner = await secret("AES-CBC", ["encrypt"]);
    const sealed = await crypto.subtle.wrapKey("raw", inner, key, algorithm);
    const opened = await crypto.subtle.unwrapKey("raw", sealed, key, algorithm, "AES-CBC", true, ["encrypt"]);
    return [hex(sealed), text(await crypto.subtle.exportKey("raw", opened))];
  },
  notExtractable: async () => {
    const key = await crypto.subtle.importKey("raw", bytes("0123456789abcdef"), "AES-GCM", false, ["encrypt"]);
    return crypto.subtle.exportKey("raw", key).catch(() => "refused"); // whose name Node has wrong
  },
  otherUse: async () => crypto.subtle.encrypt({ name: "AES-GCM", iv: bytes("0123456789ab") }, await secret("AES-GCM", ["decrypt"]), bytes("x")),
  otherAlgorithm: async () => crypto.subtle.encrypt({ name: "AES-CBC", iv: new Uint8Array(16) }, await secret("AES-GCM", ["encrypt"]), bytes("x")),
  oddKey: () => crypto.subtle.importKey("raw", bytes("short"), "AES-GCM", true, ["encrypt"]),
  oddDer: () => crypto.subtle.importKey("pkcs8", bytes("no key"), { name: "ECDSA", namedCurve: "P-256" }, true, ["sign"]),
  oddUsage: () => crypto.subtle.importKey("raw", bytes("0123456789abcdef"), "AES-GCM", true, ["sign"]),
  unknown: () => crypto.subtle.generateKey("ROT13" as any, true, ["encrypt"]),
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
    return Response.json(found);
  },
};
