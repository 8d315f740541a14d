/** Explain the colours, the lines and the keys below the picture. */

import { html } from "lit-html";
import { make } from "../dom/dom.js";
import { draw } from "../dom/template.js";
import { looksAcross } from "./direction.js";

const SIGNS = ["incoming", "rewritten", "current", "pending", "unreached", "leaf", "direction"];
const HINTS = ["step", "play", "click"];
/** Where no kernel can ever answer, nothing can be hooked. */
const SAVED = /** @type {Record<string, string>} */ ({ click: "look", click_module: "look_module" });
const HINTS_WITH_BOXES = ["step", "play", "click_module", "boxes"];

/**
 * @param {hv.Context} context
 * @param {(view: hv.View) => unknown} tools Groups of buttons that change what is seen of the picture.
 * @returns {hv.Part}
 */
export function createLegend({ document, words }, tools) {
  const element = make(document, "div", "hv-key");
  return {
    element,
    update(view) {
      const { boxes, picture, saved } = view;
      element.toggleAttribute("data-hv-across", looksAcross(picture));
      const hints = boxes.count > 0 ? HINTS_WITH_BOXES : HINTS;
      const signs = SIGNS.map((name) => html`<span class="hv-key-sign"><span class="hv-key-swatch hv-key-swatch-${name}"
        aria-hidden="true"></span><span>${words.say(`ui.legend.${name}`)}</span></span>`);
      draw(element, html`<div class="hv-key-signs" role="group" aria-label=${words.say("ui.legend")}>${signs}</div>
        <div class="hv-tools">${tools(view)}</div>
        <p class="hv-hint">${hints.map((name) => words.say(`ui.help.${saved ? (SAVED[name] ?? name) : name}`)).join(" · ")}</p>`);
    },
  };
}
