// crypto: randomness, and crypto.subtle. Everything is computed outside the sandbox; a key is its bytes in here.

const HASHES = { "SHA-1": 64, "SHA-256": 64, "SHA-384": 128, "SHA-512": 128 }; // and the sizes of their blocks
const AES = ["AES-GCM", "AES-CBC", "AES-CTR", "AES-KW"];
const RSA = ["RSASSA-PKCS1-v1_5", "RSA-PSS", "RSA-OAEP"];
const EC = ["ECDSA", "ECDH"];
const ALGORITHMS = [...Object.keys(HASHES), "HMAC", ...AES.slice(0, 3), ...RSA, ...EC, "Ed25519", "PBKDF2", "HKDF"];
const USES = {
  HMAC: ["sign", "verify"],
  AES: ["encrypt", "decrypt", "wrapKey", "unwrapKey"],
  PBKDF2: ["deriveKey", "deriveBits"],
  HKDF: ["deriveKey", "deriveBits"],
  "RSA-OAEP": { private: ["decrypt", "unwrapKey"], public: ["encrypt", "wrapKey"] },
  ECDH: { private: ["deriveKey", "deriveBits"], public: [] },
  signing: { private: ["sign"], public: ["verify"] },
};

const wrong = (name, message) => new DOMException(message, name);
const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const random = (size) => host(MESSAGE.random + size);

// An algorithm as a script names it, with its name in the standard's spelling.
function algorithmOf(given) {
  const asked = typeof given === "string" ? { name: given } : { ...given };
  const name = ALGORITHMS.find((known) => known.toLowerCase() === String(asked.name).toLowerCase());
  if (!name) throw wrong("NotSupportedError", `The algorithm ${asked.name} is not here.`);
  return { ...asked, name };
}

function hashOf(given) {
  const { name } = algorithmOf(given ?? "");
  if (!Object.hasOwn(HASHES, name)) throw wrong("NotSupportedError", `${name} is no hash.`);
  return name;
}

function usable(name, type) {
  const uses = USES[name] ?? (AES.includes(name) ? USES.AES : USES.signing);
  return Array.isArray(uses) ? uses : uses[type];
}

const USAGES = ["encrypt", "decrypt", "sign", "verify", "deriveKey", "deriveBits", "wrapKey", "unwrapKey"];

// Usages as a script gives them. Those that a key cannot have are refused where it is made.
function usagesOf(given) {
  const usages = [...given].map(String);
  const odd = usages.find((usage) => !USAGES.includes(usage));
  if (odd !== undefined) throw new TypeError(`There is no usage ${odd}.`);
  return usages;
}

