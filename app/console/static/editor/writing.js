// A page while somebody writes it: what it says now, what is saved of it, and the draft that this browser keeps.

import { computed, signal } from "../vendor/preact.js";
import { ApiError, randomKey, send } from "../api/client.js";
import { mutate } from "../api/queries.js";
import { draftName, dropDraft, keepDraft, keptDraft } from "./drafts.js";
import { SENT, TEXTS } from "./front_matter.js";

/** @typedef {{ text: string, title: string, linkTitle: string, slug: string, description: string, emoji: string,
 *   icon: string, hidden: boolean, noIndex: boolean, noRobotsIndex: boolean, condition: string,
 *   layout: string, cover: string, variables: string }} Content  for the last three see `front_matter.js` */
/** @typedef {{ space: string, organization: string, change: string, page: string, path: string, into: string, title?: string }} Place
 *   ids in addresses; `change` is "" in the space itself, `page` is "" before it is saved for the first time */
/** @typedef {{ content: Content, by: string, at: string, revision: string, document: string | null }} Theirs */

/** @type {(keyof Content)[]} */
export const FIELDS = ["title", "linkTitle", "slug", "description", "emoji", "icon", "hidden", "noIndex", "noRobotsIndex", "condition", "layout", "cover", "variables"];
const KEEP_AFTER = 250; // milliseconds
const HEADING = /^(\s*#[ \t]+)(.*?)([ \t]+#+)?[ \t]*$/m;

/**
 * Return what a page says, of its fields in the API.
 * @param {any} page null for one that is not there yet
 * @returns {Content}
 */
export function contentOf(page) {
  const said = (/** @type {string} */ name) => String(page?.[name] ?? "");
  const is = (/** @type {string} */ name) => page?.[name] === true;
  return {
    text: said("source"), title: said("title"), linkTitle: said("linkTitle"), slug: said("slug"),
    description: said("description"), emoji: said("emoji"), icon: said("icon"), condition: said("condition"),
    hidden: is("hidden"), noIndex: is("noIndex"), noRobotsIndex: is("noRobotsIndex"),
    layout: TEXTS.layout(page?.layout), cover: TEXTS.cover(page?.cover), variables: TEXTS.variables(page?.variables),
  };
}

/**
 * Return the heading with which a text begins, "" where it begins otherwise.
 * @param {string} text
 */
export function headingOf(text) {
  const first = text.trimStart().split("\n", 1)[0] ?? "";
  return /^#[ \t]/.test(first) ? (HEADING.exec(first)?.[2] ?? "") : "";
}

export class Writing {
  /**
   * @param {Place} place
   * @param {any} page as the API says it, null for a new one
   * @param {string} revision of what was read
   */
  constructor(place, page, revision) {
    this.place = place;
    this.revision = revision;
    this.document = /** @type {string | null} */ (page?.documentId ?? null);
    this.saved = signal(contentOf(page));
    this.content = signal(page ? this.saved.peek() : { ...this.saved.peek(), title: place.title ?? "" });
    this.state = signal(/** @type {"" | "kept" | "lost" | "saving" | "saved"} */ (""));
    this.restored = signal(/** @type {number | null} */ (null));
    this.theirs = signal(/** @type {Theirs | null} */ (null));
    /** Whether both texts are shown beside each other. */
    this.compares = signal(false);
    this.wrong = signal(/** @type {ApiError | null} */ (null));
    this.isChanged = computed(() => !same(this.content.value, this.saved.value));
    /** Whether the page was deleted meanwhile; it is saved as a new one then. */
    this.isGone = signal(false);
    /** Whether the server says that the person may not write here. */
    this.refused = signal(false);
    /** Bumped where the text is changed by something else than the editor's own keys. */
    this.replaced = signal(0);
    this.timer = 0;
    this.key = randomKey();
    this.#restore();
  }

  get draftName() {
    const { space, change, page, path, into } = this.place;
    return draftName({ space, change: change || "live", page: page || `new-${into || path}` });
  }

  #restore() {
    const draft = keptDraft(this.draftName);
    if (!draft) return;
    this.content.value = { ...this.saved.peek(), ...draft.content };
    if (!this.isChanged.peek()) return dropDraft(this.draftName);
    this.restored.value = draft.at;
    this.state.value = "kept";
    if (draft.document !== this.document || !sameFields({ ...this.saved.peek(), ...draft.before }, this.saved.peek())) this.isBehind = draft;
  }

  /** The draft that was begun from another state of the page, null once that is settled.
   * @type {import("./drafts.js").Draft | null} */
  isBehind = null;

  /**
   * Change what the page says; a title that is the first heading of the text follows it, and the other way round.
   * @param {Partial<Content>} change
   * @param {boolean} [byEditor] the editor shows this text already
   */
  change(change, byEditor = false) {
    const before = this.content.peek(), heading = headingOf(before.text);
    const made = { ...before, ...change };
    if (change.text !== undefined && heading && heading === before.title && headingOf(change.text)) made.title = headingOf(change.text);
    if (change.title !== undefined && heading && heading === before.title && change.title.trim()) made.text = before.text.replace(HEADING, (_, mark) => mark + change.title);
    this.content.value = made;
    if (!byEditor && made.text !== before.text) this.replaced.value++;
    this.wrong.value = null;
    this.key = randomKey();
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.keep(), KEEP_AFTER);
  }

  /** Keep the draft in this browser now. */
  keep() {
    clearTimeout(this.timer);
    if (this.state.peek() === "saving") return;
    if (!this.isChanged.peek()) {
      dropDraft(this.draftName);
      if (this.state.peek() !== "saved") this.state.value = "";
      return;
    }
    const before = { ...this.saved.peek(), text: "" };
    const draft = { content: this.content.peek(), before, document: this.document, revision: this.revision, at: Date.now(), path: this.place.path, page: this.place.page };
    this.state.value = keepDraft(this.draftName, this.isBehind ? { ...this.isBehind, content: draft.content, at: draft.at } : draft) ? "kept" : "lost";
  }

  /** Go back to what is saved. */
  discard() {
    this.content.value = this.saved.peek();
    this.restored.value = null;
    this.isBehind = null;
    this.theirs.value = null;
    this.replaced.value++;
    this.keep();
  }

  /** Return the fields that differ from what is saved, as the API takes them. */
  differences() {
    const now = this.content.peek(), before = this.saved.peek();
    /** @type {Record<string, any>} */
    const found = {};
    for (const name of FIELDS)
      if (now[name] !== before[name]) found[name] = SENT[name] ? SENT[name](String(now[name])) : now[name] === "" && !["title", "slug"].includes(name) ? null : now[name];
    if (found["slug"] === "" || (!this.place.page && !now.slug)) delete found["slug"];
    if (found["title"] === "") delete found["title"];
    if (now.text !== before.text || !this.place.page) found["document"] = { markdown: now.text };
    return found;
  }

  /**
   * Save into the space, or into a change request; returns the page. Raises ApiError; where somebody else has
   * changed the page, `theirs` says what they wrote, and where somebody has deleted it, `isGone` says so: nothing is
   * saved then, and null is returned.
   * @param {string} change number or id of the change request, "" for the space
   */
  async save(change) {
    const sent = this.content.peek(), wasThere = !!this.place.page;
    this.state.value = "saving";
    try {
      if (await this.#isOvertaken(change, change !== this.place.change)) return null;
      if (wasThere && this.isGone.peek()) return null;
      for (;;) {
        const page = await this.#send(change).catch(async (error) => {
          if (!(error instanceof ApiError) || !["PRECONDITION_FAILED", "NOT_FOUND"].includes(error.code)) throw error;
          await this.look(change);
          if (error.code === "NOT_FOUND" && !this.isGone.peek()) throw error; // something else is missing
          return null;
        });
        if (page) return this.#isSaved(page, change, sent);
        if (this.theirs.peek() || this.isGone.peek()) return null;
      }
    } catch (error) {
      if (error instanceof ApiError && !["OFFLINE", "UNAVAILABLE"].includes(error.code)) this.wrong.value = error;
      throw error;
    } finally {
      if (this.state.peek() === "saving") this.state.value = "";
      this.keep();
    }
  }

  /** @param {string} change */
  async #send(change) {
    const { space, page, into } = this.place, differences = this.differences();
    const one = page ? { updatePage: { page, ...differences } } : { insertPage: { type: "DOCUMENT", ...(into ? { into } : {}), ...differences } };
    const expected = page ? { expectedRevision: this.revision } : {};
    const where = change ? { space, changeRequest: change } : { space };
    const payload = await mutate("SavePage", { ...where, ...expected, changes: [one], idempotencyKey: this.key + change }, { refresh: ["SpaceTree", "Space"] });
    this.revision = payload.revisionId;
    return payload.changes[0].page;
  }

  /**
   * @param {any} page
   * @param {string} change
   * @param {Content} sent
   */
  #isSaved(page, change, sent) {
    dropDraft(this.draftName);
    const now = this.content.peek();
    this.place = { ...this.place, change, page: page.restId, path: page.path ?? "", into: "" };
    this.document = page.documentId;
    this.saved.value = contentOf(page);
    this.content.value = now === sent ? this.saved.value : { ...now, slug: now.slug === sent.slug ? page.slug : now.slug };
    if (this.content.value.text !== now.text) this.replaced.value++;
    this.isBehind = null;
    this.isGone.value = false;
    this.restored.value = null;
    this.key = randomKey();
    this.state.value = "saved";
    return page;
  }

  /**
   * Look whether somebody else has changed the page meanwhile; `theirs` is what they wrote then.
   * @param {string} change where it shall be saved
   * @param {boolean} anew whether to ask the server, not only what is known
   */
  async #isOvertaken(change, anew) {
    if (anew || this.isBehind || this.theirs.peek()) await this.look(change);
    return this.theirs.peek() !== null;
  }

  /**
   * Read the page again. What others changed is put into `theirs` if something here is not saved, else shown.
   * @param {string} [change] the change request to read it in, if not that in which it is written
   */
  async look(change = this.place.change) {
    const { space, page } = this.place;
    if (!page) return;
    const { data, errors } = await send("EditedPageNow", { space, change, page, inChange: !!change });
    const where = change ? data?.space?.changeRequest : data?.space, found = where?.page;
    if (!found) {
      const code = errors[0]?.extensions.code ?? "NOT_FOUND";
      if (!where || code !== "NOT_FOUND") throw new ApiError(code, errors[0]?.message);
      return this.#becomeNew();
    }
    const revision = where.revisionId, content = contentOf(found);
    if (found.documentId === this.document && sameFields(content, this.saved.peek()) && !this.isBehind) {
      this.revision = revision;
      return;
    }
    if (!this.isChanged.peek() || same(content, this.content.peek())) return this.adopt(content, revision, found.documentId);
    this.theirs.value = { content, by: found.lastEditedBy?.displayName ?? "", at: found.updatedAt, revision, document: found.documentId };
  }

  /** Go on as a page that is not there yet, since this one was deleted. */
  #becomeNew() {
    dropDraft(this.draftName);
    this.place = { ...this.place, page: "", into: "" };
    this.saved.value = contentOf(null);
    this.document = null;
    this.isBehind = null;
    this.theirs.value = null;
    this.isGone.value = true;
    this.key = randomKey();
    this.keep();
  }

  /**
   * Take what others saved as what is saved, and keep what is written here on top of it, or `content`.
   * @param {Content} saved
   * @param {string} revision
   * @param {string | null} document
   * @param {Content} [content]
   */
  adopt(saved, revision, document, content = saved) {
    this.saved.value = saved;
    this.revision = revision;
    this.document = document;
    this.theirs.value = null;
    this.isBehind = null;
    if (content.text !== this.content.peek().text) this.replaced.value++;
    this.content.value = content;
    this.key = randomKey();
    this.keep();
  }
}

/**
 * @param {Content} one
 * @param {Content} other
 */
function same(one, other) {
  return one.text === other.text && sameFields(one, other);
}

/**
 * @param {Content} one
 * @param {Content} other
 */
export function sameFields(one, other) {
  return FIELDS.every((name) => one[name] === other[name]);
}
