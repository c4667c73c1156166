// Parts of a screen whose modules are loaded when they are shown: most who see the screen never see them.

import { html, useEffect, useState } from "../vendor/preact.js";
import { answers, lostConnection } from "../api/client.js";
import { Bones } from "./basic.js";

/**
 * Return a component that loads the real one when it is shown first, and shows `waiting` until it is there. Its
 * `ahead()` loads it before that.
 * @template {string} Name
 * @param {() => Promise<Record<Name, (props: any) => any>>} load
 * @param {Name} name of the component in its module
 * @param {(props: any) => any} [waiting]
 */
export function later(load, name, waiting = () => html`<${Bones} />`) {
  /** @type {((props: any) => any) | null} */
  let part = null;
  const loaded = async () => void (part = (await load())[name]);
  /** @param {any} props */
  const Later = (props) => {
    const [wrong, setWrong] = useState(/** @type {unknown[]} */ ([])), [, setThere] = useState(part !== null);
    useEffect(() => {
      let gone = part !== null;
      const attempt = async () => {
        while (!gone && !part)
          try {
            await loaded();
          } catch (error) {
            if (await answers()) return gone || setWrong([error]);
            await lostConnection(); // what is shown stays until then
          }
        if (!gone) setThere(true);
      };
      void attempt();
      return () => void (gone = true);
    }, []);
    if (wrong.length) throw wrong[0]; // the shell says so, and offers to try again
    return part ? html`<${part} ...${props} />` : waiting(props);
  };
  return Object.assign(Later, { ahead: () => void loaded().catch(() => undefined) });
}

/**
 * Run something once nothing else is to be done; returns what takes that back.
 * @param {() => void} what
 */
export function whenIdle(what) {
  if (typeof requestIdleCallback !== "function") {
    const timer = setTimeout(what, 1000);
    return () => clearTimeout(timer);
  }
  const asked = requestIdleCallback(what);
  return () => cancelIdleCallback(asked);
}
