import assert from "node:assert/strict";
import test from "node:test";

import { exampleState, open, skip } from "../page.mjs";

/** The example with an arrow that stands for both edges out of the first function. */
async function page(changes = {}) {
  const state = await exampleState();
  const arrow = '<g class="hv-edge" data-hv-keys="e0 e1" data-hv-state="pending"><path class="hv-line" d="M0 0L1 1"/>'
    + '<g class="hv-contribution"><text data-hv-field="contribution" data-hv-cut="6.0"></text></g></g>';
  const end = state.picture.lastIndexOf("</svg>");
  const shown = await open({ ...state, stops: [], picture: state.picture.slice(0, end) + arrow + state.picture.slice(end), ...changes });
  const group = () => shown.one("[data-hv-keys]");
  return { ...shown, group, text: () => group().querySelector("text").firstChild?.nodeValue ?? "" };
}

const stepOf = (state, key) => state.steps.findIndex(({ patches }, step) =>
  step > 0 && patches.some(([id, field, value]) => id === key && field === "state" && value === "current"));

test("an arrow that stands for several edges goes with all of them, forwards and backwards", { skip }, async () => {
  const shown = await page();
  const sent = stepOf(await exampleState(), "e0");
  assert.equal(shown.group().getAttribute("data-hv-state"), "pending");
  shown.model.update({ step: sent });
  assert.equal(shown.group().getAttribute("data-hv-state"), "current");
  assert.equal(shown.text(), "8; 12");
  shown.model.update({ step: sent + 1 });
  assert.equal(shown.group().getAttribute("data-hv-state"), "done");
  assert.equal(shown.text(), "8; 12");
  shown.model.update({ step: 0 });
  assert.equal(shown.group().getAttribute("data-hv-state"), "pending");
  assert.equal(shown.text(), "");
  shown.close();
});

test("what is sent along several edges alike is told once, and as text", { skip }, async () => {
  const state = await exampleState();
  const sent = stepOf(state, "e0");
  const told = "<i>far too long</i>";
  state.steps[sent].patches = state.steps[sent].patches.map(([key, field, value]) =>
    [key, field, field === "contribution" ? told : value]);
  const shown = await page({ steps: state.steps, step: sent });
  assert.equal(shown.text(), "<i>far to…");
  assert.equal(shown.group().querySelector("title").textContent, told);
  assert.equal(shown.group().querySelector("i"), null);
  shown.close();
});
