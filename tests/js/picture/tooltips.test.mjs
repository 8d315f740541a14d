import assert from "node:assert/strict";
import test from "node:test";

import { exampleState, open, skip } from "../page.mjs";

const HOSTILE = "<img src=x onerror=alert(1)> and forty more letters";

/** The state of the example, with little room for what arrived at c. */
async function narrow() {
  const state = await exampleState();
  const card = state.picture.indexOf('data-hv-id="c"');
  const place = state.picture.indexOf('data-hv-field="incoming"', card);
  state.picture = `${state.picture.slice(0, place)}data-hv-cut="6.0" ${state.picture.slice(place)}`;
  const c = state.tensors.find(({ label }) => label === "c").id;
  state.steps[1].patches = [...state.steps[1].patches.filter(([, field]) => field !== "incoming"), [c, "incoming", HOSTILE]];
  state.steps[2].patches = [...state.steps[2].patches, [c, "incoming", "8"]];
  state.stops = [];
  return state;
}

test("a text that is cut has all of itself as a tooltip, as long as it is cut", { skip }, async () => {
  const page = await open({ ...(await narrow()), step: 1 });
  const place = () => page.card("c").querySelector('[data-hv-field="incoming"]');
  assert.equal(place().firstChild.nodeValue, "<img src=…");
  assert.equal(place().querySelector("title").textContent, HOSTILE);
  assert.equal(place().querySelector("img"), null);
  // What a screen reader says of the card is what stands on it.
  const spoken = page.card("c").getAttribute("aria-label");
  assert.match(spoken, /<img src=…/);
  assert.ok(!spoken.includes("forty"));
  page.model.update({ step: 2 });
  assert.equal(place().textContent, "8");
  assert.equal(place().querySelector("title"), null);
  page.model.update({ step: 1 });
  assert.equal(place().querySelectorAll("title").length, 1);
  page.close();
});

test("the lines of a tooltip are put into the other language", { skip }, async () => {
  const state = await exampleState();
  const lines = JSON.stringify(["<b>", { key: "role.leaf", args: {} }]).replaceAll('"', "&quot;").replaceAll("<", "&lt;");
  state.picture = state.picture.replace("<title>", `<title data-hv-lines="${lines}">`);
  const page = await open(state);
  const tip = page.one("title[data-hv-lines]");
  assert.equal(tip.textContent, "<b>\nleaf");
  page.model.update({ lang: "zh" });
  assert.equal(tip.textContent, "<b>\n叶子张量");
  assert.equal(tip.childElementCount, 0);
  page.close();
});
