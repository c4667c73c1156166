// Pictures and files that are pasted or dropped: sent to their signed address, put into the space, linked in the text.

import { mutate } from "../api/queries.js";
import { sendFile } from "../api/uploads.js";
import { say } from "../parts/overlays.js";
import { EditorView } from "../vendor/codemirror.js";
import { t } from "../texts.js";

/** @typedef {import("./writing.js").Writing} Writing */

let count = 0;

/**
 * Return what takes pasted and dropped files, as an extension of the editor.
 * @param {Writing} writing
 * @param {() => boolean} mayUpload says why not, if not
 */
export function uploads(writing, mayUpload) {
  const take = (/** @type {DataTransfer | null} */ given, /** @type {EditorView} */ view, /** @type {number} */ at) => {
    const files = [...(given?.files ?? [])];
    if (!files.length) return false;
    if (mayUpload()) void put(writing, view, files, at);
    return true;
  };
  return EditorView.domEventHandlers({
    paste: (event, view) => take(event.clipboardData, view, view.state.selection.main.from) && (event.preventDefault(), true),
    drop: (event, view) => take(event.dataTransfer, view, view.posAtCoords({ x: event.clientX, y: event.clientY }) ?? view.state.selection.main.from) && (event.preventDefault(), true),
  });
}

/**
 * Upload files and link them where they were put, one after another. While one is on its way, words stand in its place.
 * @param {Writing} writing
 * @param {EditorView} view
 * @param {File[]} files
 * @param {number} at
 */
export async function put(writing, view, files, at) {
  const waiting = files.map((file) => ({ file, mark: `![${t("editor.uploading", { name: plain(file.name) })}](#upload-${++count})` }));
  view.dispatch({ changes: { from: at, insert: waiting.map(({ mark }) => mark).join("\n") }, userEvent: "input.drop" });
  for (const { file, mark } of waiting) {
    let link = "";
    try {
      const address = await upload(writing, file), name = plain(file.name);
      link = file.type.startsWith("image/") ? `![${name.replace(/\.\w+$/, "")}](${address})` : `[${name}](${address})`;
    } catch (error) {
      say(error instanceof Error ? error : new Error(String(error)));
    }
    const from = view.state.doc.toString().indexOf(mark);
    if (from >= 0) view.dispatch({ changes: { from, to: from + mark.length, insert: link }, userEvent: "input.drop" });
  }
}

/**
 * Upload a file, and return the address by which texts name it.
 * @param {Writing} writing
 * @param {File} file
 */
export async function upload(writing, file) {
  const { organization, space, change } = writing.place, name = named(file);
  const sent = await sendFile(organization, { name, content: file });
  const files = [{ name, source: { upload: sent } }], where = change ? { space, changeRequest: change } : { space };
  const made = await mutate("InsertFiles", { ...where, changes: [{ insertFiles: { files } }] });
  void writing.look().catch(() => undefined); // the revision is another one now
  return `/files/${made.insertedFiles[0].restId}`;
}

/** @param {File} file */
function named(file) {
  const type = file.type.split("/")[1]?.replace(/\+.*/, "") ?? "bin";
  return /\.\w+$/.test(file.name) ? file.name.slice(-200) : `${file.name || "picture"}.${type}`;
}

/** @param {string} text */
function plain(text) {
  return text.replace(/[\\[\]\n]/g, " ").trim();
}

