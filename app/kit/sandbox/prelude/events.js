// Events, and the signals that end a fetch. Event and EventTarget are those of standards.js.

class Event extends standards.Event {
  constructor(type, init) {
    if (!arguments.length) throw new TypeError("An event needs a type.");
    super(type, init);
  }
  get [Symbol.toStringTag]() {
    return "Event";
  }
}

class EventTarget extends standards.EventTarget {
  dispatchEvent(event) {
    if (!(event instanceof Event)) throw new TypeError("Expected an Event.");
    return super.dispatchEvent(event);
  }
  get [Symbol.toStringTag]() {
    return "EventTarget";
  }
}
standards.setErrorHandler((error) => reported(error?.error ?? error));
standards.setWarningHandler(() => {}); // what browsers do silently

class CustomEvent extends Event {
  #detail;
  constructor(type, init) {
    super(...(arguments.length ? [type, init] : []));
    this.#detail = init?.detail ?? null;
  }
  get detail() {
    return this.#detail;
  }
  get [Symbol.toStringTag]() {
    return "CustomEvent";
  }
}

class AbortSignal extends EventTarget {
  #reason;
  #aborted = false;
  #following = new Set();
  constructor(mark) {
    if (mark !== signalling) throw new TypeError("Illegal constructor");
    super();
  }
  get aborted() {
    return this.#aborted;
  }
  get reason() {
    return this.#reason;
  }
  get onabort() {
    return standards.getEventAttributeValue(this, "abort");
  }
  set onabort(listener) {
    standards.setEventAttributeValue(this, "abort", listener);
  }
  throwIfAborted() {
    if (this.#aborted) throw this.#reason;
  }
  get [Symbol.toStringTag]() {
    return "AbortSignal";
  }
  static end(signal, reason = new DOMException("The work was given up.", "AbortError")) {
    if (signal.#aborted) return;
    signal.#aborted = true;
    signal.#reason = reason;
    signal.dispatchEvent(new Event("abort"));
    for (const other of signal.#following) endSignal(other, reason);
  }
  static abort(reason) {
    const signal = newSignal();
    endSignal(signal, reason);
    return signal;
  }
  static timeout(delay) {
    const signal = newSignal();
    setTimeout(() => endSignal(signal, new DOMException("The time is up.", "TimeoutError")), delay);
    return signal;
  }
  static any(signals) {
    const made = newSignal();
    const ended = [...signals].find((signal) => signal.aborted);
    if (ended) endSignal(made, ended.reason);
    else for (const signal of signals) signal.#following.add(made);
    return made;
  }
}
const signalling = Symbol("made here");
const newSignal = () => new AbortSignal(signalling);
const endSignal = AbortSignal.end;
delete AbortSignal.end;

class AbortController {
  #signal = newSignal();
  get signal() {
    return this.#signal;
  }
  abort(reason) {
    endSignal(this.#signal, reason);
  }
  get [Symbol.toStringTag]() {
    return "AbortController";
  }
}
