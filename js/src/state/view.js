/** Read everything the parts draw from the model in one go. */

import { Boxes } from "./boxes.js";
import { isKept } from "../kernel/kept_answers.js";
import { Frames } from "./frames.js";
import { clamp } from "./stepper.js";
import { Stops } from "./stops.js";
import { currentTarget, findTarget, frameKey } from "./target.js";

/** @typedef {import("../types.js").View} View */

/** For traits that a page may lack; always the same objects, so that nothing seems to change. */
const NOTHING = Object.freeze({});
/** @type {any[]} */
const NONE = [];
const NO_SCORE = Object.freeze({ right: 0, asked: 0, steps: [] });

/**
 * @param {import("../types.js").Model} model
 * @param {View | null} before
 * @param {{live: boolean, saved: boolean, waiting: boolean, slow: boolean, playing: boolean, drafts: number}} own What only this view knows.
 * @returns {View} `before` itself when nothing has changed.
 */
export function readView(model, before, { live, saved, waiting, slow, playing, drafts }) {
  const steps = model.get("steps") ?? NONE;
  const frames = before !== null && before.steps === steps ? before.frames : new Frames(steps);
  const stops = read(before?.stops, [steps, model.get("stops") ?? NONE], Stops);
  const boxes = read(before?.boxes, [model.get("boxes") ?? NOTHING], Boxes);
  const tensors = model.get("tensors") ?? NONE;
  const modules = model.get("modules") ?? NONE;
  const step = clamp(model.get("step"), frames.count);
  const wanted = model.get("selected") ?? "";
  const found = findTarget(wanted, tensors, modules);
  const selected = found === null ? "" : wanted;
  const shown = found ?? currentTarget(stops, steps, step, boxes, tensors, modules);
  // A kernel that went away in the middle of its work will not say that it is done.
  const busy = live && (Boolean(model.get("busy")) || waiting);
  /** @type {View} */
  const view = {
    steps,
    frames,
    step,
    stops,
    stop: stops.placeOf(step),
    tensors,
    modules,
    boxes,
    expanded: model.get("expanded") ?? NONE,
    code: model.get("code") ?? NONE,
    values: model.get("values") ?? NONE,
    nextStep: stops.moved(step, "next"),
    comparisons: model.get("comparisons") ?? NONE,
    comparison: model.get("comparison") ?? null,
    can: askable(model, before, live, busy),
    predicting: Boolean(model.get("predicting")),
    score: model.get("score") ?? NO_SCORE,
    selected,
    shown,
    shownKey: shown === null ? "" : frameKey(shown, selected, steps, step, boxes),
    picture: model.get("picture") ?? "",
    direction: model.get("direction") ?? "auto",
    title: model.get("title") ?? "",
    hooksCode: model.get("hooks_code") ?? "",
    transcript: model.get("transcript") ?? NOTHING,
    notice: model.get("notice") ?? null,
    lang: model.get("lang") ?? "en",
    busy,
    slow: busy && slow,
    live,
    saved,
    speed: model.get("speed") || 1,
    playing,
    drafts,
  };
  return before !== null && isSame(view, before, model) ? before : view;
}

/**
 * @param {import("../types.js").Model} model
 * @param {View | null} before
 * @param {boolean} live
 * @param {boolean} busy
 * @returns {View["can"]} The same function as before while nothing has changed.
 */
function askable(model, before, live, busy) {
  if (before !== null && before.live === live && before.busy === busy) return before.can;
  return (request) => !busy && (live || isKept(model, request));
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

/** @type {WeakMap<View, unknown>} */
const stringsOf = new WeakMap();

/**
 * @param {View} view
 * @param {View} before
 * @param {import("../types.js").Model} model
 */
function isSame(view, before, model) {
  const strings = model.get("strings");
  stringsOf.set(view, strings);
  const names = /** @type {(keyof View)[]} */ (Object.keys(view));
  return names.every((name) => view[name] === before[name]) && stringsOf.get(before) === strings;
}
