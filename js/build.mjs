/**
 * Bundle src/index.js into ../hookviz/static/explorer.js; `--check` only compares.
 *
 * The bundle is committed: whoever installs hookviz needs no Node.
 */

import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const LARGEST = 200_000;
const target = new URL("../hookviz/static/explorer.js", import.meta.url);
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

const result = await build({
  absWorkingDir: here,
  entryPoints: ["src/index.js"],
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  banner: {
    js: "/* hookviz explorer; source: js/src. Contains d3 (ISC, © Mike Bostock) and Prism (MIT, © Lea Verou): see explorer.licenses.txt */",
  },
  plugins: [quietPrism],
  metafile: true,
  write: false,
});

const text = result.outputFiles[0].text;
if (text.length > LARGEST) throw new Error(`the bundle has ${text.length} characters, more than ${LARGEST}`);
await put(target, text);
await put(new URL("explorer.licenses.txt", target), await licenses(Object.keys(result.metafile.inputs)));
console.log(`hookviz/static/explorer.js: ${Buffer.byteLength(text)} bytes`);

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
