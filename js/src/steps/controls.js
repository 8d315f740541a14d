/** Draw the row of buttons: steps, play, slider, speed, language. */

import { iconButton, make, nameButton, setText, icon } from "../dom/dom.js";
import { SPEEDS } from "../state/stepper.js";

/** @typedef {import("../types.js").Context} Context */

const LANGUAGES = ["en", "zh"];

/**
 * @param {Context} context
 * @param {HTMLElement} comparison Where to choose what to compare with.
 * @returns {import("../types.js").Part}
 */
export function createControls({ document, signal, words, actions }, comparison) {
  const buttons = {
    first: iconButton(document, "first"),
    previous: iconButton(document, "previous"),
    next: iconButton(document, "next", "hv-primary hv-next-step"),
    last: iconButton(document, "last"),
  };
  const nextLabel = make(document, "span");
  buttons.next.prepend(nextLabel);
  const play = iconButton(document, "play");
  const slider = make(document, "input", "hv-slider", { type: "range", min: "0", step: "1" });
  const count = make(document, "span", "hv-count");
  const speed = make(document, "select", "hv-select");
  for (const value of SPEEDS) {
    speed.append(make(document, "option", "", { value: String(value) }, [`${value}×`]));
  }
  const predict = make(document, "button", "hv-button hv-predict", { type: "button" });
  const language = make(document, "button", "hv-button hv-language", { type: "button" });
  const element = make(document, "div", "hv-toolbar", { role: "group" }, [
    make(document, "span", "hv-button-row", {}, Object.values(buttons)),
    make(document, "span", "hv-button-row", {}, [play, speed]),
    make(document, "span", "hv-slider-row", {}, [slider, count]),
    comparison,
    predict,
    language,
  ]);

  for (const [where, button] of Object.entries(buttons)) {
    const move = /** @type {import("../state/stepper.js").Move} */ (where);
    button.addEventListener("click", () => actions.move(move), { signal });
  }
  play.addEventListener("click", () => actions.togglePlay(), { signal });
  slider.addEventListener("input", () => actions.gotoStop(Number(slider.value)), { signal });
  speed.addEventListener("change", () => actions.setSpeed(Number(speed.value)), { signal });
  predict.addEventListener("click", () => actions.togglePredicting(), { signal });
  language.addEventListener("click", () => actions.setLang(otherLanguage(words.lang)), { signal });

  return {
    element,
    update(view, before) {
      const last = view.stops.count - 1;
      slider.max = String(Math.max(last, 0));
      slider.value = String(view.stop);
      slider.style.setProperty("--hv-progress", String(last > 0 ? view.stop / last : 0));
      const where = { key: "ui.step_of", args: { step: String(view.stop), count: String(last) } };
      setText(count, words.format(where));
      slider.setAttribute("aria-valuetext", words.format(where));
      // Steps inside collapsed boxes are not counted here, but Python counts them.
      const isCounted = view.stops.count === view.frames.count;
      count.title = isCounted ? "" : words.say("ui.step_in_python", { code: `explorer.step = ${view.step}` });
      // aria-disabled and not disabled: a button that has the focus must not lose it at the end.
      for (const button of [buttons.first, buttons.previous]) setEnabled(button, view.step > 0);
      for (const button of [buttons.next, buttons.last]) setEnabled(button, view.step < view.stops.stepAt(last));
      const name = view.playing ? "pause" : "play";
      if (before?.playing !== view.playing) play.replaceChildren(icon(document, name));
      nameButton(play, words.say(`ui.${name}`));
      element.setAttribute("aria-label", words.say("ui.controls"));
      for (const [key, button] of Object.entries(buttons)) nameButton(button, words.say(`ui.${key}`));
      setText(nextLabel, words.say("ui.next"));
      nameButton(slider, words.say("ui.step"));
      nameButton(speed, words.say("ui.speed"));
      showSpeed(speed, view.speed);
      setText(predict, words.say("ui.predict"));
      predict.setAttribute("aria-pressed", String(view.predicting));
      // Only where something was recorded that can be asked for.
      if (view.steps !== before?.steps) predict.hidden = !view.steps.some(({ question }) => question);
      const other = otherLanguage(view.lang);
      setText(language, words.say(`ui.language.${other}`));
      language.lang = other;
      language.title = words.say("ui.language");
    },
  };
}

/**
 * @param {HTMLSelectElement} select
 * @param {number} speed Python may have set one that is not on the list.
 */
function showSpeed(select, speed) {
  const value = String(speed);
  if (![...select.options].some((option) => option.value === value)) {
    select.append(make(select.ownerDocument, "option", "", { value }, [`${value}×`]));
  }
  select.value = value;
}

/**
 * @param {HTMLElement} button
 * @param {boolean} enabled
 */
function setEnabled(button, enabled) {
  button.setAttribute("aria-disabled", String(!enabled));
}

/** @param {string} lang */
function otherLanguage(lang) {
  return LANGUAGES.find((code) => code !== lang) ?? "en";
}
