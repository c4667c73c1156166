// crypto: randomness, digests and HMAC, all computed outside the sandbox.

const HASHES = { "SHA-1": 64, "SHA-256": 64, "SHA-384": 128, "SHA-512": 128 }; // and the sizes of their blocks

function hashed(algorithm) {
  const name = String(typeof algorithm === "object" ? algorithm?.name : algorithm).toUpperCase();
  if (!Object.hasOwn(HASHES, name)) throw new DOMException(`The hash ${name} is not here.`, "NotSupportedError");
  return name;
}

function hmac(algorithm) {
  const name = String(typeof algorithm === "object" ? algorithm?.name : algorithm).toUpperCase();
  if (name !== "HMAC") throw new DOMException(`The algorithm ${name} is not here.`, "NotSupportedError");
  return algorithm;
}

const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const random = (size) => host(MESSAGE.random + size);

class CryptoKey {
  #secret;
  #hash;
  #extractable;
  #usages;
  constructor(secret, hash, extractable, usages) {
    this.#secret = secret;
    this.#hash = hash;
    this.#extractable = Boolean(extractable);
    this.#usages = [...usages];
  }
  get type() {
    return "secret";
  }
  get algorithm() {
    return { name: "HMAC", hash: { name: this.#hash }, length: this.#secret.length * 8 };
  }
  get extractable() {
    return this.#extractable;
  }
  get usages() {
    return [...this.#usages];
  }
  static sign(key, usage, data) {
    if (!key.#usages.includes(usage)) throw new DOMException(`The key may not ${usage}.`, "InvalidAccessError");
    const secret = key.#secret;
    const size = new Uint8Array([secret.length >> 8, secret.length & 255]);
    return host(MESSAGE.hmac + key.#hash, joined([size, secret, viewed(data)]));
  }
  static secret(key) {
    if (!key.#extractable) throw new DOMException("The key may not be exported.", "InvalidAccessError");
    return key.#secret.slice();
  }
}
const signWith = CryptoKey.sign;
const secretOf = CryptoKey.secret;
delete CryptoKey.sign;
delete CryptoKey.secret;

function keyed(source, algorithm, extractable, usages) {
  const secret = copied(source);
  if (!secret.length) throw new DOMException("The key is empty.", "DataError");
  if (secret.length > 65535) throw new DOMException("The key is too long.", "DataError");
  return new CryptoKey(secret, hashed(algorithm.hash), extractable, usages);
}

const subtle = {
  async digest(algorithm, data) {
    return host(MESSAGE.digest + hashed(algorithm), viewed(data)).buffer;
  },
  async importKey(format, source, algorithm, extractable, usages) {
    hmac(algorithm);
    if (format === "jwk") {
      const bytes = atob(source.k.replaceAll("-", "+").replaceAll("_", "/"));
      return keyed(Uint8Array.from(bytes, (character) => character.charCodeAt(0)), algorithm, extractable, usages);
    }
    if (format !== "raw") throw new DOMException(`Keys cannot be read as ${format}.`, "NotSupportedError");
    return keyed(source, algorithm, extractable, usages);
  },
  async exportKey(format, key) {
    if (format !== "raw") throw new DOMException(`Keys cannot be written as ${format}.`, "NotSupportedError");
    return secretOf(key).buffer;
  },
  async generateKey(algorithm, extractable, usages) {
    const size = hmac(algorithm).length / 8 || HASHES[hashed(algorithm.hash)];
    return keyed(random(size), algorithm, extractable, usages);
  },
  async sign(algorithm, key, data) {
    hmac(algorithm);
    return signWith(key, "sign", data).buffer;
  },
  async verify(algorithm, key, signature, data) {
    hmac(algorithm);
    const [right, given] = [signWith(key, "verify", data), viewed(signature)];
    let difference = right.length ^ given.length;
    for (let at = 0; at < right.length; at++) difference |= right[at] ^ given[at];
    return difference === 0;
  },
};

const crypto = {
  subtle,
  getRandomValues(array) {
    if (!ArrayBuffer.isView(array) || array instanceof DataView) throw new TypeError("Expected a typed array of integers.");
    if (array.byteLength > 65536) throw new DOMException("At most 65536 bytes at once.", "QuotaExceededError");
    viewed(array).set(random(array.byteLength));
    return array;
  },
  randomUUID() {
    const bytes = random(16);
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    const text = hex(bytes);
    return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join("-");
  },
};

// The engine seeds its generator when it starts, and every call starts from the same image: a new seed is needed.
let state = null;
function mathRandom() {
  state ??= new Uint32Array(random(16).buffer);
  let [a, b, c, d] = state;
  const mixed = (a ^ (a << 11)) >>> 0;
  state.set([b, c, d, (d ^ (d >>> 19) ^ mixed ^ (mixed >>> 8)) >>> 0]);
  return (state[3] * 2097152 + (state[2] >>> 11)) / 9007199254740992;
}
Object.defineProperty(Math, "random", { value: mathRandom, writable: true, configurable: true });
