/**
 * Name a card or a box by all that stands on it. It is a button, and a screen reader reads of a
 * button nothing but its name.
 */

import { shownText } from "../dom/cut.js";

/** What begins a new phrase; the rest goes on with the phrase before. */
const BEGINS = ".hv-label, .hv-hook-number, .hv-note";
const OWN_NAME = ".hv-title, .hv-role, title";

/**
 * @param {Element} group A card or a box.
 * @param {string} name What it is called, in full.
 */
export function nameByContent(group, name) {
  /** @type {string[]} */
  const phrases = [name];
  for (const part of group.querySelectorAll("text, tspan")) {
    if (part.matches(OWN_NAME) || part.querySelector("tspan") !== null || !isSeen(part)) continue;
    const text = shownText(part);
    if (text === "") continue;
    if (part.matches(BEGINS) || phrases.length === 1) phrases.push(text);
    else phrases[phrases.length - 1] += ` ${text}`;
  }
  group.setAttribute("aria-label", phrases.join(", "));
}

/**
 * As `picture.css` has it: the arrow stands only before a rewritten gradient, and "not computed
 * yet" only until a gradient arrives.
 *
 * @param {Element} part
 */
function isSeen(part) {
  const line = part.parentElement;
  if (part.matches(".hv-arrow-text")) return Boolean(line?.querySelector(".hv-rewritten")?.textContent);
  if (part.matches(".hv-flow")) return !line?.querySelector(".hv-incoming")?.textContent;
  return true;
}
