/** Draw the row of buttons: steps, play, slider, speed, language. */

import { html } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { iconButton, select, textButton } from "../dom/template.js";
import { SPEEDS } from "../state/stepper.js";

const LANGUAGES = ["en", "zh"];

/**
 * @param {hv.Context} context
 * @param {hv.View} view
 * @param {unknown} comparison Where to choose what to compare with.
 */
export function controls({ words, actions }, view, comparison) {
  const last = view.stops.count - 1;
  const where = words.say("ui.step_of", { step: String(view.stop), count: String(last) });
  // Steps inside collapsed boxes are not counted here, but Python counts them.
  const isCounted = view.stops.count === view.frames.count;
  const isBack = view.step > 0;
  const isOn = view.step < view.stops.stepAt(last);
  /** @type {[import("../state/stepper.js").Move, boolean, {look?: string, text?: string}][]} */
  const moves = [
    ["first", isBack, {}],
    ["previous", isBack, {}],
    ["next", isOn, { look: "hv-primary hv-next-step", text: words.say("ui.next") }],
    ["last", isOn, {}],
  ];
  // Python may have set one that is not on the list.
  const speeds = [...new Set([...SPEEDS, view.speed])].map((speed) => ({ value: String(speed), text: `${speed}×` }));
  const play = view.playing ? "pause" : "play";
  const other = LANGUAGES.find((code) => code !== view.lang) ?? "en";
  return html`<div class="hv-toolbar" role="group" aria-label=${words.say("ui.controls")}>
    <span class="hv-button-row">${moves.map(([move, isPossible, more]) =>
      iconButton(move, words.say(`ui.${move}`), () => actions.move(move), { isPossible, ...more }))}</span>
    <span class="hv-button-row">${iconButton(play, words.say(`ui.${play}`), actions.togglePlay)}${
      select(words.say("ui.speed"), speeds, String(view.speed), (speed) => actions.setSpeed(Number(speed)))}</span>
    <span class="hv-slider-row"><input class="hv-slider" type="range" min="0" step="1" max=${Math.max(last, 0)}
      .value=${live(String(view.stop))} style="--hv-progress: ${last > 0 ? view.stop / last : 0}"
      aria-label=${words.say("ui.step")} title=${words.say("ui.step")} aria-valuetext=${where}
      @input=${(/** @type {any} */ event) => actions.gotoStop(Number(event.target.value))}><span class="hv-count"
      title=${isCounted ? "" : words.say("ui.step_in_python", { code: `explorer.step = ${view.step}` })}>${where}</span></span>
    ${comparison}
    ${textButton(words.say("ui.predict"), actions.togglePredicting, {
      look: "hv-predict",
      isPressed: view.predicting,
      // Only where something was recorded that can be asked for.
      isHidden: !view.steps.some(({ question }) => question),
    })}
    <button type="button" class="hv-button hv-language" lang=${other} title=${words.say("ui.language")}
      @click=${() => actions.setLang(other)}>${words.say(`ui.language.${other}`)}</button>
  </div>`;
}
