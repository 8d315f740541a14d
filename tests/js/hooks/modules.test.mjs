import assert from "node:assert/strict";
import test from "node:test";

import { network, open, openNetwork, skip } from "../page.mjs";

const facts = (page) => Object.fromEntries(page.all(".hv-fact:not([hidden])").map((item) => [
  item.querySelector("dt").textContent, item.querySelector("dd").textContent,
]));
const heading = (page) => page.one(".hv-inspector h3").textContent;
const chips = (page) => page.all(".hv-inspector .hv-chip:not([hidden])").map((chip) => chip.textContent);
const change = (page, item, value) => {
  if (item.type === "checkbox") item.checked = value;
  else item.value = value;
  item.dispatchEvent(new page.window.Event("change", { bubbles: true }));
};

test("a click and Enter on a box select its module", { skip }, async () => {
  const page = await openNetwork({ step: 22 });
  page.click(page.box("k1").querySelector("text"));
  assert.equal(page.model.get("selected"), "m1");
  assert.equal(heading(page), "Module conv1");
  assert.deepEqual(chips(page), ["Conv2d"]);
  assert.equal(page.box("k1").getAttribute("aria-pressed"), "true");
  assert.deepEqual(facts(page), {
    input: "args[0] [1, 1, 28, 28]", output: "output [1, 6, 28, 28]", grad_output: "norm 1.25", grad_input: "norm 0.75",
  });
  page.key(page.box("k7"), "Enter");
  assert.equal(page.model.get("selected"), "m6");
  assert.equal(page.box("k1").getAttribute("aria-pressed"), "false");
  assert.equal(heading(page), "Module fc");
  page.key(page.one(".hv-root"), "Escape");
  assert.equal(page.model.get("selected"), "");
  page.close();
});

test("what is not known yet at a step is not shown", { skip }, async () => {
  const page = await openNetwork({ step: 0, selected: "m1" });
  assert.deepEqual(facts(page), {});
  assert.equal(page.one(".hv-inspector .hv-empty").textContent, "Not called yet at this step.");
  page.model.update({ step: 2 });
  assert.deepEqual(Object.keys(facts(page)), ["input", "output"]);
  assert.equal(page.one(".hv-inspector .hv-empty").hidden, true);
  page.close();
});

test("what surprises people at a module is said below its values", { skip }, async () => {
  const state = await network({ selected: "m1", step: 2 });
  state.modules[1].notes = [{ key: "ui.inspector.not_called", args: {} }, "<b>Second.</b>"];
  const page = await open(state);
  const note = page.one(".hv-inspector .hv-order");
  assert.equal(note.textContent, "Not called yet at this step. <b>Second.</b>");
  page.model.update({ selected: "m6" });
  assert.equal(note.hidden, true);
  page.model.update({ selected: "t0" });
  assert.equal(note.hidden, true);
  page.close();
});

test("of a module that is called twice, a click shows that call; else it follows the steps", { skip }, async () => {
  const page = await openNetwork({ step: 22 });
  page.click(page.box("k6"));
  assert.equal(page.model.get("selected"), "k6");
  assert.deepEqual(chips(page), ["ReLU", "call 2 of 2"]);
  assert.deepEqual([page.box("k2"), page.box("k6")].map((box) => box.getAttribute("aria-pressed")), ["false", "true"]);
  page.model.update({ selected: "m2", step: 3 });
  assert.deepEqual(chips(page), ["ReLU", "call 1 of 2"]);
  assert.deepEqual([page.box("k2"), page.box("k6")].map((box) => box.getAttribute("aria-pressed")), ["true", "true"]);
  page.model.update({ step: 15 });
  assert.deepEqual(chips(page), ["ReLU", "call 2 of 2"]);
  page.model.update({ step: 19 });
  assert.deepEqual(chips(page), ["ReLU", "call 1 of 2"]);
  page.close();
});

test("without a selection the panel follows the steps: modules in the forward, tensors in the backward", { skip }, async () => {
  const page = await openNetwork();
  const seen = [0, 2, 8, 10, 11, 14, 22].map((step) => {
    page.model.update({ step });
    return heading(page);
  });
  assert.deepEqual(seen, [
    "Tensor loss", "Module conv1", "Module fc", "Module net", "Tensor loss", "Module fc", "Module conv1",
  ]);
  // Long after a closed box it is still the box that was last spoken of, not what is unseen in it.
  page.model.update({ step: 15 });
  assert.equal(heading(page), "Module fc");
  // A fold has no module of its own; hooks go to the module around it.
  page.model.update({ step: 18 });
  assert.equal(heading(page), "Box blocks.0 … blocks.2");
  assert.equal(page.one(".hv-hooks h3").textContent, "Hooks on net");
  // Where the box is open, it is what happens inside that counts.
  page.model.update({ step: 14 });
  page.click(page.sign("k7"));
  assert.equal(heading(page), "Tensor fc.weight");
  page.close();
});

