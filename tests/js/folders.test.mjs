import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import test from "node:test";

const SOURCES = new URL("../../js/src/", import.meta.url);
const FULL = 25;

/** What the files of a folder may import, besides their own folder. The root puts all together. */
const MAY_IMPORT = {
  "": ["state", "kernel", "page", "dom", "picture", "steps", "hooks", "code", "lesson", "facts"],
  state: [],
  kernel: ["state"],
  dom: [],
  page: ["state"],
  picture: ["state", "dom"],
  steps: ["state", "dom", "page"],
  hooks: ["state", "dom"],
  code: ["dom", "page"],
  lesson: ["state", "dom"],
  facts: ["state", "dom"],
};
/** These are read and written without a page. */
const NO_DOM = ["state", "kernel"];

const IMPORT = /^(?:import|export)\b[^"']*?from\s+"(\.{1,2}\/[^"]+)"|^import\s+"(\.{1,2}\/[^"]+)"|\bimport\("(\.{1,2}\/[^"]+)"\)(?!\.)/gm;

/**
 * @param {string} file Of the sources, such as `steps/caption.js`.
 * @param {string} text
 * @returns {string[]} What is wrong with what it imports.
 */
function faults(file, text) {
  const folder = folderOf(file);
  return [...text.matchAll(IMPORT)].flatMap(([, ...found]) => {
    const path = new URL(found.find(Boolean), new URL(file, SOURCES)).pathname.slice(SOURCES.pathname.length);
    const other = folderOf(path);
    const isAllowed = other === folder || MAY_IMPORT[folder].includes(other);
    return isAllowed ? [] : [`${file} imports ${path}`];
  });
}

/** @param {string} path */
function folderOf(path) {
  return path.includes("/") ? path.slice(0, path.indexOf("/")) : "";
}

/** @returns The paths of all sources by folder. */
async function folders() {
  const found = new Map();
  for (const entry of await readdir(SOURCES, { withFileTypes: true })) {
    const inside = entry.isDirectory() ? (await readdir(new URL(`${entry.name}/`, SOURCES))).map((name) => `${entry.name}/${name}`) : [];
    if (entry.isDirectory()) found.set(entry.name, inside);
    else found.set("", [...(found.get("") ?? []), entry.name]);
  }
  return found;
}

test("every folder has its place, and none is too full", async () => {
  const found = await folders();
  assert.deepEqual([...found.keys()].sort(), Object.keys(MAY_IMPORT).sort());
  for (const [folder, files] of found) assert.ok(files.length > 0 && files.length <= FULL, `${folder}: ${files.length} files`);
  assert.deepEqual(found.get("").sort(), ["explorer.js", "index.js", "types.js"]);
});

test("features do not import each other", async () => {
  const found = [];
  let count = 0;
  for (const file of [...(await folders()).values()].flat()) {
    const text = await readFile(new URL(file, SOURCES), "utf8");
    count += [...text.matchAll(IMPORT)].length;
    found.push(...faults(file, text));
  }
  assert.ok(count > 100, `only ${count} imports were found`);
  assert.deepEqual(found, []);
});

test("the state and the kernel touch no page", async () => {
  for (const folder of NO_DOM) {
    for (const file of (await folders()).get(folder)) {
      const text = await readFile(new URL(file, SOURCES), "utf8");
      assert.doesNotMatch(text, /\bdocument\b|\blit-html\b|querySelector|createElement/, file);
    }
  }
});

test("an import across features is found, however it is written", () => {
  for (const line of [
    'import { a } from "../facts/values.js";',
    'import {\n  a,\n  b,\n} from "../facts/values.js";',
    'import "../facts/values.js";',
    'export { a } from "../facts/values.js";',
    'const { a } = await import("../facts/values.js");',
    'import { draw } from "../explorer.js";',
  ]) {
    assert.equal(faults("steps/caption.js", `/** A part. */\n\n${line}\n`).length, 1, line);
  }
  assert.deepEqual(faults("steps/caption.js", 'import { a } from "../dom/dom.js";\nimport { b } from "./run_to.js";\n'), []);
  // A type is no import: it is gone before anything runs.
  assert.deepEqual(faults("steps/caption.js", '/** @type {import("../facts/values.js").View} */\n'), []);
});
