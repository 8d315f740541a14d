/** Turn the picture: from right to left, or from top to bottom. */

import { iconButton, make, nameButton } from "../dom/dom.js";
import { needsKernel } from "../dom/needs_kernel.js";

/**
 * @param {import("../types.js").Context} context
 */
export function createDirection({ document, signal, words, actions }) {
  const button = iconButton(document, "turn", "hv-quiet");
  const element = make(document, "div", "hv-zoom-buttons", {}, [button]);
  let wanted = "down";

  button.addEventListener("click", () => {
    if (button.getAttribute("aria-disabled") !== "true") actions.setDirection(wanted);
  }, { signal });

  return {
    element,
    /** @param {import("../types.js").View} view */
    update({ picture, direction, live, saved, busy }) {
      const isAcross = direction === "auto" ? looksAcross(picture) : direction === "across";
      wanted = isAcross ? "down" : "across";
      nameButton(button, words.say(`ui.direction.${wanted}`));
      button.disabled = !live;
      if (!live) button.title = needsKernel(words, saved, words.say(`ui.direction.${wanted}`));
      button.setAttribute("aria-disabled", String(busy || !live));
    },
  };
}

/** @param {string} picture */
export function looksAcross(picture) {
  return /^<svg[^>]* data-hv-direction="across"/.test(picture);
}