test("the hooks of a module stand kind by kind, and say what they did in the call that is shown", { skip }, async () => {
  const page = await openNetwork({ selected: "m1", step: 22 });
  const kinds = () => page.all(".hv-hook-kind-name").map((item) => item.textContent);
  assert.deepEqual(kinds(), ["forward pre-hook", "full backward hook"]);
  assert.deepEqual(page.all(".hv-hook-list li .hv-hook-label").map((item) => item.textContent), ["center", "halve"]);
  assert.deepEqual(page.all(".hv-hook-did").map((item) => item.textContent), ["0.5 → 0", "0.5 → 0"]);
  assert.match(page.one("textarea").value, /def center/);
  page.model.update({ selected: "t0" });
  assert.deepEqual(page.all(".hv-hook-kind-name:not([hidden])"), []);
  page.close();
});

test("a hook of any kind can be added to a module", { skip }, async () => {
  const page = await openNetwork({ selected: "m6", step: 8 });
  page.click(page.button("New hook"));
  const kind = page.one(".hv-kind-form select");
  const box = page.one(".hv-kind-form input");
  assert.equal(kind.closest("label").textContent.startsWith("Kind of hook"), true);
  assert.equal(box.closest("label").textContent, "with_kwargs");
  assert.deepEqual([...kind.options].map(({ textContent }) => textContent), [
    "forward pre-hook", "forward hook", "full backward pre-hook", "full backward hook",
  ]);
  const source = () => page.one("textarea").value;
  assert.equal(source(), "lambda module, args, output: output");
  change(page, box, true);
  assert.equal(source(), "lambda module, args, kwargs, output: output");
  change(page, kind, "module_forward_pre_hook");
  assert.equal(source(), "lambda module, args, kwargs: (args, kwargs)");
  change(page, kind, "module_backward_pre_hook");
  assert.equal(source(), "lambda module, grad_output: grad_output");
  assert.equal(box.disabled, true);
  page.click(page.button("Add hook"));
  assert.deepEqual(page.sent.at(-1), {
    action: "attach", target: "m6", source: "lambda module, grad_output: grad_output",
    kind: "module_backward_pre_hook", with_kwargs: false,
  });
  page.model.emit("msg:custom", { event: "applied" });
  change(page, kind, "module_backward_hook");
  assert.equal(source(), "lambda module, grad_input, grad_output: grad_input");
  change(page, kind, "module_forward_hook");
  assert.equal(box.checked, true, "what was chosen for one kind is not lost by looking at another");
  page.type("lambda module, args, kwargs, output: output * 2");
  change(page, kind, "module_forward_pre_hook");
  assert.equal(source(), "lambda module, args, kwargs, output: output * 2", "what was typed stays");
  change(page, kind, "module_forward_hook");
  page.key(page.one("textarea"), "Enter", { ctrlKey: true });
  assert.deepEqual(page.sent.at(-1), {
    action: "attach", target: "m6", source: "lambda module, args, kwargs, output: output * 2",
    kind: "module_forward_hook", with_kwargs: true,
  });
  page.close();
});

test("a hook of a module is edited, turned off, moved among its kind, and removed", { skip }, async () => {
  const state = await network({ selected: "m1", step: 22 });
  const [pre, back] = state.modules[1].hooks;
  state.modules[1].hooks = [pre, { ...pre, id: "h8", label: "second", with_kwargs: true, always_call: true }, back];
  const page = await open(state);
  const answer = () => page.model.emit("msg:custom", { event: "applied" });
  const rows = page.all(".hv-hook-list li");
  const press = (row, name) => {
    page.click(row.querySelector(`[aria-label="${name}"]`));
    answer();
    return page.sent.at(-1);
  };
  assert.match(rows[1].textContent, /with_kwargs, always_call/);
  assert.deepEqual(press(rows[0], "Move down"), { action: "move", hook: "h0", position: 1 });
  assert.deepEqual(press(rows[1], "Move up"), { action: "move", hook: "h8", position: 0 });
  const count = page.sent.length;
  press(rows[2], "Move up");
  assert.equal(page.sent.length, count, "another kind is another chain");
  assert.deepEqual(press(rows[2], "Turn off"), { action: "disable", hook: "h2" });
  page.click(rows[2].querySelector(".hv-hook-choose"));
  page.type("lambda module, grad_input, grad_output: None");
  page.click(page.button("Apply"));
  assert.deepEqual(page.sent.at(-1), { action: "edit", hook: "h2", source: "lambda module, grad_input, grad_output: None" });
  answer();
  assert.equal(page.one(".hv-kind-form"), null, "an edited hook keeps its kind");
  assert.deepEqual(press(rows[2], "Remove hook"), { action: "remove", hook: "h2" });
  page.close();
});

