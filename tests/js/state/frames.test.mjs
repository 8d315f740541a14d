import assert from "node:assert/strict";
import test from "node:test";

import { Frames } from "../../../js/src/state/frames.js";

const steps = [
  [["t0", "state", "pending"], ["t0", "grad", { key: "grad.pending" }], ["__proto__", "state", "pending"]],
  [["t0", "state", "current"]],
  [["t0", "state", "done"], ["t0", "grad", "1"], ["t0", "grad", "2"], ["__proto__", "constructor", "x"]],
  [["t0", "grad", "2"]],
].map((patches) => ({ patches }));

/** The obvious way, to compare with. */
function fold(upTo) {
  const frame = new Map();
  for (const { patches } of steps.slice(0, upTo + 1)) {
    for (const [key, field, value] of patches) frame.set(`${key} ${field}`, value);
  }
  return frame;
}

test("a frame is what the patches up to it leave behind", () => {
  const frames = new Frames(steps);
  for (let step = 0; step < steps.length; step += 1) {
    const found = new Map(frames.all(step).map(({ key, field, value }) => [`${key} ${field}`, value]));
    for (const [name, value] of fold(step)) assert.deepEqual(found.get(name), value);
    for (const [name, value] of found) assert.deepEqual(value, fold(step).get(name) ?? "");
  }
});

test("applying the changes leads from any frame to any other", () => {
  const frames = new Frames(steps);
  for (let from = 0; from < steps.length; from += 1) {
    for (let to = 0; to < steps.length; to += 1) {
      const screen = new Map(frames.all(from).map(({ key, field, value }) => [`${key} ${field}`, value]));
      for (const { key, field, value } of frames.changes(from, to)) screen.set(`${key} ${field}`, value);
      const wanted = new Map(frames.all(to).map(({ key, field, value }) => [`${key} ${field}`, value]));
      assert.deepEqual(screen, wanted);
    }
  }
});

test("a field that ends up the same is no change", () => {
  const frames = new Frames(steps);
  assert.deepEqual(frames.changes(2, 3), []);
  assert.deepEqual(frames.changes(1, 1), []);
});

test("nobody knows fields that were never set", () => {
  const frames = new Frames(steps);
  assert.equal(frames.value("t0", "note", 3), "");
  assert.equal(frames.value("constructor", "state", 3), "");
  assert.equal(new Frames([]).count, 0);
});

test("a jump over 3,000 steps is quick", () => {
  const many = Array.from({ length: 3000 }, (_, index) => ({
    patches: [[`t${index}`, "state", "current"], [`t${index - 1}`, "state", "done"], ["t0", "grad", String(index)]],
  }));
  const frames = new Frames(many);
  const start = performance.now();
  assert.equal(frames.changes(0, 2999).length, 3001);
  assert.equal(frames.changes(2999, 0).length, 3001);
  assert.ok(performance.now() - start < 500);
});
