import assert from "node:assert/strict";
import test from "node:test";

import { isRewriting, isRewritingStep } from "../../../js/src/state/rewriting.js";

const step = (line) => ({ line });
const message = (key, args = {}) => ({ key, args });

test("a step rewrites when its line says so, however deep", () => {
  const rewrote = message("what.node_hook.rewrote");
  assert.equal(isRewritingStep(step(rewrote)), true);
  assert.equal(isRewritingStep(step(message("line.node", { node: "n", what: rewrote }))), true);
  assert.equal(isRewritingStep(step(message("line.pass", { line: message("line.node", { what: rewrote }) }))), true);
  assert.equal(isRewritingStep(step(message("line.tensor", { what: message("what.hook.unchanged") }))), false);
  for (const line of [undefined, "text", ["list"], message("line.ready")]) {
    assert.equal(isRewritingStep(step(line)), false);
  }
  assert.equal(isRewritingStep(undefined), false);
});

test("a module's hook rewrites when one of its changes is one", () => {
  const hook = (changes, key = "what.module.forward_hook") => step(message("line.module", { what: message(key, { changes }) }));
  assert.equal(isRewritingStep(hook([message("change.argument"), "…"])), true);
  assert.equal(isRewritingStep(hook(message("change.call", { changes: message("value.arrow") }))), true);
  assert.equal(isRewritingStep(hook(message("change.same"))), false);
  assert.equal(isRewritingStep(hook(message("change.unchanged"))), false);
  assert.equal(isRewritingStep(hook([message("change.output")], "what.module.forward")), false);
});

test("a hook's row shows a change, or words that say there was none", () => {
  for (const did of ["8 → 10", message("value.arrow"), message("hook.in_place"), message("hook.value")]) {
    assert.equal(isRewriting(did), true);
  }
  for (const did of ["", message("hook.unchanged"), message("hook.ran"), message("hook.off"), message("hook.raised")]) {
    assert.equal(isRewriting(did), false);
  }
});
