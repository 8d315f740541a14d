/** Turn the picture: from right to left, or from top to bottom. */

import { html } from "lit-html";
import { needsKernel } from "../dom/needs_kernel.js";
import { iconButton } from "../dom/template.js";

/** @type {hv.Panel} */
export function direction({ words, actions }, { picture, direction, live, saved, busy }) {
  const isAcross = direction === "auto" ? looksAcross(picture) : direction === "across";
  const wanted = isAcross ? "down" : "across";
  const name = words.say(`ui.direction.${wanted}`);
  return html`<div class="hv-zoom-buttons">${iconButton("turn", name, () => actions.setDirection(wanted), {
    look: "hv-quiet", isOff: !live, isPossible: live && !busy, title: live ? name : needsKernel(words, saved, name),
  })}</div>`;
}

/** @param {string} picture */
export function looksAcross(picture) {
  return /^<svg[^>]* data-hv-direction="across"/.test(picture);
}
