/** Read everything the parts draw from the model in one go. */

import { Boxes } from "./boxes.js";
import { Frames } from "./frames.js";
import { clamp } from "./stepper.js";
import { Stops } from "./stops.js";
import { currentTarget, findTarget, frameKey } from "./target.js";

/** What traits hold that a page may lack; always the same objects, so that nothing seems to change. */
const ABSENT = {
  picture: "", steps: [], stops: [], strings: {}, tensors: [], modules: [], boxes: {}, expanded: [], code: [], step: 0,
  selected: "", lang: "en", title: "", transcript: {}, notice: null, busy: false, playing: false, speed: 1, values: [],
  predicting: false, score: { right: 0, asked: 0, steps: [] }, comparisons: [], comparison: null, hooks_code: "",
  direction: "auto",
};

export const TRAITS = Object.keys(ABSENT);

/**
 * @typedef {object} Own What only this view knows.
 * @property {boolean} live
 * @property {boolean} saved
 * @property {boolean} waiting
 * @property {boolean} slow
 * @property {number} drafts
 * @property {hv.View["can"]} can Whether a request would be answered by somebody who is not busy.
 */

/**
 * @param {hv.Model} model
 * @param {hv.View | null} before
 * @param {Own} own
 * @returns {hv.View} `before` itself when nothing has changed.
 */
export function readView(model, before, { live, saved, waiting, slow, drafts, can }) {
  const traits = Object.fromEntries(Object.entries(ABSENT).map(([name, absent]) => [name, model.get(name) ?? absent]));
  const { steps, tensors, modules, hooks_code: hooksCode, ...others } = traits;
  const frames = read(before?.frames, [steps], Frames);
  const stops = read(before?.stops, [steps, traits.stops], Stops);
  const boxes = read(before?.boxes, [traits.boxes], Boxes);
  const step = clamp(traits.step, frames.count);
  const found = findTarget(traits.selected, tensors, modules);
  const selected = found === null ? "" : traits.selected;
  const shown = found ?? currentTarget({ stops, steps, step, boxes, tensors, modules });
  // A kernel that went away in the middle of its work will not say that it is done.
  const busy = live && (Boolean(traits.busy) || waiting);
  const view = /** @type {hv.View} */ ({
    ...others,
    steps,
    frames,
    step,
    stops,
    stop: stops.placeOf(step),
    nextStep: stops.moved(step, "next"),
    tensors,
    modules,
    boxes,
    selected,
    shown,
    shownKey: shown === null ? "" : frameKey(shown, { selected, steps, step, boxes }),
    hooksCode,
    predicting: Boolean(traits.predicting),
    playing: Boolean(traits.playing),
    speed: traits.speed || 1,
    busy,
    slow: busy && slow,
    live,
    saved,
    drafts,
    can: (request) => !busy && can(request),
  });
  return isSame(view, before) ? /** @type {hv.View} */ (before) : view;
}

/**
 * @param {hv.View} view
 * @param {hv.View | null} before
 * @param {(keyof hv.View)[]} names
 * @returns {boolean} Whether any of these is another one than before.
 */
export function hasChanged(view, before, ...names) {
  return before === null || names.some((name) => view[name] !== before[name]);
}

/**
 * @param {hv.View} view
 * @param {hv.View | null} before
 */
function isSame(view, before) {
  const names = /** @type {(keyof hv.View)[]} */ (Object.keys(view));
  // What can be asked for depends on the others alone.
  return !hasChanged(view, before, ...names.filter((name) => name !== "can"));
}

/** @type {WeakMap<object, unknown[]>} From what traits each of these was made. */
const madeOf = new WeakMap();

/**
 * Make something out of traits, or take what was made of the same traits before.
 *
 * @template {object} Made
 * @template {unknown[]} Traits
 * @param {Made | undefined} before
 * @param {Traits} traits
 * @param {new (...traits: Traits) => Made} Type
 * @returns {Made}
 */
function read(before, traits, Type) {
  if (before !== undefined && madeOf.get(before)?.every((trait, index) => trait === traits[index])) return before;
  const made = new Type(...traits);
  madeOf.set(made, traits);
  return made;
}
