/**
 * Bundle src/index.js and styles/index.css into ../hookviz/static; `--check` only compares.
 *
 * What is built is committed: whoever installs hookviz needs no Node.
 */

import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const LARGEST = 130_000;
const target = new URL("../hookviz/static/explorer.js", import.meta.url);
const sheet = new URL("explorer.css", target);
const here = fileURLToPath(new URL(".", import.meta.url));

/**
 * Prism looks for a page to colour and for a global of its name. In here it finds neither: with no
 * `window` it is only a tokenizer, and the grammar gets it by an import.
 */
const quietPrism = {
  name: "quiet-prism",
  setup({ onLoad }) {
    onLoad({ filter: /prismjs[\\/]components[\\/]prism-\w+\.js$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      const isCore = path.endsWith("prism-core.js");
      const head = isCore
        ? "const window = undefined, WorkerGlobalScope = undefined, global = undefined;\n"
        : 'const Prism = require("./prism-core.js");\n';
      return { contents: head + source, loader: "js" };
    });
  },
};

/** @type {import("esbuild").BuildOptions & {write: false}} */
const shared = {
  absWorkingDir: here, bundle: true, minify: true, charset: "utf8", legalComments: "none", write: false,
};
const result = await build({
  ...shared,
  entryPoints: ["src/index.js"],
  format: "esm",
  target: "es2022",
  // What d3-zoom takes of these two animates by timers; the style sheet does that here.
  alias: { "d3-transition": "./stand_ins/d3_animation.js", "d3-interpolate": "./stand_ins/d3_animation.js" },
  banner: {
    js: "/* hookviz explorer; source: js/src. Contains d3 (ISC, © Mike Bostock), lit-html (BSD-3-Clause, © Google LLC) and Prism (MIT, © Lea Verou): see explorer.licenses.txt */",
  },
  plugins: [quietPrism],
  metafile: true,
});
const styles = await build({ ...shared, entryPoints: ["styles/index.css"] });

const text = result.outputFiles[0].text;
if (text.length > LARGEST) throw new Error(`the bundle has ${text.length} characters, more than ${LARGEST}`);
await put(target, text);
await put(sheet, styles.outputFiles[0].text);
await put(new URL("explorer.licenses.txt", target), await licenses(Object.keys(result.metafile.inputs)));
for (const [name, { text }] of Object.entries({ js: result.outputFiles[0], css: styles.outputFiles[0] })) {
  console.log(`hookviz/static/explorer.${name}: ${Buffer.byteLength(text)} bytes`);
}

/**
 * @param {string[]} inputs Paths of everything that went into the bundle.
 */
async function licenses(inputs) {
  const names = inputs.map((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]).filter(Boolean);
  const texts = [...new Set(names)].sort().map(async (name) => {
    const text = await readFile(new URL(`node_modules/${name}/LICENSE`, import.meta.url), "utf8");
    return `${name}\n\n${text.trim()}\n`;
  });
  return `explorer.js contains these packages.\n\n${(await Promise.all(texts)).join("\n\n")}`;
}

/**
 * @param {URL} url
 * @param {string} wanted
 */
async function put(url, wanted) {
  if (!process.argv.includes("--check")) return writeFile(url, wanted);
  const found = await readFile(url, "utf8").catch(() => "");
  if (found !== wanted) throw new Error(`${fileURLToPath(url)} is not up to date: run "npm run build"`);
}
