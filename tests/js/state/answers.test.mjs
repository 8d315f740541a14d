import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";

import { AnswerError, isCheckable, isRight, readAnswer } from "../../../js/src/state/answers.js";

const table = JSON.parse(
  await readFile(new URL("../../predictions.json", import.meta.url), "utf8"),
);

for (const [given, recorded] of table.right) {
  test(`right, as in Python: ${given}`, () => {
    assert.equal(isRight(readAnswer(given), recorded), true);
  });
}

for (const [given, recorded] of table.wrong) {
  test(`wrong, as in Python: ${given}`, () => {
    assert.equal(isRight(readAnswer(given), recorded), false);
  });
}

for (const given of table.unreadable) {
  test(`refused, as in Python: ${JSON.stringify(given)}`, () => {
    assert.throws(() => readAnswer(given), AnswerError);
  });
}

test("an endless answer is refused", () => {
  assert.throws(() => readAnswer("(".repeat(600) + "8" + ")".repeat(600)), AnswerError);
  assert.throws(() => readAnswer("(".repeat(300) + "8" + ")".repeat(300)), AnswerError);
  assert.throws(() => readAnswer("9".repeat(5000)), AnswerError);
  assert.throws(() => readAnswer("-".repeat(900) + "8"), AnswerError);
});

test("complex numbers are left to Python", () => {
  assert.equal(isCheckable(["(4-8j)"]), false);
  assert.equal(isCheckable(["4.0", null]), true);
});
