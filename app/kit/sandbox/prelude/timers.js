// Timers. The sandbox sleeps until `nextTimer` and then calls `ring`.

const timers = new Map();
let timerCount = 0;
let nesting = 0;

function setTimer(callback, delay, values, repeat) {
  if (typeof callback !== "function") throw new TypeError("A timer calls a function.");
  if (timers.size >= 1000) throw new DOMException("There are too many timers.", "QuotaExceededError");
  if (timerCount === 0) host(MESSAGE.timer); // from now on the sandbox asks for the next one
  const wait = Math.max(nesting > 4 ? 4 : 1, Number(delay) || 0);
  timers.set(++timerCount, { callback, values, repeat, wait, due: Date.now() + wait, depth: nesting + 1 });
  return timerCount;
}

const setTimeout = (callback, delay, ...values) => setTimer(callback, delay, values, false);
const setInterval = (callback, delay, ...values) => setTimer(callback, delay, values, true);
const clearTimeout = (id) => void timers.delete(id);
const clearInterval = clearTimeout;

// The moment of the next timer, or -1.
function nextTimer() {
  let next = -1;
  for (const { due } of timers.values()) if (next < 0 || due < next) next = due;
  return next;
}

function ring() {
  const now = Date.now();
  const due = [...timers].filter(([, timer]) => timer.due <= now).sort(([, a], [, b]) => a.due - b.due);
  for (const [id, timer] of due) {
    if (!timers.has(id)) continue;
    if (timer.repeat) timer.due = now + Math.max(timer.wait, 4);
    else timers.delete(id);
    nesting = timer.depth;
    queueMicrotask(() => timer.callback(...timer.values));
  }
  queueMicrotask(() => (nesting = 0));
}

function queueMicrotask(callback) {
  if (typeof callback !== "function") throw new TypeError("A microtask calls a function.");
  Promise.resolve().then(callback).catch(reported);
}

const reported = (reason) => console.error("Uncaught", reason);
