import assert from "node:assert/strict";
import test from "node:test";

import { exampleState, open, skip } from "../page.mjs";
import { findPlace } from "../../../js/src/picture/find.js";

const PLACES = ["layer1.conv", "conv", "conv2", "c"].map((name, place) => ({ id: `t${place}`, name, box: "" }));

test("the name itself comes before a beginning, and that before a part", () => {
  assert.equal(findPlace(PLACES, "conv")?.id, "t1");
  assert.equal(findPlace(PLACES, " CONV2 ")?.id, "t2");
  assert.equal(findPlace(PLACES, "lay")?.id, "t0");
  assert.equal(findPlace(PLACES, "1.c")?.id, "t0");
  assert.equal(findPlace(PLACES, "nobody"), null);
  assert.equal(findPlace(PLACES, " "), null);
});

test("few names need no search, many have one", { skip }, async () => {
  const state = await exampleState();
  const few = await open(state);
  assert.equal(few.one(".hv-find-box").hidden, true);
  few.close();
  const many = Array.from({ length: 12 }, (_, place) => ({ ...state.tensors[0], id: `x${place}`, label: `<i>${place}` }));
  const page = await open({ ...state, tensors: [...state.tensors, ...many] });
  assert.equal(page.one(".hv-find-box").hidden, false);
  const input = page.one(".hv-find");
  input.value = "d";
  page.key(input, "Enter");
  assert.equal(page.model.get("selected"), state.tensors.find(({ label }) => label === "d").id);
  input.value = "<i>11";
  page.key(input, "Enter");
  assert.equal(page.model.get("selected"), "x11");
  input.value = "nobody";
  page.key(input, "Enter");
  assert.equal(input.hasAttribute("data-hv-missing"), true);
  assert.equal(page.all("datalist i").length, 0);
  page.close();
});

test("keys typed into the search do not step", { skip }, async () => {
  const state = await exampleState();
  const page = await open({ ...state, step: 3 });
  for (const key of ["ArrowLeft", "Home", " ", "+"]) page.key(page.one(".hv-find"), key);
  assert.equal(page.model.get("step"), 3);
  page.close();
});
