/** Draw one row of the timeline: its number, its line, and a way into the box it steps over. */

import { html, nothing } from "lit-html";
import { icon, said } from "../dom/template.js";
import { needsKernel } from "../dom/needs_kernel.js";
import { isRewritingStep } from "../state/rewriting.js";

/**
 * @param {hv.Context} context
 * @param {hv.View} view
 * @param {number} place Of the stop.
 */
export function timelineRow(context, view, place) {
  const { words, actions } = context;
  const { step: last, line, box = "" } = view.stops.at(place) ?? { step: 0 };
  const step = view.steps[last];
  const isFolded = view.stops.isFolded(place);
  const isCurrent = place === view.stop;
  // Only the current row is a Tab stop: 3,000 of them would wall off what comes after. Each row knows
  // by itself that it is ahead: for a rule over siblings the browser would look at all at every step.
  return html`<li class="hv-row-item"><button type="button" class="hv-row" tabindex=${isCurrent ? 0 : -1}
    data-hv-kind=${line ? "box" : step.kind} data-hv-ahead=${place > view.stop ? "true" : nothing}
    ?data-hv-rewrote=${!line && isRewritingStep(step)}
    ?data-hv-rewrote-inside=${isFolded && view.stops.stepsOf(place).some(isRewritingStep)}
    aria-current=${isCurrent ? "step" : nothing} @click=${() => actions.gotoStop(place)}><span
    class="hv-row-number">${place}</span><span class="hv-row-text" dir="auto">${
    said(words.segments(line || step.line))}</span></button>${isFolded ? wayInto(context, view, place, box) : nothing}</li>`;
}

/**
 * @param {hv.Context} context
 * @param {hv.View} view
 * @param {number} place
 * @param {string} box
 */
function wayInto({ words, actions }, { stops, boxes, stop, live, saved, can }, place, box) {
  const count = String(stops.at(place)?.count);
  const name = words.say("ui.step_into", { module: words.format(boxes.label(box)) });
  const isPossible = can({ action: "expand", box });
  const title = live || isPossible ? `${name} (${words.say("ui.steps", { count })})` : needsKernel(words, saved, name);
  const first = stops.stepAt(place) - stops.stepsOf(place).length + 1;
  // The count is drawn by the style sheet: as text it would have to be in the button's name.
  return html`<button type="button" class="hv-button hv-quiet hv-row-into" tabindex=${place === stop ? 0 : -1}
    aria-label=${name} title=${title} aria-disabled=${String(!isPossible)}
    @click=${isPossible ? () => actions.stepInto(box, first) : null}><span class="hv-row-count"
    data-hv-count=${count}></span>${icon("into")}</button>`;
}
