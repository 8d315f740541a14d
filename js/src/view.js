/** Read everything the parts draw from the model in one go. */

import { Frames } from "./frames.js";
import { clamp } from "./stepper.js";

/** @typedef {import("./types.js").View} View */
/** @typedef {import("./types.js").Tensor} Tensor */

/**
 * @param {import("./types.js").Model} model
 * @param {View | null} before
 * @param {{live: boolean, waiting: boolean, slow: boolean, playing: boolean, drafts: number}} own What only this view knows.
 * @returns {View} `before` itself when nothing has changed.
 */
export function readView(model, before, { live, waiting, slow, playing, drafts }) {
  const steps = model.get("steps") ?? [];
  const frames = before !== null && before.steps === steps ? before.frames : new Frames(steps);
  const tensors = model.get("tensors") ?? [];
  const step = clamp(model.get("step"), frames.count);
  const wanted = model.get("selected") ?? "";
  const selected = tensors.find((/** @type {Tensor} */ { id }) => id === wanted) ?? null;
  const busy = Boolean(model.get("busy")) || waiting;
  /** @type {View} */
  const view = {
    steps,
    frames,
    step,
    tensors,
    selected: selected?.id ?? "",
    shown: selected ?? currentTensor(steps, step, tensors),
    picture: model.get("picture") ?? "",
    title: model.get("title") ?? "",
    transcript: model.get("transcript") ?? {},
    notice: model.get("notice") ?? null,
    lang: model.get("lang") ?? "en",
    busy,
    slow: busy && slow,
    live,
    speed: model.get("speed") || 1,
    playing,
    drafts,
  };
  return before !== null && isSame(view, before, model) ? before : view;
}

/**
 * The tensor of the current step, else of the last step before it that has one, else the root.
 *
 * @param {import("./types.js").Step[]} steps
 * @param {number} step
 * @param {Tensor[]} tensors
 * @returns {Tensor | null}
 */
export function currentTensor(steps, step, tensors) {
  for (let index = step; index >= 0; index -= 1) {
    const found = tensors.find(({ id }) => id === steps[index]?.tensor);
    if (found !== undefined) return found;
  }
  return tensors.find(({ role }) => role === "root") ?? null;
}

/** @type {WeakMap<View, unknown>} */
const stringsOf = new WeakMap();

/**
 * @param {View} view
 * @param {View} before
 * @param {import("./types.js").Model} model
 */
function isSame(view, before, model) {
  const strings = model.get("strings");
  stringsOf.set(view, strings);
  const names = /** @type {(keyof View)[]} */ (Object.keys(view));
  return names.every((name) => view[name] === before[name]) && stringsOf.get(before) === strings;
}
