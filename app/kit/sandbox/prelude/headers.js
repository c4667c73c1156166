// Headers: names in lower case, several values of one name joined by a comma, but Set-Cookie kept apart.

const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

class Headers {
  #pairs = [];
  constructor(from) {
    if (from === undefined || from === null) return;
    const pairs = typeof from[Symbol.iterator] === "function" ? from : Object.entries(from);
    for (const pair of pairs) {
      const [name, value, ...more] = pair;
      if (value === undefined || more.length) throw new TypeError("A header is a name and a value.");
      this.append(name, value);
    }
  }
  append(name, value) {
    this.#pairs.push([named(name), valued(value)]);
  }
  set(name, value) {
    const [key, text] = [named(name), valued(value)];
    const first = this.#pairs.findIndex(([known]) => known === key);
    if (first < 0) {
      this.#pairs.push([key, text]);
    } else {
      this.#pairs[first] = [key, text];
      this.#pairs = this.#pairs.filter(([known], at) => known !== key || at === first);
    }
  }
  get(name) {
    const key = named(name);
    const values = this.#pairs.filter(([known]) => known === key).map(([, value]) => value);
    return values.length ? values.join(", ") : null;
  }
  has(name) {
    const key = named(name);
    return this.#pairs.some(([known]) => known === key);
  }
  delete(name) {
    const key = named(name);
    this.#pairs = this.#pairs.filter(([known]) => known !== key);
  }
  getSetCookie() {
    return this.#pairs.filter(([known]) => known === "set-cookie").map(([, value]) => value);
  }
  forEach(visit, self) {
    for (const [name, value] of this) visit.call(self, value, name, this);
  }
  *entries() {
    const names = [...new Set(this.#pairs.map(([name]) => name))].sort();
    for (const name of names) {
      if (name === "set-cookie") for (const value of this.getSetCookie()) yield [name, value];
      else yield [name, this.get(name)];
    }
  }
  *keys() {
    for (const [name] of this) yield name;
  }
  *values() {
    for (const [, value] of this) yield value;
  }
  [Symbol.iterator]() {
    return this.entries();
  }
  get [Symbol.toStringTag]() {
    return "Headers";
  }
}

function named(name) {
  if (!NAME.test(name)) throw new TypeError(`${JSON.stringify(String(name))} is not a header's name.`);
  return String(name).toLowerCase();
}

function valued(value) {
  const text = String(value).replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, "");
  if (/[\0\r\n]/.test(text)) throw new TypeError("A header's value has no line breaks.");
  return text;
}
