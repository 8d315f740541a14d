/** Colour Python source: Prism cuts it into tokens, the spans are made here. */

import { tokenize } from "./prism.js";

/** Longer sources are shown plain: colouring them on every key press would be felt. */
const LONGEST = 20_000;

/**
 * @param {Document} document
 * @param {string} source
 * @returns {Node[]} Text nodes and spans that together hold exactly `source`.
 */
export function highlight(document, source) {
  if (source.length > LONGEST) return [document.createTextNode(source)];
  return tokenize(source).map((token) => nodeOf(document, token));
}

/**
 * The same line by line; a token that goes over several lines is cut.
 *
 * @param {Document} document
 * @param {string[]} lines Without their ends.
 * @returns {Node[][]} For each line what stands in it.
 */
export function highlightLines(document, lines) {
  /** @type {Node[][]} */
  const found = [[]];
  for (const node of highlight(document, lines.join("\n"))) {
    (node.textContent ?? "").split("\n").forEach((text, index, pieces) => {
      if (index > 0) found.push([]);
      if (text === "") return;
      // Only what is whole keeps the tokens inside it.
      found.at(-1)?.push(pieces.length === 1 ? node : pieceOf(node, text));
    });
  }
  return found;
}

/**
 * @param {Node} node
 * @param {string} text
 */
function pieceOf(node, text) {
  const piece = node.cloneNode(false);
  piece.textContent = text;
  return piece;
}

/**
 * @param {Document} document
 * @param {string | import("prismjs").Token} token
 * @returns {Node}
 */
function nodeOf(document, token) {
  if (typeof token === "string") return document.createTextNode(token);
  const span = document.createElement("span");
  span.className = `hv-token hv-token-${token.type}`;
  const content = Array.isArray(token.content) ? token.content : [token.content];
  for (const part of content) span.append(typeof part === "string" ? part : nodeOf(document, part));
  return span;
}
