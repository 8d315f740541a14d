/** Shorten text to the room that Python left for it, as `hookviz/_view/text/width.py` does. */

import { makeSvg, setText } from "./dom.js";

/** In em; what was sent along thousands of edges fits on no screen. */
const LONGEST_TOOLTIP = 1200;
const NARROW = 0.6;
const ELLIPSIS = "…";
const ROUNDING = 1e-9;
const NO_WIDTH = /[\p{Mn}\p{Me}\p{Cf}]/u;
/** East Asian scripts, full-width forms and emoji. */
const WIDE = /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/**
 * Write a text into a place of the picture; where it had to be cut, a tooltip has all of it.
 *
 * @param {Element} place
 * @param {string} text
 * @param {number} limit In em.
 */
export function writeCut(place, text, limit) {
  const shown = cut(text, limit);
  const [first] = place.childNodes;
  if (first?.nodeType !== TEXT) place.prepend(place.ownerDocument.createTextNode(shown));
  else if (first.nodeValue !== shown) first.nodeValue = shown;
  const found = place.querySelector("title");
  if (shown === text) {
    found?.remove();
    return;
  }
  const tip = found ?? place.appendChild(makeSvg(place.ownerDocument, "title"));
  setText(tip, cut(text, LONGEST_TOOLTIP));
}

/**
 * @param {Element} place
 * @returns {string} What stands there, without the tooltip.
 */
export function shownText(place) {
  return [...place.childNodes].filter(({ nodeType }) => nodeType === TEXT).map(({ nodeValue }) => nodeValue).join("");
}

const TEXT = 3;

/**
 * @param {string} text
 * @param {number} limit In em.
 */
export function cut(text, limit) {
  if (text.length * NARROW <= limit && !WIDE.test(text)) return text;
  let width = 0;
  let kept = "";
  let shortened = "";
  for (const character of text) {
    width += widthOf(character);
    if (width > limit + ROUNDING) return shortened.trimEnd() + ELLIPSIS;
    kept += character;
    if (width <= limit - NARROW + ROUNDING) shortened = kept;
  }
  return text;
}

/** @param {string} character */
function widthOf(character) {
  if (NO_WIDTH.test(character)) return 0;
  return WIDE.test(character) ? 1 : NARROW;
}
