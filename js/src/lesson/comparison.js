/** Choose another pass to compare with. */

import { html } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { needsKernel } from "../dom/needs_kernel.js";

/**
 * @param {hv.Context} context
 * @param {hv.View} view
 */
export function comparison({ words, actions, redraw }, view) {
  const name = words.say("ui.compare");
  const chosen = view.comparison?.against ?? "";
  /** @type {hv.View["comparisons"]} */
  const choices = [{ id: "", text: words.say("ui.compare.none") }, ...view.comparisons];
  /** @param {{id: string, absent?: boolean}} choice */
  const isPossible = ({ id, absent }) => !absent && view.can({ action: "compare", against: id });
  const isOff = view.busy || !choices.some(isPossible);
  return html`<select class="hv-select hv-compare" aria-label=${name} title=${title()} ?hidden=${view.comparisons.length === 0}
    ?disabled=${isOff} @change=${choose}>${choices.map((choice) => html`<option class=${choice.absent ? "hv-absent" : ""}
      value=${choice.id} ?disabled=${!isPossible(choice)} .selected=${live(choice.id === chosen)}>${words.format(choice.text)}</option>`)}</select>`;

  function title() {
    const absent = view.comparisons.find((choice) => choice.absent);
    const isAlone = absent?.text === view.comparisons[0]?.text;
    if (isOff && !view.live && !isAlone) return needsKernel(words, view.saved, name);
    return absent === undefined ? name : `${name}: ${words.format(absent.text)}`;
  }

  /** @param {any} event */
  function choose({ target }) {
    actions.send({ action: "compare", against: target.value });
    // What is chosen stands in the model; it answers when the other pass has run.
    redraw();
  }
}
