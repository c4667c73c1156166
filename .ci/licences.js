// What bundles of packages owe: the names, versions and licences of all that is in them.
const { existsSync, readFileSync } = require("node:fs");
const { join } = require("node:path");

/** Return the packages that a bundle was made of, from esbuild's metafile. */
function packagesOf(metafile) {
  const found = Object.keys(metafile.inputs).map((input) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1]);
  return found.filter(Boolean);
}

/** Return the licences of packages that are installed in a folder, as the text of one file. */
function licences(folder, names) {
  return [...new Set(names)].sort().map((name) => licence(join(folder, "node_modules", name), name)).join("\n\n");
}

/** Return the name, version and licence of a package, with the text of its licence. */
function licence(folder, name) {
  const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = ["LICENSE", "LICENSE.md", "LICENSE.txt", "license"].find((each) => existsSync(join(folder, each)));
  const text = file ? readFileSync(join(folder, file), "utf8").trim() : "";
  return `${name} ${version} (${license})\n\n${text}\n`;
}

module.exports = { licences, packagesOf };