class CryptoKey {
  #bytes;
  #type;
  #algorithm;
  #extractable;
  #usages;
  constructor(mark, bytes, type, algorithm, extractable, usages) {
    if (mark !== making) throw new TypeError("Illegal constructor");
    const allowed = usable(algorithm.name, type);
    const odd = [...usages].find((usage) => !allowed.includes(usage));
    if (odd !== undefined) throw new DOMException(`Such a key cannot be used to ${odd}.`, "SyntaxError");
    if (type !== "public" && !usages.length) throw new DOMException("The key has no usages.", "SyntaxError");
    this.#bytes = bytes;
    this.#type = type;
    this.#algorithm = algorithm;
    this.#extractable = Boolean(extractable);
    this.#usages = [...new Set(usages)];
  }
  get type() {
    return this.#type;
  }
  get algorithm() {
    return structuredClone(this.#algorithm);
  }
  get extractable() {
    return this.#extractable;
  }
  get usages() {
    return [...this.#usages];
  }
  get [Symbol.toStringTag]() {
    return "CryptoKey";
  }
  static inside(key) {
    return { bytes: key.#bytes, type: key.#type, algorithm: key.#algorithm, usages: key.#usages };
  }
}
const making = Symbol("made here");
const insideKey = CryptoKey.inside;
delete CryptoKey.inside;
const newKey = (...parts) => new CryptoKey(making, ...parts);

// What the host makes of some parts; see subtle.py.
function computed(operation, parameters, ...parts) {
  const sizes = parts.map((part) => part.length);
  const said = host(MESSAGE.subtle + JSON.stringify({ operation, ...parameters, sizes }), joined(parts));
  if (typeof said !== "string") return said;
  const [name, message] = cut(said, ":");
  throw wrong(name, message);
}

const whole = (bytes) => (bytes.byteLength === bytes.buffer.byteLength ? bytes.buffer : bytes.slice().buffer);

function used(key, algorithm, usage) {
  if (!(key instanceof CryptoKey)) throw new TypeError("Expected a CryptoKey.");
  const held = insideKey(key);
  if (held.algorithm.name !== algorithm.name) throw wrong("InvalidAccessError", `The key is not for ${algorithm.name}.`);
  if (!held.usages.includes(usage)) throw wrong("InvalidAccessError", `The key may not ${usage}.`);
  return held;
}

// The parameters of one use of a key, and the parts that belong to them.
function usedWith(algorithm, held) {
  const { name } = algorithm;
  const hash = held.algorithm.hash?.name ?? (algorithm.hash && hashOf(algorithm.hash));
  const none = new Uint8Array(0);
  if (name === "RSA-OAEP") return [{ name, hash }, algorithm.label ? viewed(algorithm.label) : none];
  if (name === "AES-GCM") {
    const additional = algorithm.additionalData ? viewed(algorithm.additionalData) : none;
    return [{ name, tagLength: algorithm.tagLength ?? 128 }, viewed(algorithm.iv), additional];
  }
  if (name === "AES-CBC" && viewed(algorithm.iv).length !== 16) throw wrong("OperationError", "The iv must have 16 bytes.");
  if (name === "AES-CBC") return [{ name }, viewed(algorithm.iv)];
  if (name === "AES-CTR") return [{ name }, viewed(algorithm.counter)];
  return [{ name, hash, saltLength: algorithm.saltLength }];
}

function enciphered(operation, given, key, data, usage) {
  const algorithm = algorithmOf(given);
  const held = used(key, algorithm, usage);
  const [parameters, ...parts] = usedWith(algorithm, held);
  return whole(computed(operation, parameters, held.bytes, viewed(data), ...parts));
}

function derived(given, key, length, usage) {
  const algorithm = algorithmOf(given);
  const held = used(key, algorithm, usage);
  const { name } = algorithm;
  if (name !== "ECDH" && (!length || length % 8)) throw wrong("OperationError", "The length must be a multiple of 8.");
  if (name === "PBKDF2" && !(algorithm.iterations > 0)) throw wrong("OperationError", "There must be an iteration.");
  if (name === "ECDH") {
    if (!(algorithm.public instanceof CryptoKey)) throw new TypeError("Expected a public CryptoKey.");
    return whole(computed("deriveBits", { name, length: length ?? null }, held.bytes, insideKey(algorithm.public).bytes));
  }
  const parameters = { name, length, hash: hashOf(algorithm.hash), iterations: algorithm.iterations };
  const info = name === "HKDF" ? [viewed(algorithm.info)] : [];
  return whole(computed("deriveBits", parameters, held.bytes, viewed(algorithm.salt), ...info));
}

const base64url = (bytes) =>
  btoa(latin1(bytes)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
function unbase64url(text) {
  if (typeof text !== "string" || !/^[\w-]*$/.test(text) || text.length % 4 === 1) throw wrong("DataError", "The key is not base64url.");
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));
}

// The name that JSON Web Keys have for an algorithm, where there is one.
function secretName({ name, hash }, size) {
  if (name === "HMAC") return `HS${hashOf(hash).slice(4)}`;
  return AES.includes(name) ? `A${size * 8}${name.slice(4)}` : undefined;
}

function pairName({ name, namedCurve, hash }) {
  const bits = RSA.includes(name) ? hashOf(hash).slice(4) : "";
  if (name === "ECDSA") return { "P-256": "ES256", "P-384": "ES384", "P-521": "ES512" }[namedCurve];
  return { "RSASSA-PKCS1-v1_5": `RS${bits}`, "RSA-PSS": `PS${bits}`, "RSA-OAEP": bits === "1" ? "RSA-OAEP" : `RSA-OAEP-${bits}` }[name];
}

// What a JSON Web Key says of its use must allow what a script wants.
function checkJwk({ alg, use, key_ops: operations, ext }, { name }, extractable, usages, known) {
  const purpose = name === "HMAC" || usable(name, "public").includes("verify") ? "sig" : "enc";
  if (alg !== undefined && known !== undefined && alg !== known) throw wrong("DataError", `The key is for ${alg}.`);
  if (use !== undefined && usages.length && use !== purpose) throw wrong("DataError", `The key is for the use ${use}.`);
  if (operations !== undefined && !usages.every((usage) => operations.includes(usage))) throw wrong("DataError", "The key is not for these usages.");
  if (ext === false && extractable) throw wrong("DataError", "The key may not be exported.");
}

function importedSecret(format, source, algorithm, extractable, usages) {
  const { name } = algorithm;
  if (format !== "raw" && (format !== "jwk" || source.kty !== "oct")) {
    throw wrong(format === "jwk" ? "DataError" : "NotSupportedError", `Such keys cannot be read as ${format}.`);
  }
  if (format === "jwk") checkJwk(source, algorithm, extractable, usages, secretName(algorithm, unbase64url(source.k).length));
  const bytes = format === "jwk" ? unbase64url(source.k) : copied(source);
  if (AES.includes(name)) {
    if (![16, 24, 32].includes(bytes.length)) throw wrong("DataError", "An AES key has 128, 192 or 256 bits.");
    return newKey(bytes, "secret", { name, length: bytes.length * 8 }, extractable, usages);
  }
  if (name === "HMAC") {
    if (!bytes.length) throw wrong("DataError", "The key is empty.");
    return newKey(bytes, "secret", { name, hash: { name: hashOf(algorithm.hash) }, length: bytes.length * 8 }, extractable, usages);
  }
  if (extractable) throw new DOMException("Such keys cannot be exported.", "SyntaxError");
  return newKey(bytes, "secret", { name }, false, usages);
}

function importedPair(format, source, algorithm, extractable, usages) {
  const { name, namedCurve } = algorithm;
  if (format === "jwk") checkJwk(source, algorithm, extractable, usages, pairName(algorithm));
  const data = format === "jwk" ? encode(JSON.stringify(source)) : viewed(source);
  const [facts, bytes] = lined(computed("importKey", { format, name, namedCurve }, data));
  const { type, modulusLength, publicExponent } = JSON.parse(facts);
  return newKey(bytes, type, described(algorithm, modulusLength, publicExponent), extractable, usages);
}

function described({ name, namedCurve, hash }, modulusLength, publicExponent) {
  if (!RSA.includes(name)) return EC.includes(name) ? { name, namedCurve } : { name };
  return { name, modulusLength, publicExponent: Uint8Array.from(publicExponent), hash: { name: hashOf(hash) } };
}

// The first line of some bytes, and what follows it.
function lined(bytes) {
  const end = bytes.indexOf(10);
  return [decode(bytes.subarray(0, end)), bytes.slice(end + 1)];
}

const isSecret = (name) => name === "HMAC" || AES.includes(name) || name === "PBKDF2" || name === "HKDF";
const lengthOf = (algorithm) => algorithm.length ?? (algorithm.name === "HMAC" ? HASHES[hashOf(algorithm.hash)] * 8 : undefined);

function jwkOf(key, { bytes, type, algorithm, usages }) {
  const about = { key_ops: usages, ext: true };
  const named = RSA.includes(algorithm.name) ? { alg: pairName(algorithm) } : {};
  if (type !== "secret") return { ...named, ...JSON.parse(decode(computed("exportKey", { format: "jwk", name: algorithm.name, type }, bytes))), ...about };
  return { kty: "oct", k: base64url(bytes), alg: secretName(algorithm, bytes.length), ...about };
}

class SubtleCrypto {
  async digest(algorithm, data) {
    return whole(host(MESSAGE.digest + hashOf(algorithm), viewed(data)));
  }
  async sign(given, key, data) {
    const algorithm = algorithmOf(given);
    const held = used(key, algorithm, "sign");
    return whole(computed("sign", usedWith(algorithm, held)[0], held.bytes, viewed(data)));
  }
  async verify(given, key, signature, data) {
    const algorithm = algorithmOf(given);
    const held = used(key, algorithm, "verify");
    return computed("verify", usedWith(algorithm, held)[0], held.bytes, viewed(signature), viewed(data))[0] === 1;
  }
  async encrypt(algorithm, key, data) {
    return enciphered("encrypt", algorithm, key, data, "encrypt");
  }
  async decrypt(algorithm, key, data) {
    return enciphered("decrypt", algorithm, key, data, "decrypt");
  }
  async deriveBits(algorithm, key, length) {
    return derived(algorithm, key, length, "deriveBits");
  }
  async deriveKey(algorithm, key, wanted, extractable, usages) {
    const asked = algorithmOf(wanted);
    return this.importKey("raw", derived(algorithm, key, lengthOf(asked), "deriveKey"), asked, extractable, usages);
  }
  async generateKey(given, extractable, wanted) {
    const algorithm = algorithmOf(given);
    const usages = usagesOf(wanted);
    const length = isSecret(algorithm.name) ? lengthOf(algorithm) : 0;
    if (AES.includes(algorithm.name) && ![128, 192, 256].includes(length)) throw wrong("OperationError", "An AES key has 128, 192 or 256 bits.");
    if (algorithm.name === "HMAC" && !(length > 0)) throw wrong("OperationError", "The key would be empty.");
    if (isSecret(algorithm.name)) return importedSecret("raw", random(Math.ceil(length / 8)), algorithm, extractable, usages);
    const { name, namedCurve, modulusLength, publicExponent } = algorithm;
    const made = computed("generateKey", { name, namedCurve, modulusLength }, RSA.includes(name) ? viewed(publicExponent) : new Uint8Array(0));
    const [size, both] = lined(made);
    const told = described(algorithm, modulusLength, publicExponent ?? []);
    const [opening, closing] = ["private", "public"].map((type) => usages.filter((usage) => usable(name, type).includes(usage)));
    return {
      privateKey: newKey(both.slice(0, Number(size)), "private", told, extractable, opening),
      publicKey: newKey(both.slice(Number(size)), "public", told, true, closing),
    };
  }
  async importKey(format, source, given, extractable, wanted) {
    const algorithm = algorithmOf(given);
    const usages = usagesOf(wanted);
    if ((format === "jwk") === (ArrayBuffer.isView(source) || source instanceof ArrayBuffer)) throw new TypeError(`This is no key as ${format}.`);
    return (isSecret(algorithm.name) ? importedSecret : importedPair)(format, source, algorithm, extractable, usages);
  }
  async exportKey(format, key) {
    if (!key.extractable) throw wrong("InvalidAccessError", "The key may not be exported.");
    const held = insideKey(key);
    if (format === "jwk") return jwkOf(key, held);
    const formats = { secret: ["raw"], private: ["pkcs8"], public: RSA.includes(held.algorithm.name) ? ["spki"] : ["spki", "raw"] };
    const others = held.type === "secret" ? [] : Object.values(formats).flat();
    if (!formats[held.type].includes(format) && others.includes(format) && (format !== "raw" || EC.includes(held.algorithm.name))) {
      throw wrong("InvalidAccessError", `Such a key cannot be written as ${format}.`);
    }
    if (!formats[held.type].includes(format)) throw wrong("NotSupportedError", `Such keys cannot be written as ${format}.`);
    if (held.type === "secret") return whole(held.bytes.slice());
    return whole(computed("exportKey", { format, name: held.algorithm.name, type: held.type }, held.bytes));
  }
  async wrapKey(format, key, wrapping, algorithm) {
    const exported = await this.exportKey(format, key);
    const bytes = format === "jwk" ? encode(JSON.stringify(exported)) : exported;
    return enciphered("encrypt", algorithm, wrapping, bytes, "wrapKey");
  }
  async unwrapKey(format, wrapped, unwrapping, algorithm, wanted, extractable, usages) {
    const bytes = enciphered("decrypt", algorithm, unwrapping, wrapped, "unwrapKey");
    const source = format === "jwk" ? JSON.parse(decode(new Uint8Array(bytes))) : bytes;
    return this.importKey(format, source, wanted, extractable, usages);
  }
}

class Crypto {
  #subtle = new SubtleCrypto();
  get subtle() {
    return this.#subtle;
  }
  getRandomValues(array) {
    if (!ArrayBuffer.isView(array)) throw new TypeError("Expected a typed array of integers.");
    if (array instanceof DataView || /^Float/.test(array[Symbol.toStringTag])) throw wrong("TypeMismatchError", "Expected a typed array of integers.");
    if (array.byteLength > 65536) throw new DOMException("At most 65536 bytes at once.", "QuotaExceededError");
    viewed(array).set(random(array.byteLength));
    return array;
  }
  randomUUID() {
    const bytes = random(16);
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    const text = hex(bytes);
    return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join("-");
  }
}
const crypto = new Crypto();

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
