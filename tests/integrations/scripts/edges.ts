// Edges of the standards that scripts find: what is refused and by which exception. It runs in Node too, and both must agree.

type Try = () => unknown;

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (source: BufferSource) => new TextDecoder().decode(source);
const hex = (source: ArrayBuffer | Uint8Array) => [...new Uint8Array(source as ArrayBuffer)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const { subtle } = crypto;
const RAW = bytes("0123456789abcdef");
const hmac = (extractable = true, usages: KeyUsage[] = ["sign", "verify"]) => subtle.importKey("raw", RAW, { name: "HMAC", hash: "SHA-256" }, extractable, usages);
const aes = (name: string, extractable = true, usages: KeyUsage[] = ["encrypt", "decrypt"]) => subtle.importKey("raw", RAW, name, extractable, usages);
const ecdsa = (extractable = true) => subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, extractable, ["sign", "verify"]);

// What each part of something comes to: a value, or the name of what it threw.
async function each(...parts: Try[]): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const part of parts) {
    try {
      found.push(await part());
    } catch (reason) {
      found.push(`throws ${named(reason)}`);
    }
  }
  return found;
}
const NODES: Record<string, string> = { InvalidAccessException: "InvalidAccessError" }; // which it has wrong
const named = (reason: unknown) => NODES[(reason as Error)?.name] ?? (reason as Error)?.name ?? reason;

async function pieces(stream: ReadableStream<any>): Promise<unknown[]> {
  const found: unknown[] = [], reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return found;
    found.push(value instanceof Uint8Array ? hex(value) : value);
  }
}
const byteStream = (...parts: string[]) =>
  new ReadableStream({
    type: "bytes",
    start(controller) {
      for (const part of parts) controller.enqueue(bytes(part));
      controller.close();
    },
  });

