import assert from "node:assert/strict";
import test from "node:test";

import { isRewriting, isRewritingStep } from "../../../js/src/state/rewriting.js";

const message = (key, args = {}) => ({ key, args });

test("a step rewrites when Python marks it so", () => {
  assert.equal(isRewritingStep({ marks: ["hook", "rewrite"] }), true);
  for (const step of [{ marks: ["hook", "nonfinite"] }, { marks: [] }, {}, undefined]) assert.equal(isRewritingStep(step), false);
});

test("a hook's row shows a change, or words that say there was none", () => {
  for (const did of ["8 → 10", message("value.arrow"), message("hook.in_place"), message("hook.value")]) {
    assert.equal(isRewriting(did), true);
  }
  for (const did of ["", message("hook.unchanged"), message("hook.ran"), message("hook.off"), message("hook.raised")]) {
    assert.equal(isRewriting(did), false);
  }
});
