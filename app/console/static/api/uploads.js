// Files that are sent by themselves, to a signed address, before a change or an import uses them.

import { ApiError } from "./client.js";
import { mutate } from "./queries.js";
import { t } from "../texts.js";

export const LARGEST_UPLOAD = 100_000_000; // bytes

/**
 * Send a file and return the id of its upload; raises ApiError, or an AbortError where `abort` ends it.
 * @param {string} organization
 * @param {{ name: string, content: Blob }} file
 * @param {{ told?: (sent: number) => void, abort?: AbortSignal }} [options] `told` gets the number of bytes sent so far
 * @returns {Promise<string>}
 */
export async function sendFile(organization, { name, content }, { told, abort } = {}) {
  if (content.size > LARGEST_UPLOAD) throw new ApiError("UNPROCESSABLE", t("upload.too-large", { name }));
  abort?.throwIfAborted();
  const { upload } = await mutate("CreateUpload", { organization, name, size: content.size, ...(content.type ? { contentType: content.type } : {}) });
  await put(upload, content, name, told, abort);
  return upload.restId;
}

/**
 * @param {{ uploadURL: string, headers: { name: string, value: string }[] }} upload
 * @param {Blob} content
 * @param {string} name
 * @param {((sent: number) => void) | undefined} told
 * @param {AbortSignal | undefined} abort
 * @returns {Promise<void>}
 */
function put(upload, content, name, told, abort) {
  return new Promise((done, failed) => {
    const request = new XMLHttpRequest(); // fetch does not tell how much was sent
    const stop = () => request.abort();
    const end = (/** @type {Error | null} */ error) => {
      abort?.removeEventListener("abort", stop);
      if (error) failed(error);
      else done();
    };
    request.open("PUT", upload.uploadURL);
    for (const header of upload.headers) request.setRequestHeader(header.name, header.value);
    request.upload.onprogress = (event) => told?.(event.loaded);
    request.onload = () => end(request.status < 300 ? null : new ApiError("UNPROCESSABLE", t("upload.failed", { name })));
    request.onerror = () => end(new ApiError("UNPROCESSABLE", t("upload.failed", { name })));
    request.onabort = () => end(new DOMException("", "AbortError"));
    abort?.addEventListener("abort", stop);
    request.send(content);
  });
}
