import assert from "node:assert/strict";
import test from "node:test";

import { cut } from "../../../js/src/dom/cut.js";
import { isWords } from "../../../js/src/state/said.js";
import { nextIndent } from "../../../js/src/code/indent.js";

test("text is cut where Python cuts it", () => {
  assert.equal(cut("[1, 2, 3]", 5.4), "[1, 2, 3]");
  assert.equal(cut("[1, 2, 3]", 5), "[1, 2,…");
  assert.equal(cut("尚未计算", 4), "尚未计算");
  assert.equal(cut("尚未计算", 3), "尚未…");
  assert.equal(cut("a".repeat(10_000), 6), `${"a".repeat(9)}…`);
  assert.equal(cut("anything", Infinity), "anything");
});

test("Python blocks are indented and left again", () => {
  assert.equal(nextIndent("def f(grad):"), "    ");
  assert.equal(nextIndent("def f(grad):  # why: because"), "    ");
  assert.equal(nextIndent("x\n    if grad:"), "        ");
  assert.equal(nextIndent("    print(grad)"), "    ");
  assert.equal(nextIndent("    return grad"), "");
  assert.equal(nextIndent("returned = 1"), "");
});

test("words where a number would stand are told from numbers", () => {
  const words = ["flow.pending", "grad.none", "note.hidden", "hook.unchanged", "value.none", "change.unchanged"];
  const values = ["value.arrow", "value.summary", "hook.in_place", "hook.value", "change.argument", "value.norm"];
  assert.deepEqual(words.filter((key) => !isWords({ key })), []);
  assert.deepEqual(values.filter((key) => isWords({ key })), []);
  assert.deepEqual(["8", "", undefined, null, [{ key: "grad.none" }]].filter(isWords), []);
});
