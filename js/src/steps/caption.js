/** Say in a sentence what happens at the current step; screen readers speak it. */

import { make, setSegments, setText } from "../dom/dom.js";
import { isRewritingStep } from "../state/rewriting.js";

/**
 * @param {import("../types.js").Context} context
 * @returns {import("../types.js").Part}
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
      const said = view.stops.saidAt(view.step);
      const step = view.steps[view.step];
      element.dataset.hvKind = step?.kind ?? "";
      element.toggleAttribute("data-hv-rewrote", said?.hasOwnWords === true && isRewritingStep(step));
      const isNew = !before || step !== before.steps[before.step] || view.stops !== before.stops;
      if (isNew || view.lang !== before.lang) {
        const segments = words.segments(said?.caption ?? { key: "ui.empty" });
        // Said again, the same words would be spoken again.
        if (segments.map(({ text }) => text).join("") !== sentence.textContent) setSegments(sentence, segments);
      }
      const text = said?.printed ?? "";
      output.hidden = text === "";
      setText(label, words.say("ui.printed"));
      setText(printed, text.replace(/\n$/, ""));
    },
  };
}
