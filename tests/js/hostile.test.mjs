import assert from "node:assert/strict";
import test from "node:test";

import { exampleState, open, skip } from "./page.mjs";

const HOSTILE = [
  "</script><script>globalThis.broken = true</script>",
  "<img src=x onerror=\"globalThis.broken = true\">",
  "__proto__",
  "constructor",
  "\u202eright to left\u202c עברית",
  "'\"\\`${x}{tensor}&amp;",
  "x".repeat(10_000),
  "line\nline\ttab\u2028",
];

/** The example with one text wherever a user's text can stand. */
async function poisoned(text) {
  const state = await exampleState();
  state.title = text;
  state.selected = "t1";
  state.notice = { kind: "error", title: text, detail: text, hint: text, target: "", hook: "", serial: 1 };
  state.transcript = { en: text, zh: text };
  for (const tensor of state.tensors) {
    Object.assign(tensor, { label: text, names: [text, text], value: text, dtype: text, device: text });
    for (const hook of tensor.hooks) Object.assign(hook, { label: text, source: text, location: text });
  }
  for (const step of state.steps) {
    step.printed = text;
    for (const message of [step.line, step.caption]) message.args.tensor = text;
    step.patches = step.patches.map(([key, field, value]) => [key, field, field.includes("state") ? value : text]);
  }
  return state;
}

for (const text of HOSTILE) {
  test(`${JSON.stringify(text.slice(0, 24))} is only text`, { skip }, async () => {
    const clean = await open({ ...(await exampleState()), selected: "t1" });
    const tags = (page) => page.all("script, img, iframe, object, [onerror], foreignObject").length;
    const page = await open(await poisoned(text));
    assert.equal(tags(page), tags(clean));
    for (let step = 0; step <= 12; step += 1) page.model.update({ step });
    page.click(page.one(".hv-hook-list button"));
    const wanted = page.document.createElement("textarea");
    wanted.value = text;
    assert.equal(page.one("textarea").value, wanted.value);
    assert.equal(page.one(".hv-source-layer").textContent, `${wanted.value}\n`);
    assert.equal(page.one(".hv-inspector h3").textContent, `Tensor ${text}`);
    assert.equal(page.one("[role=alert] pre").textContent, text);
    assert.equal(tags(page), tags(clean));
    assert.equal(globalThis.broken, undefined);
    assert.equal({}.polluted, undefined);
    page.close();
    clean.close();
  });
}

test("ids that are names of the prototype work like others", { skip }, async () => {
  const state = await exampleState();
  const text = JSON.stringify(state).replaceAll('"t1"', '"__proto__"').replaceAll("\\\"t1\\\"", "\\\"__proto__\\\"");
  const page = await open(JSON.parse(text));
  page.model.update({ step: 7 });
  page.click(page.card("c"));
  assert.equal(page.model.get("selected"), "__proto__");
  assert.equal(page.text("c", "rewritten"), "10");
  page.close();
});

test("a picture can carry no script and no link", { skip }, async () => {
  const state = await exampleState();
  const evil = '<script>1</script><foreignObject><b xmlns="http://www.w3.org/1999/xhtml">x</b></foreignObject>'
    + '<a href="javascript:1"><text>x</text></a><style>* { display: none }</style>'
    + '<rect onclick="1" onload="1"/><image href="https://example.org/x.png"/>';
  state.picture = state.picture.replace(/(<svg[^>]*>)/, `$1${evil}`);
  const page = await open(state);
  const svg = page.one("svg.hv-picture");
  assert.ok(svg.querySelector(".hv-card"));
  assert.equal(svg.querySelectorAll("script, foreignObject, a, style, image, b").length, 0);
  assert.ok([...svg.querySelectorAll("*")].every((item) => !/\bon\w+=|href=/.test(item.outerHTML.split(">")[0])));
  page.close();
});

test("a picture that is no SVG is said to be missing, and the rest works", { skip }, async () => {
  for (const picture of ["<svg", "<html></html>", "", "text"]) {
    const page = await open({ ...(await exampleState()), picture });
    page.click(page.button("Next step"));
    assert.equal(page.model.get("step"), 1);
    assert.ok(page.one(".hv-picture-box .hv-empty").textContent);
    page.close();
  }
});
