import assert from "node:assert/strict";
import test from "node:test";

import { exampleState, open, skip } from "../page.mjs";

test("the picture is turned by a button that says what it will do", { skip }, async () => {
  const state = await exampleState();
  const across = state.picture.replace("<svg ", '<svg data-hv-direction="across" ');
  const page = await open({ ...state, picture: across, direction: "auto" });
  page.click(page.button("Draw from top to bottom"));
  assert.equal(page.model.get("direction"), "down");
  page.click(page.button("Draw from right to left"));
  assert.equal(page.model.get("direction"), "across");
  page.close();
});
