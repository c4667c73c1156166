// Generates types and typed documents with graphql-codegen's client preset.
//   node codegen.mjs SCHEMA FOLDER DOCUMENT…
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { preset } from "@graphql-codegen/client-preset";
import { codegen } from "@graphql-codegen/core";
import { buildSchema, isScalarType, isSpecifiedScalarType, parse } from "graphql";

const TEXTS = new Set(["DateTime", "HTML", "Markdown", "URL"]);

/** Returns the TypeScript types of the scalars that the schema has of its own: text, or values that are open. */
export function scalarsOf(schema) {
  const names = Object.values(schema.getTypeMap()).filter((type) => isScalarType(type) && !isSpecifiedScalarType(type));
  return Object.fromEntries(names.map(({ name }) => [name, TEXTS.has(name) ? "string" : "unknown"]));
}

/** Writes what the client preset makes of documents into a folder. */
export async function generate(sdl, folder, files, fragmentMasking = false) {
  const schema = parse(sdl);
  const schemaAst = buildSchema(sdl);
  const documents = files.map((location) => {
    const rawSDL = readFileSync(location, "utf8");
    return { location, rawSDL, document: parse(rawSDL) };
  });
  const outputs = await preset.buildGeneratesSection({
    baseOutputDir: folder,
    schema,
    schemaAst,
    documents,
    config: {
      enumType: "const",
      immutableTypes: true,
      scalars: { ...scalarsOf(schemaAst), ID: "string" },
      strictScalars: true,
      useTypeImports: true,
    },
    plugins: [],
    pluginMap: {},
    presetConfig: { fragmentMasking },
  });
  for (const output of outputs) {
    mkdirSync(dirname(output.filename), { recursive: true });
    writeFileSync(output.filename, await codegen(output));
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [schema, folder, ...files] = process.argv.slice(2);
  await generate(readFileSync(schema, "utf8"), folder, files, true);
}
