/** Open and close the boxes of the picture: by the signs on them, and all at once. */

import { html } from "lit-html";
import { makeSvg, setText } from "../dom/dom.js";
import { needsKernel } from "../dom/needs_kernel.js";
import { iconButton } from "../dom/template.js";

/** @param {hv.Context} context */
export function createToggles({ document, words, actions }) {
  /** @type {Map<string, Element>} By id of the box. */
  let toggles = new Map();

  return { buttons, find, update, toggle };

  /** @param {SVGSVGElement | null} svg */
  function find(svg) {
    const found = [...(svg?.querySelectorAll("[data-hv-toggle]") ?? [])];
    found.forEach(standApart);
    toggles = new Map(found.map((sign) => [sign.getAttribute("data-hv-toggle") ?? "", sign]));
  }

  /** @param {hv.View} view */
  function update({ boxes, live, saved, can }) {
    for (const [id, sign] of toggles) {
      const label = words.format(boxes.label(id));
      const number = boxes.get(id)?.number;
      const module = number ? `${label} (${number})` : label;
      const name = words.say(isOpen(sign) ? "box.collapse" : "box.expand", { module });
      sign.setAttribute("aria-label", name);
      const isPossible = can({ action: isOpen(sign) ? "collapse" : "expand", box: id });
      sign.setAttribute("aria-disabled", String(!isPossible));
      setTitle(document, sign, isPossible || live ? name : needsKernel(words, saved, name));
    }
  }

  /** @param {hv.View} view */
  function buttons({ live, saved, busy, can }) {
    const open = [...toggles.values()].filter(isOpen).length;
    const possible = { expand_all: open < toggles.size, collapse_all: open > 0 };
    return html`<div class="hv-zoom-buttons" ?hidden=${toggles.size === 0}>${Object.entries(possible).map(([action, isPossible]) => {
      const name = words.say(`ui.${action}`);
      const isOff = !live && !can({ action });
      return iconButton(action.replace("_all", ""), name, () => actions.send({ action }), {
        look: "hv-quiet", isOff, isPossible: isPossible && !busy && !isOff, title: isOff ? needsKernel(words, saved, name) : name,
      });
    })}</div>`;
  }

  /**
   * @param {string} id Of a box.
   * @param {boolean} [wanted] Whether to open it; the other way round than it is if not given.
   */
  function toggle(id, wanted) {
    const sign = toggles.get(id);
    if (sign === undefined || sign.getAttribute("aria-disabled") === "true") return;
    if (wanted !== isOpen(sign)) actions.toggle(id, !isOpen(sign));
  }
}

/** @param {Element} sign */
function isOpen(sign) {
  return sign.getAttribute("aria-expanded") === "true";
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

/**
 * Give a part of the picture a tooltip.
 *
 * @param {Document} document
 * @param {Element} element
 * @param {string} text
 */
function setTitle(document, element, text) {
  const found = [...element.children].find(({ localName }) => localName === "title");
  const title = found ?? makeSvg(document, "title");
  if (found === undefined) element.prepend(title);
  setText(title, text);
}
