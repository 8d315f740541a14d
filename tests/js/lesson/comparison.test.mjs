import assert from "node:assert/strict";
import test from "node:test";

import { exampleState, open, skip } from "../page.mjs";

const CHOICES = [
  { id: "hooks", text: { key: "compare.baseline", args: {} } },
  { id: "h1", text: { key: "compare.without", args: { hook: "<b>c_hook</b>" } } },
];

async function page(changes = {}) {
  return open({ ...(await exampleState()), comparisons: CHOICES, comparison: null, ...changes });
}

test("the choices are shown as text, and choosing asks Python", { skip }, async () => {
  const shown = await page();
  const select = shown.one(".hv-compare");
  assert.deepEqual([...select.options].map((option) => option.value), ["", "hooks", "h1"]);
  assert.equal(select.options[2].textContent, "without <b>c_hook</b>");
  select.value = "hooks";
  select.dispatchEvent(new shown.window.Event("change", { bubbles: true }));
  assert.deepEqual(shown.sent.at(-1), { action: "compare", against: "hooks" });
  assert.equal(select.value, "");
  shown.close();
});

test("what differs and what does not is marked, and the marks go away again", { skip }, async () => {
  const shown = await page();
  const marks = () => shown.all("[data-hv-compared]").map((group) =>
    [group.getAttribute("data-hv-key") ?? group.getAttribute("data-hv-feed"), group.getAttribute("data-hv-compared")].join(" "));
  assert.deepEqual(marks(), []);
  shown.model.update({ comparison: { against: "hooks", changed: ["t1", "e0"], same: ["t2"] } });
  const found = new Set(marks());
  assert.ok(found.has("t1 changed"));
  assert.ok(found.has("e0 changed"));
  assert.ok(found.has("t2 same"));
  assert.equal(shown.one(".hv-compare").value, "hooks");
  shown.model.update({ comparison: null });
  assert.deepEqual(marks(), []);
  shown.close();
});

test("without choices there is nothing to choose from", { skip }, async () => {
  const shown = await page({ comparisons: [] });
  assert.equal(shown.one(".hv-compare").hidden, true);
  shown.close();
});

test("what cannot be compared with is no choice, and why is said in its place", { skip }, async () => {
  const why = { key: "compare.absent.others", args: { code: "<i>code</i>" } };
  const shown = await page({ comparisons: [...CHOICES, { id: "absent", text: why, absent: true }] });
  const select = shown.one(".hv-compare");
  assert.deepEqual([...select.options].map((option) => option.disabled), [false, false, false, true]);
  assert.match(select.options[3].textContent, /^without the other hooks: .*<i>code<\/i>$/);
  assert.match(select.title, /forward can be run again.*<i>code<\/i>/);
  assert.equal(select.disabled, false);
  shown.close();
});
