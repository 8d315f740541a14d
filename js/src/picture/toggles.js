/** Open and close the boxes of the picture: by the signs on them, and all at once. */

import { iconButton, make, nameButton, setText } from "../dom/dom.js";
import { needsKernel } from "../dom/needs_kernel.js";

/** @typedef {import("../types.js").View} View */

const SVG = "http://www.w3.org/2000/svg";

/**
 * @param {import("../types.js").Context} context
 */
export function createToggles({ document, signal, words, actions }) {
  const buttons = {
    expand_all: iconButton(document, "expand", "hv-quiet"),
    collapse_all: iconButton(document, "collapse", "hv-quiet"),
  };
  const element = make(document, "div", "hv-zoom-buttons", {}, Object.values(buttons));
  /** @type {Map<string, Element>} By id of the box. */
  let toggles = new Map();

  for (const [action, button] of Object.entries(buttons)) {
    button.addEventListener("click", () => {
      if (isEnabled(button)) actions.send({ action });
    }, { signal });
  }

  return { element, find, update, toggle };

  /** @param {SVGSVGElement | null} svg */
  function find(svg) {
    const found = [...(svg?.querySelectorAll("[data-hv-toggle]") ?? [])];
    found.forEach(standApart);
    toggles = new Map(found.map((sign) => [sign.getAttribute("data-hv-toggle") ?? "", sign]));
  }

  /** @param {View} view */
  function update({ boxes, live, saved, busy, can }) {
    let closed = 0;
    for (const [id, sign] of toggles) {
      const isOpen = sign.getAttribute("aria-expanded") === "true";
      if (!isOpen) closed += 1;
      const label = words.format(boxes.label(id));
      const number = boxes.get(id)?.number;
      const module = number ? `${label} (${number})` : label;
      const name = words.say(isOpen ? "box.collapse" : "box.expand", { module });
      sign.setAttribute("aria-label", name);
      const isPossible = can({ action: isOpen ? "collapse" : "expand", box: id });
      sign.setAttribute("aria-disabled", String(!isPossible));
      setTitle(document, sign, isPossible || live ? name : needsKernel(words, saved, name));
    }
    element.hidden = toggles.size === 0;
    for (const [name, button] of Object.entries(buttons)) {
      nameButton(button, words.say(`ui.${name}`));
      button.disabled = !live && !can({ action: name });
      if (button.disabled) button.title = needsKernel(words, saved, words.say(`ui.${name}`));
      const possible = name === "expand_all" ? closed > 0 : closed < toggles.size;
      button.setAttribute("aria-disabled", String(!possible || busy));
    }
  }

  /**
   * @param {string} id Of a box.
   * @param {boolean} [wanted] Whether to open it; the other way round than it is if not given.
   */
  function toggle(id, wanted) {
    const sign = toggles.get(id);
    if (sign === undefined || !isEnabled(sign)) return;
    const isOpen = sign.getAttribute("aria-expanded") === "true";
    if (wanted !== isOpen) actions.toggle(id, !isOpen);
  }
}

/**
 * Take a sign out of its box, to right behind it: what stands in a button is not there for a screen
 * reader, and the box is one.
 *
 * @param {Element} sign
 */
function standApart(sign) {
  const box = sign.closest(".hv-module");
  if (box === null) return;
  /** @type {string[]} */
  const moves = [];
  for (let item = /** @type {Element | null} */ (sign); item !== null; item = item === box ? null : item.parentElement) {
    moves.unshift(item.getAttribute("transform") ?? "");
  }
  sign.setAttribute("transform", moves.join(" ").trim());
  box.after(sign);
}

/** @param {Element} button */
function isEnabled(button) {
  return button.getAttribute("aria-disabled") !== "true" && !button.hasAttribute("disabled");
}

/**
 * Give a part of the picture a tooltip.
 *
 * @param {Document} document
 * @param {Element} element
 * @param {string} text
 */
function setTitle(document, element, text) {
  const found = [...element.children].find(({ localName }) => localName === "title");
  const title = found ?? document.createElementNS(SVG, "title");
  if (found === undefined) element.prepend(title);
  setText(title, text);
}
