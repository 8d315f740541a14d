import assert from "node:assert/strict";
import test from "node:test";

import { exampleState, open, skip } from "../page.mjs";

async function picture() {
  const page = await open(await exampleState());
  const { placeInPicture } = await import("../../../js/src/picture/places.js");
  return { page, placeInPicture };
}

test("cards, functions and arrows lie where their numbers say", { skip }, async () => {
  const { page, placeInPicture } = await picture();
  const drawing = page.one(".hv-drawing");
  drawing.setAttribute("transform", "translate(100 -20)");
  const card = page.card("c");
  card.setAttribute("transform", "translate(10.5 20)");
  const box = card.querySelector(".hv-box");
  assert.deepEqual(placeInPicture(card), {
    left: 110.5, top: 0, right: 110.5 + Number(box.getAttribute("width")), bottom: Number(box.getAttribute("height")),
  });
  const circle = page.one(".hv-function:has(circle.hv-shape)");
  circle.setAttribute("transform", "translate(50 60)");
  const radius = Number(circle.querySelector("circle.hv-shape").getAttribute("r"));
  assert.deepEqual(placeInPicture(circle), {
    left: 150 - radius, top: 40 - radius, right: 150 + radius, bottom: 40 + radius,
  });
  page.one(".hv-edge .hv-line").setAttribute("d", "M10 20C-5 30 40 2 30 40");
  assert.deepEqual(placeInPicture(page.one(".hv-edge")), { left: 95, top: -18, right: 140, bottom: 20 });
  page.close();
});

test("what is turned or has no outline is left to the browser", { skip }, async () => {
  const { page, placeInPicture } = await picture();
  assert.equal(placeInPicture(page.one(".hv-title")), null);
  page.card("c").setAttribute("transform", "rotate(3)");
  assert.equal(placeInPicture(page.card("c")), null);
  page.close();
});
