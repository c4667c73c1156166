// Builds the apps that the browser runs: types and documents (graphql-codegen), Relay's artifacts, bundles (esbuild).
//   node build.mjs SCHEMA    in a copy of this folder
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { minifyIntrospectionQuery } from "@urql/introspection";
import { build } from "esbuild";
import { buildSchema, introspectionFromSchema } from "graphql";
import { generate, scalarsOf } from "./codegen.mjs";

const sdl = readFileSync(process.argv[2], "utf8");
const schema = buildSchema(sdl);
const relay = {
  src: "apps",
  schema: "schema.graphql",
  language: "typescript",
  eagerEsModules: true,
  excludes: ["**/__generated__/**", "**/documents/**", "**/operations/**"],
  customScalarTypes: scalarsOf(schema),
  noFutureProofEnums: true,
};

/** Makes esbuild take Relay's documents from the files that its compiler wrote, as its Babel plugin does. */
const relayDocuments = {
  name: "relay-documents",
  setup(bundle) {
    bundle.onLoad({ filter: /relay\.ts$/ }, ({ path }) => {
      const imports = [];
      const source = readFileSync(path, "utf8").replace(
        /graphql`\s*(?:query|mutation|fragment)\s+(\w+)[^`]*`/g,
        (_, name) => {
          imports.push(`import $${name} from "./__generated__/${name}.graphql";`);
          return `$${name}`;
        },
      );
      return { contents: [...imports, source].join("\n"), loader: "ts" };
    });
  },
};

await generate(sdl, "apps/documents/", ["apps/documents.graphql"]);
const introspection = minifyIntrospectionQuery(introspectionFromSchema(schema));
writeFileSync("apps/introspection.json", JSON.stringify(introspection));
writeFileSync("schema.graphql", sdl);
writeFileSync("relay.config.json", JSON.stringify(relay));
execFileSync("node_modules/.bin/relay-compiler", ["relay.config.json"], { stdio: ["ignore", "ignore", "inherit"] });
await build({
  bundle: true,
  define: { "globalThis.__DEV__": "true", "process.env.NODE_ENV": '"development"' },
  entryPoints: ["apps/apollo.ts", "apps/relay.ts", "apps/sse.ts", "apps/urql.ts", "apps/watch.ts"],
  format: "iife",
  logLevel: "error",
  outdir: "bundles",
  plugins: [relayDocuments],
});
