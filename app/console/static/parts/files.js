// Files that are made in the browser.

/**
 * Let the browser save a text as a file.
 * @param {string} name
 * @param {string} type its media type
 * @param {string} text
 */
export function saveFile(name, type, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
