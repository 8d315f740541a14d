/** Choose another pass to compare with. */

import { needsKernel } from "../dom/needs_kernel.js";
import { select } from "../dom/template.js";

/** @type {hv.Panel} */
export function comparison({ words, actions, redraw }, view) {
  const name = words.say("ui.compare");
  const chosen = view.comparison?.against ?? "";
  /** @type {hv.View["comparisons"]} */
  const choices = [{ id: "", text: words.say("ui.compare.none") }, ...view.comparisons];
  /** @param {{id: string, absent?: boolean}} choice */
  const isPossible = ({ id, absent }) => !absent && view.can({ action: "compare", against: id });
  const isOff = view.busy || !choices.some(isPossible);
  const offered = choices.map((choice) => ({
    value: choice.id,
    text: words.format(choice.text),
    isOff: !isPossible(choice),
    look: choice.absent ? "hv-absent" : undefined,
  }));
  return select(name, offered, chosen, choose, {
    look: "hv-compare", title: title(), isOff, isHidden: view.comparisons.length === 0,
  });

  function title() {
    const absent = view.comparisons.find((choice) => choice.absent);
    const isAlone = absent?.text === view.comparisons[0]?.text;
    if (isOff && !view.live && !isAlone) return needsKernel(words, view.saved, name);
    return absent === undefined ? name : `${name}: ${words.format(absent.text)}`;
  }

  /** @param {string} against */
  function choose(against) {
    actions.send({ action: "compare", against });
    // What is chosen stands in the model; it answers when the other pass has run.
    redraw();
  }
}
