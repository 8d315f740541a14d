import assert from "node:assert/strict";
import test from "node:test";

import { nextMarked, nextOfTensor } from "../../../js/src/steps/run_to.js";

const steps = [
  { tensor: "", marks: [] },
  { tensor: "t0", marks: ["hook", "rewrite"] },
  { tensor: "t1", marks: ["hook"] },
  { tensor: "t0", marks: ["nonfinite"] },
  { tensor: "t1", marks: ["rewrite", "nonfinite"] },
];

test("the next marked step lies ahead of where the reader stands", () => {
  assert.equal(nextMarked(steps, 0, "hook"), 1);
  assert.equal(nextMarked(steps, 1, "hook"), 2);
  assert.equal(nextMarked(steps, 1, "rewrite"), 4);
  assert.equal(nextMarked(steps, 2, "hook"), null);
});

test("only the first NaN is one to run to", () => {
  assert.equal(nextMarked(steps, 0, "nonfinite"), 3);
  assert.equal(nextMarked(steps, 3, "nonfinite"), null);
});

test("the next step of a tensor", () => {
  assert.equal(nextOfTensor(steps, 0, "t0"), 1);
  assert.equal(nextOfTensor(steps, 1, "t0"), 3);
  assert.equal(nextOfTensor(steps, 3, "t0"), null);
  assert.equal(nextOfTensor(steps, 0, ""), null);
});

test("steps of an older page have no marks", () => {
  assert.equal(nextMarked([{ tensor: "" }], -1, "hook"), null);
});
