/** Know at which steps to stop: what happens inside a collapsed box is stepped over. */

import { clamp } from "./stepper.js";

/**
 * @typedef {object} Said
 * @property {hv.Step[]} steps What it stands for.
 * @property {hv.Text} caption
 * @property {string} printed
 * @property {string} box The collapsed box in which all this happened, or "".
 * @property {boolean} hasOwnWords Whether the caption is that of the last step itself.
 */

export class Stops {
  #steps;
  /** @type {hv.Stop[]} Of rising steps, from step 0 to the last one. */
  #stops;

  /**
   * @param {hv.Step[]} steps
   * @param {hv.Stop[]} stops Empty when every step is a stop.
   */
  constructor(steps, stops) {
    this.#steps = steps;
    this.#stops = complete(stops, steps.length);
  }

  get count() {
    return this.#stops.length;
  }

  /**
   * @param {unknown} place
   * @returns {number} The step to show there.
   */
  stepAt(place) {
    return this.#stops[clamp(place, this.count)]?.step ?? 0;
  }

  /**
   * @param {number} step
   * @returns {number} The place of the stop that takes this step in.
   */
  placeOf(step) {
    let low = 0;
    let high = this.count - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#stops[middle].step < step) low = middle + 1;
      else high = middle;
    }
    return Math.max(low, 0);
  }

  /**
   * @param {number} step
   * @param {import("./stepper.js").Move} where
   * @returns {number} The step to go to.
   */
  moved(step, where) {
    const place = this.placeOf(step);
    // Python may stand at a step inside a box: the next stop is then the end of what is inside.
    const next = this.stepAt(place) > step ? place : place + 1;
    return this.stepAt({ first: 0, previous: place - 1, next, last: this.count - 1 }[where]);
  }

  /**
   * @param {number} place
   * @returns {hv.Stop | undefined}
   */
  at(place) {
    return this.#stops[place];
  }

  /**
   * The steps that one stop stands for, the last one included.
   *
   * @param {number} place
   * @returns {hv.Step[]}
   */
  stepsOf(place) {
    const stop = this.#stops[place];
    if (stop === undefined) return [];
    const before = place > 0 ? this.#stops[place - 1].step : -1;
    return this.#steps.slice(before + 1, stop.step + 1);
  }

  /**
   * Whether a stop stands for several steps inside a collapsed box.
   *
   * @param {number} place
   */
  isFolded(place) {
    const { box = "", count = 1 } = this.#stops[place] ?? {};
    return box !== "" && count > 1;
  }

  /**
   * What to show at a step: that of the stop if it ends there, else the step's own.
   *
   * @param {number} step
   * @returns {Said | null}
   */
  saidAt(step) {
    const now = this.#steps[step];
    if (now === undefined) return null;
    const place = this.placeOf(step);
    const stop = this.#stops[place];
    if (stop.step !== step) return { steps: [now], caption: now.caption, printed: now.printed, box: "", hasOwnWords: true };
    const isFolded = this.isFolded(place);
    const steps = isFolded ? this.stepsOf(place) : [now];
    return {
      steps,
      caption: stop.caption || now.caption,
      printed: stop.printed ?? steps.map(({ printed }) => printed).join(""),
      box: isFolded ? (stop.box ?? "") : "",
      hasOwnWords: !stop.caption,
    };
  }
}

/**
 * Keep what makes sense of a list that may come from an old page; the two ends are always stops.
 *
 * @param {hv.Stop[]} stops
 * @param {number} count Number of steps.
 * @returns {hv.Stop[]}
 */
function complete(stops, count) {
  if (stops.length === 0) return Array.from({ length: count }, (_, step) => ({ step }));
  /** @type {hv.Stop[]} */
  const kept = [];
  for (const stop of stops) {
    const isNext = Number.isInteger(stop?.step) && stop.step > (kept.at(-1)?.step ?? -1);
    if (isNext && stop.step < count) kept.push(stop);
  }
  if (count > 0 && kept[0]?.step !== 0) kept.unshift({ step: 0 });
  if (count > 0 && kept.at(-1)?.step !== count - 1) kept.push({ step: count - 1 });
  return kept;
}
