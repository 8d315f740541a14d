import assert from "node:assert/strict";
import test from "node:test";

import { exampleState, open, skip } from "./page.mjs";

test("a kernel that went away may come back, and a page that was saved never had one", { skip }, async () => {
  const page = await open({ ...(await exampleState()), selected: "t1" });
  page.model.emit("comm_live_update");
  const help = () => page.one(".hv-help").textContent;
  assert.match(help(), /^No kernel answers at the moment: it is busy/);
  assert.equal(page.one(".hv-hook-buttons button").title, "Needs a kernel that answers");
  page.model.emit("msg:custom", { event: "hello" });
  assert.doesNotMatch(help(), /kernel/);

  const { mount } = await import("../../js/src/index.js");
  const el = page.document.createElement("div");
  page.document.body.append(el);
  const close = mount(el, { ...(await exampleState()), selected: "t1", lang: "zh" });
  assert.match(el.querySelector(".hv-help").textContent, /^这是保存下来的页面/);
  close();
  page.close();
});