test("a refusal of a module's hook stands below its source, which is kept", { skip }, async () => {
  const page = await openNetwork({ selected: "k6", step: 22 });
  page.type("lambda output: output");
  page.click(page.button("Add hook"));
  page.model.update({ notice: { kind: "error", title: "t", detail: "d", hint: "", target: "m2", hook: "", serial: 1 } });
  assert.ok(page.one(".hv-hooks [role=alert]"));
  assert.equal(page.one("textarea").getAttribute("aria-invalid"), "true");
  assert.equal(page.one("textarea").value, "lambda output: output");
  page.click(page.button("Cancel"));
  assert.equal(page.one("textarea").value, "lambda module, args, output: output");
  page.close();
});

test("a forward that cannot run again takes no hooks, and says how it could", { skip }, async () => {
  const state = await network({ selected: "m1", step: 2 });
  for (const module of state.modules) module.kinds = [];
  const page = await open(state);
  assert.match(page.one(".hv-hooks .hv-empty").textContent, /hookviz\.explore\(lambda: \.\.\.\)/);
  assert.ok(page.button("New hook").closest("[hidden]"));
  const buttons = page.all(".hv-hook-buttons button");
  assert.ok(buttons.length >= 8 && buttons.every((button) => button.disabled));
  assert.ok(buttons.every((button) => button.getAttribute("aria-disabled") === "true"));
  assert.equal(page.button("Apply").disabled, true);
  page.model.update({ selected: "m6" });
  page.model.update({ selected: "m0" });
  assert.equal(page.one(".hv-editor").hidden, true);
  page.close();
});

test("typing in the panel of what is current keeps it there when the steps go on", { skip }, async () => {
  const page = await openNetwork({ step: 2 });
  page.one("textarea").focus();
  assert.equal(page.model.get("selected"), "m1");
  page.model.update({ step: 12 });
  assert.equal(heading(page), "Module conv1");
  page.close();
});

const HOSTILE = "<img src=x onerror=1>'\"`__proto__\u202e</script>";

test("names of modules, files and code are only text", { skip }, async () => {
  const state = await network({ selected: "m1", step: 13 });
  for (const module of state.modules) {
    Object.assign(module, { label: HOSTILE, type: HOSTILE });
    for (const hook of module.hooks) Object.assign(hook, { label: HOSTILE, source: HOSTILE });
  }
  for (const box of Object.values(state.boxes)) Object.assign(box, { label: HOSTILE, type: HOSTILE });
  state.code = state.code.map((source) => ({ ...source, file: HOSTILE, lines: source.lines.map(() => HOSTILE) }));
  const page = await open(state);
  assert.equal(page.all("script, img, [onerror]").length, 0);
  assert.equal(heading(page), `Module ${HOSTILE}`);
  assert.equal(page.sign("k1").getAttribute("aria-label"), `Expand ${HOSTILE}`);
  assert.equal(page.one(".hv-code-text").textContent, `${HOSTILE}\n`);
  assert.equal(page.one(".hv-row-into").getAttribute("aria-label"), `Step into ${HOSTILE}`);
  page.close();
});

test("hooks of tensors that cannot be changed have no working button, and the panel says why", { skip }, async () => {
  const state = await network({ selected: "t0" });
  const hook = {
    id: "h9", kind: "tensor_hook", label: "f", source: "f", origin: "user", enabled: true, location: "", editable: false,
  };
  state.tensors = state.tensors.map((tensor) => ({ ...tensor, hookable: false, hooks: tensor.id === "t0" ? [hook] : [] }));
  const page = await open(state);
  const buttons = page.all(".hv-chain-row .hv-hook-buttons button");
  assert.ok(buttons.length > 0 && buttons.every((button) => button.disabled));
  assert.match(buttons[0].title, /forward cannot be run again/);
  assert.match(page.one(".hv-hooks .hv-empty").textContent, /^This forward cannot be run again here/);
  assert.equal(page.one(".hv-hook-new").hidden, true);
  assert.equal(page.one(".hv-editor textarea").readOnly, true);
  page.model.update({ selected: "t1" });
  assert.equal(page.one(".hv-editor").hidden, true);
  page.close();
});
