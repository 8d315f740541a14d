/** Colour Python source: Prism cuts it into tokens, the spans are made here. */

import { html } from "lit-html";
import { tokenize } from "./prism.js";

/** Longer sources are shown plain: colouring them on every key press would be felt. */
const LONGEST = 20_000;

/** @type {WeakMap<string[], unknown[][]>} What was made of the lines of a file. */
const known = new WeakMap();

/** @typedef {{types: string[], text: string}} Piece Types from the outside in: in an f-string stand other tokens. */

/** @param {string} source */
export function highlight(source) {
  return pieces(source).map(draw);
}

/**
 * The same line by line; a token that goes over several lines is cut.
 *
 * @param {string[]} lines Without their ends.
 * @returns {unknown[][]} For each line what stands in it.
 */
export function highlightLines(lines) {
  const found = known.get(lines) ?? [[]];
  if (known.has(lines)) return found;
  known.set(lines, found);
  for (const { types, text } of pieces(lines.join("\n"))) {
    text.split("\n").forEach((part, index) => {
      if (index > 0) found.push([]);
      if (part !== "") found.at(-1)?.push(draw({ types, text: part }));
    });
  }
  return found;
}

/**
 * @param {string} source
 * @returns {Piece[]} Together they hold exactly the source.
 */
function pieces(source) {
  return source.length > LONGEST ? [{ types: [], text: source }] : tokenize(source).flatMap((token) => piecesOf(token, []));
}

/**
 * @param {string | import("prismjs").Token} token
 * @param {string[]} around
 * @returns {Piece[]}
 */
function piecesOf(token, around) {
  if (typeof token === "string") return [{ types: around, text: token }];
  return [token.content].flat().flatMap((inner) => piecesOf(inner, [...around, token.type]));
}

/** @param {Piece} piece */
function draw({ types, text }) {
  /** @type {unknown} */
  const plain = text;
  return types.reduceRight((inner, type) => html`<span class="hv-token hv-token-${type}">${inner}</span>`, plain);
}
