import assert from "node:assert/strict";
import test from "node:test";

import { clamp, Player } from "../../../js/src/state/stepper.js";

test("steps stay within their bounds", () => {
  assert.deepEqual([-1, 0, 3, 4, 99, 2.9, "2"].map((step) => clamp(step, 4)), [0, 0, 3, 3, 3, 2, 2]);
  assert.deepEqual([NaN, undefined, null, "x", Infinity].map((step) => clamp(step, 4)), [0, 0, 0, 0, 0]);
  assert.equal(clamp(5, 0), 0);
});

/** A clock that only moves when told to. */
function fakeClock() {
  const timers = new Map();
  let last = 0;
  return {
    timers,
    set(callback, delay) {
      timers.set((last += 1), { callback, delay });
      return last;
    },
    clear: (timer) => timers.delete(timer),
    tick() {
      const [[id, { callback, delay }]] = timers;
      timers.delete(id);
      callback();
      return delay;
    },
  };
}

test("playing advances until there is no more, and says when it ends", () => {
  const clock = fakeClock();
  let step = 0;
  const said = [];
  const player = new Player(() => (step += 1) < 3, clock, () => said.push(player.playing));
  player.play();
  player.play();
  assert.equal(clock.timers.size, 1);
  const slow = clock.tick();
  player.speed = 4;
  clock.tick();
  assert.equal(clock.tick(), slow / 4);
  assert.equal(step, 3);
  assert.equal(player.playing, false);
  assert.equal(clock.timers.size, 0);
  assert.deepEqual(said, [true, false]);
});

test("pausing while it advances holds", () => {
  const clock = fakeClock();
  const player = new Player(() => {
    player.pause();
    return true;
  }, clock);
  player.play();
  clock.tick();
  assert.equal(player.playing, false);
  assert.equal(clock.timers.size, 0);
});
