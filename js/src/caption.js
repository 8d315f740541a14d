/** Say in a sentence what happens at the current step; screen readers speak it. */

import { make, setSegments, setText } from "./dom.js";
import { isRewritingStep } from "./rewriting.js";

/**
 * @param {import("./types.js").Context} context
 * @returns {import("./types.js").Part}
 */
export function createCaption({ document, words }) {
  const sentence = make(document, "div", "hv-sentence", { role: "status", dir: "auto" });
  const label = make(document, "span", "hv-chip");
  const printed = make(document, "pre", "hv-printed", { dir: "auto" });
  const output = make(document, "div", "hv-output", {}, [label, printed]);
  const element = make(document, "div", "hv-caption", {}, [sentence, output]);
  return {
    element,
    update(view, before) {
      const step = view.steps[view.step];
      element.dataset.hvKind = step?.kind ?? "";
      element.toggleAttribute("data-hv-rewrote", isRewritingStep(step));
      if (!before || step !== before.steps[before.step] || view.lang !== before.lang) {
        setSegments(sentence, words.segments(step ? step.caption : { key: "ui.empty" }));
      }
      output.hidden = !step?.printed;
      setText(label, words.say("ui.printed"));
      setText(printed, (step?.printed ?? "").replace(/\n$/, ""));
    },
  };
}
