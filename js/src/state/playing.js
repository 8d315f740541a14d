/** Play in step with all other views of a model: the `playing` trait tells whether it plays. */

import { saver } from "./actions.js";
import { Player } from "./stepper.js";

/**
 * @param {hv.Model} model
 * @param {Window} page
 * @param {() => hv.View | null} now
 */
export function createPlaying(model, page, now) {
  const save = saver(model);
  let last = -1;
  // A page that was saved while it played does not start by itself: a kernel has to answer first.
  let mayPlay = !model.get("playing");
  const player = new Player(
    () => {
      const view = now();
      if (view === null) return false;
      // Another view of the same model plays too; whoever comes second lets the step stand.
      if (view.step === last) save("step", view.nextStep);
      last = now()?.step ?? last;
      return last < view.frames.count - 1;
    },
    { set: (callback, delay) => page.setTimeout(callback, delay), clear: (timer) => page.clearTimeout(timer) },
    () => save("playing", player.playing),
  );

  /** Do as the trait says. */
  function follow() {
    if (!model.get("playing")) player.pause();
    else if (!player.playing && mayPlay) {
      last = now()?.step ?? -1;
      player.play();
    }
  }

  return {
    follow,
    toggle() {
      const view = now();
      if (view === null) return;
      mayPlay = true;
      if (!player.playing && view.step >= view.frames.count - 1) save("step", 0);
      save("playing", !player.playing);
    },
    /** @param {boolean} isLive Whether a kernel answers, now that it is known. */
    settle(isLive) {
      if (mayPlay) return;
      mayPlay = true;
      if (isLive) follow();
      else save("playing", false);
    },
    /** @param {number} speed */
    setSpeed(speed) {
      player.speed = speed;
    },
    leave: () => player.leave(),
  };
}
