import assert from "node:assert/strict";
import test from "node:test";

import { exampleState, network, open, skip } from "../page.mjs";

test("a kernel that went away may come back, and a page that was saved never had one", { skip }, async () => {
  const page = await open({ ...(await exampleState()), selected: "t1" });
  page.model.emit("comm_live_update");
  const help = () => page.one(".hv-help").textContent;
  assert.match(help(), /^No kernel answers at the moment: it is busy/);
  assert.equal(page.one(".hv-hook-buttons button").title, "Needs a kernel that answers");
  page.model.emit("msg:custom", { event: "hello" });
  assert.doesNotMatch(help(), /kernel/);

  const { mount } = await import("../../../js/src/index.js");
  const el = page.document.createElement("div");
  page.document.body.append(el);
  const close = mount(el, { ...(await exampleState()), selected: "t1", lang: "zh" });
  assert.match(el.querySelector(".hv-help").textContent, /^这是保存下来的页面/);
  close();
  page.close();
});

test("a saved page offers no new hook, and blames nothing but having been saved", { skip }, async () => {
  const page = await open(await exampleState());
  const { mount } = await import("../../../js/src/index.js");
  const show = async (state, check) => {
    const el = page.document.createElement("div");
    page.document.body.append(el);
    const close = mount(el, state);
    const seen = (selector) => [...el.querySelectorAll(selector)].filter((part) => !part.closest("[hidden]"));
    assert.deepEqual(seen(".hv-hook-new"), []);
    assert.match(seen(".hv-help")[0].textContent, /^This page was saved/);
    assert.ok(!el.textContent.includes("cannot be run again"));
    check(seen);
    close();
    el.remove();
  };
  const state = await network();
  // What a page keeps of a module is what Python knows of a pass that is over: no kind can be added.
  const modules = state.modules.map((module) => ({ ...module, kinds: [], hooks: [] }));
  for (const [kept, selected] of [[modules, modules[0].id], [state.modules, state.modules[0].id]]) {
    await show({ ...state, modules: kept, selected }, (seen) => {
      if (kept === modules) assert.deepEqual(seen(".hv-editor textarea, .hv-editor button, .hv-editor select"), []);
    });
  }
  await show({ ...(await exampleState()), selected: "t1" }, (seen) => {
    assert.equal(seen(".hv-editor textarea").length, 1);
  });
  page.close();
});
