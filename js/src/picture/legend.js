/** Explain the colours, the lines and the keys below the picture. */

import { looksAcross } from "./direction.js";
import { make, setText } from "../dom/dom.js";

const SIGNS = ["incoming", "rewritten", "current", "pending", "unreached", "leaf", "direction"];
const HINTS = ["step", "play", "click"];
/** Where no kernel can ever answer, nothing can be hooked. */
const SAVED = /** @type {Record<string, string>} */ ({ click: "look", click_module: "look_module" });
const HINTS_WITH_BOXES = ["step", "play", "click_module", "boxes"];

/**
 * @param {import("../types.js").Context} context
 * @param {HTMLElement[]} tools Groups of buttons that change what is seen of the picture.
 * @returns {import("../types.js").Part}
 */
export function createLegend({ document, words }, tools) {
  const signs = SIGNS.map((name) => {
    const text = make(document, "span");
    const item = make(document, "span", "hv-key-sign", {}, [
      make(document, "span", `hv-key-swatch hv-key-swatch-${name}`, { "aria-hidden": "true" }), text,
    ]);
    return { name, item, text };
  });
  const hint = make(document, "p", "hv-hint");
  const key = make(document, "div", "hv-key-signs", { role: "group" }, signs.map(({ item }) => item));
  const element = make(document, "div", "hv-key", {}, [key, make(document, "div", "hv-tools", {}, tools), hint]);
  return {
    element,
    update({ boxes, picture, saved }, before) {
      if (before?.picture !== picture) element.toggleAttribute("data-hv-across", looksAcross(picture));
      key.setAttribute("aria-label", words.say("ui.legend"));
      for (const { name, text } of signs) setText(text, words.say(`ui.legend.${name}`));
      const hints = boxes.count > 0 ? HINTS_WITH_BOXES : HINTS;
      setText(hint, hints.map((name) => words.say(`ui.help.${saved ? SAVED[name] ?? name : name}`)).join(" · "));
    },
  };
}
