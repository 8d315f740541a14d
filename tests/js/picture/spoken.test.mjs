import assert from "node:assert/strict";
import test from "node:test";

import { exampleState, open, skip } from "../page.mjs";

test("the name of a card says all that stands on it, at every step and in every language", { skip }, async () => {
  const page = await open(await exampleState());
  const name = () => page.card("c").getAttribute("aria-label");
  assert.match(name(), /^c, non-leaf · retain_grad, value 6, gradient not computed yet, 1 c_hook, 2 .*, \.grad not computed yet$/);
  page.model.update({ step: 7 });
  assert.match(name(), /gradient 8 → 10, 1 c_hook 8 → 10, 2 /);
  page.model.update({ step: 9 });
  assert.match(name(), /10, unchanged, \.grad 10$/);
  page.model.update({ lang: "zh" });
  assert.match(name(), /^c.*非叶子张量.*梯度 8 → 10/);
  page.model.update({ step: 0, lang: "en" });
  assert.match(name(), /gradient not computed yet/);
  assert.doesNotMatch(name(), /→/);
  page.close();
});

test("programs that read the picture as text find the words apart", { skip }, async () => {
  const page = await open(await exampleState());
  assert.match(page.card("a").textContent, /a leaf value 2 /);
  page.close();
});
