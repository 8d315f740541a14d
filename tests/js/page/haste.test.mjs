import assert from "node:assert/strict";
import test from "node:test";

import { exampleState, open, skip } from "../page.mjs";

test("steps in quick succession move nothing on their way, and a step alone does", { skip }, async () => {
  const page = await open(await exampleState());
  const hasty = () => page.one(".hv-root").hasAttribute("data-hv-haste");
  page.model.update({ step: 1 });
  assert.ok(!hasty());
  page.model.update({ step: 2 });
  assert.ok(hasty());
  await new Promise((done) => page.window.setTimeout(done, 450));
  assert.ok(!hasty());
  page.model.update({ selected: "t1" });
  page.model.update({ lang: "zh" });
  page.model.update({ step: 3 });
  assert.ok(!hasty());
  page.close();
});
