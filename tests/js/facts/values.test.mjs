import assert from "node:assert/strict";
import test from "node:test";

import { cellColor, gridCells, limitOf } from "../../../js/src/facts/color_scale.js";
import { exampleState, open, skip } from "../page.mjs";

const SMALL = {
  shape: "[2, 2]", dtype: "float32", text: "[[1, -4], [0, 2]]", rows: [["1", "-4"], ["0", "2"]], levels: [[1, -4], [0, 2]],
};
const LARGE = {
  shape: "[64, 64]", dtype: "float32", text: "float32 [64, 64]", grid: "0180ff00", columns: 2, low: -1, high: 1,
  histogram: [1, 2, 1], counted: 4, minimum: "-1", maximum: "1", mean: "0", std: "0.5", norm: "8", zeros: 0, nans: 1, infs: 0,
};

async function page(values, shown) {
  const state = await exampleState();
  state.steps[1].values = shown;
  return open({ ...state, values, step: 1 });
}

test("a small value is a table of its numbers", { skip }, async () => {
  const shown = await page([SMALL], { before: [["", 0]], after: [["c", 0]] });
  const cells = shown.all(".hv-values-after td").map((cell) => cell.textContent);
  assert.deepEqual(cells, ["1", "-4", "0", "2"]);
  assert.equal(shown.one(".hv-values-after .hv-values-label").textContent, "c");
  assert.equal(shown.one(".hv-values-difference"), null);
  shown.close();
});

test("a large value is a picture, a histogram and figures", { skip }, async () => {
  const shown = await page([LARGE], { before: [], after: [["", 0]] });
  assert.equal(shown.all(".hv-value-grid rect").length, 4);
  assert.equal(shown.all(".hv-value-grid .hv-not-finite").length, 1);
  assert.equal(shown.all(".hv-value-histogram rect").length, 3);
  const figures = shown.all(".hv-value-figures dt").map((term) => term.textContent);
  assert.ok(figures.includes("NaN"));
  assert.ok(!figures.includes("infinite"));
  shown.close();
});

test("the difference is drawn where a value of the same shape changed", { skip }, async () => {
  const other = { ...SMALL, levels: [[1, -4], [3, 2]], rows: [["1", "-4"], ["3", "2"]] };
  const shown = await page([SMALL, other], { before: [["", 0]], after: [["", 1]] });
  assert.equal(shown.all(".hv-values-difference rect").length, 4);
  shown.close();
});

test("a single number has no table", { skip }, async () => {
  const shown = await page([{ shape: "[]", dtype: "float32", text: "8" }], { before: [["", 0]], after: [["", 0]] });
  assert.equal(shown.one(".hv-values").hidden, true);
  shown.close();
});

test("all values of a step share one scale, which ends at the largest number", () => {
  assert.equal(limitOf([SMALL, LARGE]), 4);
  assert.equal(limitOf([]), 1);
  assert.deepEqual(gridCells(LARGE), [-1, 0, 1, null]);
  assert.match(cellColor(-4, 4), /below\) 100%/);
  assert.match(cellColor(2, 4), /above\) 50%/);
  assert.match(cellColor(0, 4), / 0%/);
  assert.match(cellColor(null, 4), /not-finite/);
});
