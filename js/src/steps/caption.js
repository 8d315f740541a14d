/** Say in a sentence what happens at the current step; screen readers speak it. */

import { html } from "lit-html";
import { said } from "../dom/template.js";
import { isRewritingStep } from "../state/rewriting.js";

/** @type {hv.Panel} */
export function caption({ words }, { stops, steps, step }) {
  const now = stops.saidAt(step);
  const printed = now?.printed ?? "";
  return html`<div class="hv-caption" data-hv-kind=${steps[step]?.kind ?? ""}
    ?data-hv-rewrote=${now?.hasOwnWords === true && isRewritingStep(steps[step])}>
    <div class="hv-sentence" role="status" dir="auto">${said(words.segments(now?.caption ?? { key: "ui.empty" }))}</div>
    <div class="hv-output" ?hidden=${printed === ""}>
      <span class="hv-chip">${words.say("ui.printed")}</span><pre class="hv-printed" dir="auto">${printed.replace(/\n$/, "")}</pre>
    </div>
  </div>`;
}
