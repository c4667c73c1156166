// Files and folders that are dropped or chosen for an import, and how they are sent: as they are, or as one zip.

import { t } from "../texts.js";

/** @typedef {{ path: string, content: File }} Chosen */

const MOST_ALONE = 100; // files of an import that are sent by themselves
const MOST_FILES = 5_000;
const MOST_BYTES = 100_000_000;
const PASSED_OVER = /(^|\/)(\.git|node_modules|__MACOSX)\/|(^|\/)(\.DS_Store|Thumbs\.db|desktop\.ini)$/;
const CONVERTED = /\.(docx|x?html?|zip)$/i; // these are read only where they are not inside a zip
const PACKED_ALREADY = /\.(png|jpe?g|gif|webp|avif|zip|pdf|mp4|woff2?)$/i;

/**
 * Return the files of what was dropped, those of folders with their paths.
 * @param {DataTransfer} given
 * @returns {Promise<Chosen[]>}
 */
export async function dropped(given) {
  const entries = [...given.items].map((each) => each.webkitGetAsEntry()).filter((each) => each !== null); // before anything is awaited
  return wanted((await Promise.all(entries.map((each) => inside(each)))).flat());
}

/**
 * Return the files that were chosen in a dialog of the browser.
 * @param {FileList | null} files
 * @returns {Chosen[]}
 */
export function picked(files) {
  return wanted([...(files ?? [])].map((content) => ({ path: content.webkitRelativePath || content.name, content })));
}

/** @param {Chosen[]} files */
function wanted(files) {
  return files.filter((each) => !PASSED_OVER.test(each.path)).sort((a, b) => (a.path < b.path ? -1 : 1));
}

/**
 * @param {FileSystemEntry} entry
 * @returns {Promise<Chosen[]>}
 */
async function inside(entry) {
  const path = entry.fullPath.replace(/^\//, "");
  if (entry.isFile) {
    const content = await new Promise((/** @type {(file: File) => void} */ done, failed) => /** @type {FileSystemFileEntry} */ (entry).file(done, failed));
    return [{ path, content }];
  }
  if (PASSED_OVER.test(`${path}/`)) return [];
  const reader = /** @type {FileSystemDirectoryEntry} */ (entry).createReader(), found = [];
  for (;;) {
    const some = await new Promise((/** @type {(entries: FileSystemEntry[]) => void} */ done, failed) => reader.readEntries(done, failed)); // a part at a time
    if (!some.length) break;
    found.push(...some);
  }
  return (await Promise.all(found.map(inside))).flat();
}

/**
 * Return why these files cannot be imported, empty where they can.
 * @param {Chosen[]} files
 */
export function unfit(files) {
  const bytes = sizeOf(files), kept = files.filter((each) => CONVERTED.test(each.path));
  if (files.length > MOST_FILES) return t("import.too-many", { count: files.length, most: MOST_FILES });
  if (bytes > MOST_BYTES) return t("import.too-large");
  if (kept.length && files.length > MOST_ALONE) return t("import.too-many-documents", { most: MOST_ALONE, name: kept[0]?.path ?? "" });
  return "";
}

/** @param {Chosen[]} files */
export function sizeOf(files) {
  return files.reduce((sum, each) => sum + each.content.size, 0);
}

/**
 * Return what to send: a few files as they are, where some have to be converted, and otherwise one zip.
 * @param {Chosen[]} files
 * @param {AbortSignal} abort
 * @returns {Promise<{ name: string, content: Blob }[]>}
 */
export async function toSend(files, abort) {
  const alone = files.length === 1 || files.some((each) => CONVERTED.test(each.path));
  if (alone) return files.map(({ path, content }) => ({ name: files.length === 1 ? content.name : path, content }));
  const top = files[0]?.path.split("/")[0] ?? "", isOneFolder = files.every((each) => each.path.startsWith(`${top}/`));
  return [{ name: `${isOneFolder ? top.slice(0, 200) : "files"}.zip`, content: await packed(files, abort) }];
}

/**
 * @param {Chosen[]} files
 * @param {AbortSignal} abort
 */
async function packed(files, abort) {
  const { Zip, ZipDeflate, ZipPassThrough } = await import("../vendor/zip.js");
  /** @type {BlobPart[]} */
  const parts = [];
  const zip = new Zip((error, part) => {
    if (error) throw error;
    parts.push(/** @type {Uint8Array<ArrayBuffer>} */ (part));
  });
  for (const { path, content } of files) {
    abort.throwIfAborted();
    const entry = PACKED_ALREADY.test(path) ? new ZipPassThrough(path) : new ZipDeflate(path, { level: 6 });
    const bytes = new Uint8Array(await content.arrayBuffer());
    zip.add(entry);
    entry.push(bytes, true);
  }
  zip.end();
  return new Blob(parts, { type: "application/zip" });
}