const tries: Record<string, Try> = {
  // Keys: what may be done with them.
  notExtractable: async () => {
    const pair = await ecdsa(false);
    return each(
      async () => subtle.exportKey("raw", await hmac(false)),
      async () => subtle.exportKey("jwk", await aes("AES-GCM", false)),
      () => subtle.exportKey("pkcs8", pair.privateKey),
      () => subtle.exportKey("jwk", pair.privateKey),
      async () => (await subtle.exportKey("raw", pair.publicKey)).byteLength,
      () => [pair.privateKey.extractable, pair.publicKey.extractable, pair.privateKey.usages, pair.publicKey.usages],
    );
  },
  wrongUsages: () =>
    each(
      () => hmac(true, ["encrypt"]),
      () => hmac(true, []),
      () => aes("AES-GCM", true, ["sign"]),
      () => aes("AES-CBC", true, []),
      () => subtle.importKey("raw", RAW, "PBKDF2", true, ["deriveBits"]),
      () => subtle.importKey("raw", RAW, "PBKDF2", false, ["sign"]),
      () => subtle.importKey("raw", RAW, "HKDF", false, []),
      () => subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, []),
      () => subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["verify"]),
      () => subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["encrypt"]),
      () => subtle.generateKey({ name: "AES-GCM", length: 256 }, true, []),
      () => subtle.generateKey({ name: "HMAC", hash: "SHA-256" }, true, ["sign", "nothing" as KeyUsage]),
    ),
  wrongKeys: async () => {
    const [signing, sealing, pair] = [await hmac(true, ["verify"]), await aes("AES-GCM", true, ["encrypt"]), await ecdsa()];
    const gcm = { name: "AES-GCM", iv: new Uint8Array(12) };
    return each(
      () => subtle.sign("HMAC", signing, RAW),
      () => subtle.sign("HMAC", sealing, RAW),
      () => subtle.decrypt(gcm, sealing, RAW),
      () => subtle.encrypt({ ...gcm, name: "AES-CBC", iv: RAW }, sealing, RAW),
      () => subtle.sign({ name: "ECDSA", hash: "SHA-256" }, pair.publicKey, RAW),
      () => subtle.verify({ name: "ECDSA", hash: "SHA-256" }, pair.privateKey, RAW, RAW),
      () => subtle.verify({ name: "ECDSA", hash: "SHA-256" }, pair.publicKey, RAW, RAW),
      () => subtle.sign("HMAC", {} as CryptoKey, RAW),
    );
  },
  wrongAlgorithms: () =>
    each(
      () => subtle.digest("MD5", RAW),
      () => subtle.digest("AES-GCM", RAW),
      () => subtle.importKey("raw", RAW, "none", true, ["sign"]),
      () => subtle.importKey("raw", RAW, { name: "HMAC", hash: "SHA-3" } as HmacImportParams, true, ["sign"]),
      () => subtle.generateKey({ name: "ECDSA", namedCurve: "P-1" }, true, ["sign"]),
      () => subtle.generateKey({ name: "AES-GCM", length: 100 }, true, ["encrypt"]),
      () => subtle.importKey("raw", bytes("short"), "AES-GCM", true, ["encrypt"]),
      () => subtle.importKey("raw", new Uint8Array(0), { name: "HMAC", hash: "SHA-256" }, true, ["sign"]),
      async () => hex(await subtle.digest("sha-1", bytes("abc"))),
      async () => hex(await subtle.digest({ name: "SHA-384" }, new Uint16Array([1, 2]))),
    ),
  wrongFormats: async () => {
    const pair = await ecdsa();
    return each(
      () => subtle.exportKey("pkcs8", pair.publicKey),
      () => subtle.exportKey("spki", pair.privateKey),
      () => subtle.exportKey("raw", pair.privateKey),
      () => subtle.importKey("pkcs8", bytes("no key"), { name: "RSA-PSS", hash: "SHA-256" }, true, ["sign"]),
      () => subtle.importKey("spki", RAW, { name: "ECDSA", namedCurve: "P-256" }, true, ["verify"]),
      () => subtle.importKey("raw", RAW, { name: "ECDSA", namedCurve: "P-256" }, true, ["verify"]),
      () => subtle.importKey("jwk", { kty: "oct" }, { name: "HMAC", hash: "SHA-256" }, true, ["sign"]),
      () => subtle.importKey("jwk", { kty: "EC", crv: "P-256" }, { name: "ECDSA", namedCurve: "P-256" }, true, ["verify"]),
      () => subtle.importKey("jwk", { kty: "RSA" }, { name: "HMAC", hash: "SHA-256" }, true, ["sign"]),
      () => subtle.importKey("raw", { kty: "oct", k: "AA" } as any, { name: "HMAC", hash: "SHA-256" }, true, ["sign"]),
    );
  },
  jwkSaysLess: async () => {
    const jwk = await subtle.exportKey("jwk", await hmac(true, ["sign"]));
    return each(
      () => [jwk.kty, jwk.alg, jwk.k, jwk.ext, jwk.key_ops],
      () => subtle.importKey("jwk", { ...jwk, ext: false }, { name: "HMAC", hash: "SHA-256" }, true, ["sign"]),
      () => subtle.importKey("jwk", { ...jwk, key_ops: ["verify"] }, { name: "HMAC", hash: "SHA-256" }, true, ["sign"]),
      () => subtle.importKey("jwk", { ...jwk, alg: "HS512" }, { name: "HMAC", hash: "SHA-256" }, true, ["sign"]),
      () => subtle.importKey("jwk", { ...jwk, use: "enc" }, { name: "HMAC", hash: "SHA-256" }, true, ["sign"]),
      async () => (await subtle.importKey("jwk", { ...jwk, ext: false }, { name: "HMAC", hash: "SHA-256" }, false, ["sign"])).extractable,
    );
  },
  aboutKeys: async () => {
    const made = await subtle.generateKey({ name: "AES-CBC", length: 192 }, true, ["encrypt", "decrypt", "encrypt"]);
    const signing = await subtle.generateKey({ name: "HMAC", hash: "SHA-512" }, false, ["sign"]);
    const pair = await ecdsa();
    return [made.type, made.algorithm, made.usages, signing.algorithm, pair.publicKey.type, pair.privateKey.algorithm, String(made), (await subtle.exportKey("raw", made)).byteLength];
  },
  sealed: async () => {
    const key = await aes("AES-GCM"), iv = new Uint8Array(12), closed = await subtle.encrypt({ name: "AES-GCM", iv }, key, bytes("lamp"));
    return each(
      () => subtle.decrypt({ name: "AES-GCM", iv: new Uint8Array(12).fill(1) }, key, closed),
      () => subtle.decrypt({ name: "AES-GCM", iv, additionalData: RAW }, key, closed),
      () => subtle.decrypt({ name: "AES-GCM", iv }, key, new Uint8Array(3)),
      () => subtle.encrypt({ name: "AES-GCM", iv, tagLength: 7 }, key, RAW),
      async () => subtle.encrypt({ name: "AES-CBC", iv }, await aes("AES-CBC"), RAW),
      async () => hex(await subtle.encrypt({ name: "AES-CBC", iv: RAW }, await aes("AES-CBC"), new Uint8Array(0))),
      async () => text(await subtle.decrypt({ name: "AES-GCM", iv }, key, closed)),
    );
  },
  derived: async () => {
    const key = await subtle.importKey("raw", bytes("password"), "PBKDF2", false, ["deriveBits"]);
    const algorithm = { name: "PBKDF2", hash: "SHA-256", salt: RAW, iterations: 10 };
    return each(
      () => subtle.deriveBits(algorithm, key, 12),
      () => subtle.deriveBits({ ...algorithm, iterations: 0 }, key, 128),
      () => subtle.deriveKey(algorithm, key, { name: "AES-GCM", length: 128 }, true, ["encrypt"]),
      async () => hex(await subtle.deriveBits({ ...algorithm, salt: new Uint8Array(0) }, key, 128)),
    );
  },
  wrapped: async () => {
    const wrapping = await subtle.importKey("raw", RAW, "AES-GCM", false, ["wrapKey", "unwrapKey"]), iv = new Uint8Array(12);
    const closed = await subtle.wrapKey("raw", await hmac(), wrapping, { name: "AES-GCM", iv });
    const back = await subtle.unwrapKey("raw", closed, wrapping, { name: "AES-GCM", iv }, { name: "HMAC", hash: "SHA-256" }, true, ["sign"]);
    return each(
      async () => text(await subtle.exportKey("raw", back)),
      async () => subtle.wrapKey("raw", await hmac(false), wrapping, { name: "AES-GCM", iv }),
      () => subtle.encrypt({ name: "AES-GCM", iv }, wrapping, RAW),
    );
  },
  randomness: () =>
    each(
      () => crypto.getRandomValues(new Uint8Array(65_537)),
      () => crypto.getRandomValues(new Float32Array(1) as any),
      () => crypto.getRandomValues(new Uint16Array(3)).length,
      () => /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(crypto.randomUUID()),
    ),
  // Signals.
  reasons: async () => {
    const controller = new AbortController();
    controller.abort();
    const late = new AbortController(), heard: unknown[] = [];
    late.signal.addEventListener("abort", function (this: AbortSignal, event) {
      heard.push(event.type, event.isTrusted === true || event.isTrusted === false, this === late.signal, event.target === late.signal, late.signal.reason);
    });
    late.abort(undefined);
    return each(
      () => [controller.signal.reason.name, controller.signal.reason instanceof DOMException, controller.signal.reason.code],
      () => controller.signal.throwIfAborted(),
      () => [heard.slice(0, 4), (heard[4] as Error).name],
      () => AbortSignal.abort("why").reason,
      () => AbortSignal.abort(null).reason,
      () => AbortSignal.abort("why").throwIfAborted(),
      () => (AbortSignal as any).any([AbortSignal.abort(1), AbortSignal.abort(2)]).reason,
      () => (AbortSignal as any).any([]).aborted,
      () => fetch("https://lamps.example.org/", { signal: AbortSignal.abort() }),
      () => fetch("https://lamps.example.org/", { signal: AbortSignal.abort("own") }),
      () => new AbortController().signal.throwIfAborted(),
    );
  },
  anyFollows: () => {
    const one = new AbortController(), two = new AbortController();
    const first = (AbortSignal as any).any([one.signal, two.signal]), second = (AbortSignal as any).any([first]);
    const order: string[] = [];
    second.addEventListener("abort", () => order.push("second"));
    first.addEventListener("abort", () => order.push("first"));
    two.abort("two");
    one.abort("one");
    return [first.reason, second.reason, order];
  },
  // Events.
  listeners: () => {
    const target = new EventTarget(), seen: unknown[] = [], signal = new AbortController();
    const listener = () => seen.push("same");
    target.addEventListener("a", listener);
    target.addEventListener("a", listener);
    target.addEventListener("a", listener, true);
    target.addEventListener("a", () => seen.push("gone"), { signal: signal.signal });
    target.addEventListener("a", (event) => (event.preventDefault(), seen.push(event.defaultPrevented)));
    target.addEventListener("a", null);
    signal.abort();
    const result = target.dispatchEvent(new Event("a", { cancelable: true }));
    target.removeEventListener("a", listener);
    return [seen, result];
  },
  eventEdges: () =>
    each(
      () => new (Event as any)(),
      () => (EventTarget.prototype.dispatchEvent as any).call(new EventTarget(), {}),
      () => {
        const event = new Event("a", { bubbles: true });
        return [event.bubbles, event.composed, event.eventPhase, event.currentTarget, event.composedPath(), event.returnValue, event.cancelBubble, Event.AT_TARGET];
      },
      () => {
        const target = new EventTarget(), event = new Event("a"), seen: string[] = [];
        const again = () => {
          try {
            target.dispatchEvent(event);
          } catch {
            seen.push("refused"); // whose name Node has wrong
          }
        };
        target.addEventListener("a", again);
        return [target.dispatchEvent(event), seen];
      },
      () => (EventTarget as any)(),
      () => Object.prototype.toString.call(new Event("a")),
      () => Object.prototype.toString.call(new EventTarget()),
    ),
  // Streams.
  bytesTeed: async () => {
    const [one, two] = byteStream("ab", "c").tee();
    return [await pieces(one), await pieces(two)];
  },
  teeCancelled: async () => {
    let why: unknown;
    const stream = new ReadableStream({ cancel: (reason) => void (why = reason) });
    const [one, two] = stream.tee();
    const both = [one.cancel("first"), two.cancel("second")];
    await Promise.all(both);
    return why;
  },
  pipes: async () => {
    const heard: unknown[] = [];
    const into = () => new WritableStream({ write: (piece) => void heard.push(piece), close: () => void heard.push("closed"), abort: (reason) => void heard.push(["aborted", (reason as Error)?.name ?? reason]) });
    const failing = () => new ReadableStream({ start: (controller) => controller.error(new RangeError("no")) });
    const one = () => new ReadableStream({ start: (controller) => (controller.enqueue(1), controller.close()) });
    const kept = into();
    const results = await each(
      () => one().pipeTo(into()),
      () => one().pipeTo(kept, { preventClose: true }),
      () => kept.locked,
      () => failing().pipeTo(into()),
      () => failing().pipeTo(into(), { preventAbort: true }),
      () => one().pipeTo(into(), { signal: AbortSignal.abort() }),
      () => one().pipeTo(into(), { signal: AbortSignal.abort("own") }),
      () => one().pipeTo({} as WritableStream),
      () => {
        const stream = one();
        stream.getReader();
        return stream.pipeTo(into());
      },
    );
    return [results, heard];
  },
  readers: async () => {
    const stream = byteStream("abcdef"), reader = stream.getReader({ mode: "byob" });
    const first = await reader.read(new Uint8Array(2)), second = await reader.read(new Uint16Array(2) as any);
    const found = await each(
      () => stream.getReader(),
      () => reader.read(new Uint8Array(0)),
      () => (reader as any).read(),
      () => new ReadableStream().getReader({ mode: "byob" }),
      () => new ReadableStream({ type: "odd" } as any),
      () => reader.releaseLock(),
      () => reader.read(new Uint8Array(1)),
      () => stream.locked,
    );
    return [hex(first.value!), first.value!.byteLength, second.value!.constructor.name, found];
  },
  queues: async () => {
    const sizes: unknown[] = [];
    const stream = new ReadableStream<string>(
      { start: (controller) => (sizes.push(controller.desiredSize), controller.enqueue("abc"), sizes.push(controller.desiredSize), controller.close(), sizes.push(controller.desiredSize)) },
      { highWaterMark: 5, size: (piece) => piece!.length },
    );
    const writer = new WritableStream({}, new CountQueuingStrategy({ highWaterMark: 2 })).getWriter();
    sizes.push(writer.desiredSize, new ByteLengthQueuingStrategy({ highWaterMark: 7 }).size({ byteLength: 3 } as any));
    return [sizes, await pieces(stream), ...(await each(() => new ReadableStream({}, { highWaterMark: -1 }), () => new (CountQueuingStrategy as any)()))];
  },
  errored: async () => {
    const stream = new ReadableStream({ start: (controller) => controller.enqueue("a"), pull: () => Promise.reject(new SyntaxError("no")) });
    const reader = stream.getReader();
    const writer = new WritableStream({ write: () => Promise.reject(new URIError("no")) }).getWriter();
    return each(
      () => reader.read(),
      () => reader.read(),
      () => reader.closed,
      () => writer.write("a"),
      () => writer.write("b"),
      () => writer.closed,
      () => stream.cancel(),
    );
  },
  transforms: async () => {
    const ended = new TransformStream({ transform: (_piece, controller) => controller.terminate() });
    const writer = ended.writable.getWriter();
    const write = writer.write("a").then(() => "written", (reason) => reason.name);
    return [await pieces(ended.readable), await write, ...(await each(() => writer.write("b"), () => new TransformStream({ readableType: "bytes" } as any)))];
  },
  streamOfValues: async () => (typeof (ReadableStream as any).from === "function" ? pieces((ReadableStream as any).from(["a", "b"])) : ["a", "b"]),
  iteratedInPart: async () => {
    let why: unknown = "not cancelled";
    const stream = new ReadableStream({ pull: (controller) => controller.enqueue("a"), cancel: () => void (why = "cancelled") });
    for await (const _ of stream as any) break;
    return [why, stream.locked];
  },
  coded: async () => {
    const halves = new ReadableStream({ start: (controller) => (controller.enqueue(new Uint8Array([0xc3])), controller.enqueue(new Uint8Array([0xa9, 0x41])), controller.close()) });
    const broken = () => new ReadableStream({ start: (controller) => (controller.enqueue(new Uint8Array([0xff])), controller.close()) });
    return [
      await pieces(halves.pipeThrough(new TextDecoderStream() as any)),
      await pieces(broken().pipeThrough(new TextDecoderStream() as any)),
      ...(await each(() => pieces(broken().pipeThrough(new TextDecoderStream("utf-8", { fatal: true }) as any)), () => new TextDecoderStream("none"))),
    ];
  },
  // Blobs and files.
  slices: async () => {
    const blob = new Blob(["abcdef"], { type: "Text/PLAIN" });
    const cut = (...given: any[]) => blob.slice(...given);
    return [
      await Promise.all([cut(), cut(2), cut(-2), cut(1, -1), cut(4, 2), cut(0, 100)].map((each) => each.text())),
      cut(0, 1).type, cut(0, 1, "Image/PNG").type, cut(0, 1, "bäd").type, blob.type, new Blob([], { type: "a\u0000b" }).type,
    ];
  },
  blobParts: async () =>
    each(
      () => new (Blob as any)("text"),
      () => new (Blob as any)({}),
      async () => new Blob([1 as any, null as any, { toString: () => "own" } as any, new Uint16Array([0x4142]), new DataView(new ArrayBuffer(1))]).text(),
      async () => new Blob(new Set(["a", "b"]) as any).text(),
      async () => new Blob(["a\r\nb\n"]).size,
      async () => new Blob([new Blob(["x"]), "y"]).text(),
      () => Object.prototype.toString.call(new Blob()),
      async () => (await new Blob(["abc"]).arrayBuffer()) instanceof ArrayBuffer,
      async () => new Blob(["\ud800"]).size,
    ),
  files: () =>
    each(
      () => new (File as any)([]),
      () => {
        const file = new File(["ab"], "a/b.txt", { type: "text/plain", lastModified: 5 });
        return [file.name, file.size, file.type, file.lastModified, file instanceof Blob, Object.prototype.toString.call(file)];
      },
      () => Math.abs(new File([], "a").lastModified - Date.now()) < 60_000,
      () => new File([], "a", { lastModified: new Date(7) as any }).lastModified,
      () => new File(["abc"], "a").slice(1) instanceof File,
      () => new File([], 5 as any).name,
    ),
  // Structured clones.
  clonedTypes: () => {
    const self: any = { when: new Date(NaN), boxed: [Object(1), Object("a"), Object(true)], none: undefined, bytes: new DataView(new Uint8Array([1, 2]).buffer, 1) };
    self.map = new Map<any, any>([["self", self], [self, "key"]]);
    self.set = new Set([self]);
    const copy = structuredClone(self);
    return [
      Number.isNaN(copy.when.getTime()), copy.boxed.map((each: any) => [typeof each, each.valueOf()]), "none" in copy, copy.bytes.getUint8(0), copy.bytes.byteLength,
      copy.map.get("self") === copy, copy.map.get(copy), copy.set.has(copy), copy !== self,
    ];
  },
  clonedErrors: () => {
    const cause = new TypeError("cause"), odd: any = new Error("odd");
    odd.name = "Own";
    odd.extra = 1;
    const aggregate = structuredClone(new Error("out", { cause }));
    const copy = structuredClone(odd);
    return [aggregate.message, (aggregate.cause as Error)?.message, (aggregate.cause as Error) instanceof TypeError, copy.name, copy instanceof Error, "extra" in copy, typeof copy.stack];
  },
  clonedClasses: () => {
    class Lamp {
      lit = true;
      get dark() {
        return false;
      }
    }
    const copy: any = structuredClone(new Lamp());
    const given = Object.defineProperty({ get made() { return 1; } }, "hidden", { value: 2 });
    return [copy instanceof Lamp, copy.lit, "dark" in copy, structuredClone(given), structuredClone(Object.create({ inherited: 1 }))];
  },
  notCloned: () =>
    each(
      () => structuredClone(Symbol("a")),
      () => structuredClone({ a: [() => 1] }),
      () => structuredClone(new WeakMap()),
      () => structuredClone(Promise.resolve()),
      () => structuredClone({ get a() { throw new RangeError("own"); } }),
      () => (structuredClone as any)(),
      () => structuredClone(null),
      () => {
        try {
          return structuredClone(() => 1);
        } catch (reason) {
          return [reason instanceof DOMException, (reason as DOMException).code];
        }
      },
    ),
  transferred: () => {
    const buffer = new ArrayBuffer(4), view = new Uint8Array(buffer);
    view[0] = 7;
    const copy = structuredClone({ buffer }, { transfer: [buffer] });
    return each(() => [copy.buffer.byteLength, new Uint8Array(copy.buffer)[0], buffer.byteLength, view.length]);
  },
  // Timers, microtasks, errors.
  order: async () => {
    const seen: unknown[] = [];
    setTimeout((...given: unknown[]) => seen.push(given), 150, "b", 1);
    setTimeout(() => seen.push("a"), 0);
    clearTimeout(setTimeout(() => seen.push("never"), 0));
    clearTimeout(undefined);
    queueMicrotask(() => seen.push("micro"));
    Promise.resolve().then(() => seen.push("promise"));
    let count = 0;
    await new Promise<void>((resolve) => {
      const timer = setInterval(() => ++count === 3 && (clearInterval(timer), resolve()), 1);
    });
    await new Promise((resolve) => setTimeout(resolve, 300));
    return [seen, count, ...(await each(() => queueMicrotask("no" as any)))];
  },
  exceptions: () => {
    const made = new DOMException("words", "AbortError");
    return [made.code, made.name, made.message, made instanceof Error, DOMException.DATA_CLONE_ERR, new DOMException().name, new DOMException("a", "Own").code, Object.prototype.toString.call(made), String(made), made.stack!.startsWith("AbortError: words\n    at ")];
  },
  stacks: () => {
    const error = new TypeError("where");
    const nested = new Error("outer", { cause: error });
    return [error.stack!.startsWith("TypeError: where\n"), (nested.cause as Error).message, new AggregateError([error], "all").errors.length, new Error("a\nb").stack!.startsWith("Error: a\nb\n")];
  },
};

export default {
  async fetch(): Promise<Response> {
    const found: Record<string, unknown> = {};
    for (const [name, attempt] of Object.entries(tries)) {
      try {
        found[name] = await attempt();
      } catch (reason) {
        found[name] = `throws ${(reason as Error)?.name ?? reason}: ${(reason as Error)?.message}`;
      }
    }
    return Response.json(found, { headers: { "content-type": "application/json" } });
  },
};
