import assert from "node:assert/strict";
import test from "node:test";

import { isAtItsEnd } from "../../../js/src/page/scroll_keys.js";
import { exampleState, open, skip } from "../page.mjs";

const SUPPRESS = "data-lm-suppress-shortcuts";

/** What a notebook that looks at the page's keys before the widget does would find. */
function attributesSeen(page, target, key, more) {
  let seen;
  page.document.addEventListener("keydown", () => {
    seen = [target, page.one(".hv-root")].map((element) => element.getAttribute(SUPPRESS));
  }, { capture: true, once: true });
  page.key(target, key, more);
  return seen;
}

test("what has the focus keeps shortcuts out by itself, and lets the key that saves through", { skip }, async () => {
  const page = await open(await exampleState());
  for (const target of [page.button("Next step"), page.card("c"), page.one("textarea"), page.one(".hv-root")]) {
    assert.deepEqual(attributesSeen(page, target, "x"), ["true", "true"]);
    assert.deepEqual(attributesSeen(page, target, "s", { ctrlKey: true }), [null, null]);
    assert.deepEqual(attributesSeen(page, target, "d"), ["true", "true"]);
  }
  page.close();
});

test("arrows up and down scroll nothing around the explorer", { skip }, async () => {
  const page = await open({ ...(await exampleState()), selected: "t1" });
  for (const target of [page.button("Next step"), page.card("c"), page.one(".hv-root"), page.one("summary")]) {
    assert.ok(page.key(target, "ArrowDown").defaultPrevented);
    assert.ok(page.key(target, "ArrowUp").defaultPrevented);
    assert.ok(!page.key(target, "PageDown").defaultPrevented);
  }
  assert.ok(!page.key(page.one("textarea"), "ArrowDown").defaultPrevented);
  assert.ok(!page.key(page.one("select"), "ArrowDown").defaultPrevented);
  page.close();
});

test("a text that scrolls uses its keys until its end", () => {
  const text = (scrollTop) => ({ scrollTop, scrollHeight: 300, clientHeight: 100, matches: () => true });
  const at = (scrollTop, key, shiftKey = false) => isAtItsEnd({ key, shiftKey }, text(scrollTop));
  assert.ok(!at(0, "ArrowDown") && !at(0, "End") && !at(0, " "));
  assert.ok(at(0, "ArrowUp") && at(0, "Home") && at(0, " ", true));
  assert.ok(at(200, "ArrowDown") && at(200, "End") && at(200, " "));
  assert.ok(!at(200, "ArrowUp") && !at(0, "a"));
});
