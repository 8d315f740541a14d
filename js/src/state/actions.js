/** Write into the model what a part asks for; nothing else writes there. */

import { clamp } from "./stepper.js";

/**
 * @param {hv.Model} model
 * @returns {(trait: string, value: unknown) => void} Sets a trait here and in Python, if it is another value.
 */
export function saver(model) {
  return (trait, value) => {
    if (model.get(trait) === value) return;
    model.set(trait, value);
    model.save_changes();
  };
}

/**
 * @param {hv.Model} model
 * @param {() => hv.View | null} now
 * @param {{toggle: () => void}} playing
 * @param {(request: {action: string, [name: string]: unknown}) => void} send
 * @returns {hv.Actions}
 */
export function createActions(model, now, playing, send) {
  const save = saver(model);
  /** @type {hv.Actions} */
  const actions = {
    goto(step) {
      save("playing", false);
      const view = now();
      if (view !== null) save("step", clamp(step, view.frames.count));
    },
    gotoStop: (place) => actions.goto(now()?.stops.stepAt(place) ?? 0),
    visit: (step) => actions.gotoStop(now()?.stops.placeOf(step) ?? 0),
    move(where) {
      const view = now();
      if (view !== null) actions.goto(view.stops.moved(view.step, where));
    },
    togglePlay: () => playing.toggle(),
    setSpeed: (speed) => save("speed", speed),
    select: (id) => save("selected", id),
    setLang: (lang) => save("lang", lang),
    toggle: (box, isExpanded) => actions.send({ action: isExpanded ? "expand" : "collapse", box }),
    stepInto(box, step) {
      if (!now()?.can({ action: "expand", box })) return;
      actions.goto(step);
      actions.toggle(box, true);
    },
    setDirection: (direction) => save("direction", direction),
    togglePredicting: () => save("predicting", !model.get("predicting")),
    answered(step, right) {
      const score = now()?.score;
      if (score === undefined || score.steps.includes(step)) return;
      save("score", {
        right: score.right + (right ? 1 : 0), asked: score.asked + 1, steps: [...score.steps, step],
      });
    },
    send(request) {
      if (now()?.busy === false) send(request);
    },
  };
  return actions;
}
