import assert from "node:assert/strict";
import test from "node:test";

import { exampleState, network, open, skip } from "./page.mjs";

/** A page without a kernel. */
async function saved(state) {
  const page = await open(state);
  return page;
}

test("a saved page compares with what it keeps", { skip }, async () => {
  const state = await exampleState();
  const ghosts = state.steps.map((step) => ({ ...step, caption: "with ghosts" }));
  const comparison = { against: "hooks", changed: ["t1"], same: [] };
  const page = await saved({
    ...state,
    comparisons: [{ id: "hooks", text: "without hooks" }, { id: "h1", text: "without h1" }],
    comparison: null,
    step_lists: { plain: state.steps, hooks: ghosts },
    answers: {
      "compare:hooks": { steps: "hooks", comparison },
      "compare:": { steps: "plain", comparison: null },
    },
  });
  page.model.send = undefined;
  page.close();
  const { default: explorer } = await import("../../js/src/index.js");
  const close = explorer.render({ model: page.model, el: page.el });
  const select = page.one(".hv-compare");
  assert.equal(select.disabled, false);
  assert.deepEqual([...select.options].map((option) => option.disabled), [false, false, true]);
  select.value = "hooks";
  select.dispatchEvent(new page.window.Event("change", { bubbles: true }));
  assert.equal(page.one(".hv-sentence").textContent, "with ghosts");
  assert.equal(page.card("c").getAttribute("data-hv-compared"), "changed");
  select.value = "";
  select.dispatchEvent(new page.window.Event("change", { bubbles: true }));
  assert.notEqual(page.one(".hv-sentence").textContent, "with ghosts");
  close();
});

test("a saved page opens the boxes whose pictures it keeps, and no others", { skip }, async () => {
  const state = await network();
  const page = await saved({ ...state, answers: { expand_all: { title: "all open" } } });
  page.close();
  page.model.send = undefined;
  const { default: explorer } = await import("../../js/src/index.js");
  const close = explorer.render({ model: page.model, el: page.el });
  const all = page.button("Expand all");
  assert.equal(all.disabled, false);
  page.click(all);
  assert.equal(page.model.get("title"), "all open");
  assert.equal(page.button("Collapse all").disabled, true);
  for (const sign of page.all(".hv-toggle")) assert.equal(sign.getAttribute("aria-disabled"), "true");
  close();
});
