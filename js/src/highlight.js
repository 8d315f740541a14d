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
