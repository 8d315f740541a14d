import assert from "node:assert/strict";
import test from "node:test";

import { Stops } from "../../../js/src/state/stops.js";
import { exampleState, openNetwork, skip } from "../page.mjs";

const steps = (count) => Array.from({ length: count }, (_, step) => ({
  line: `line ${step}`, caption: `caption ${step}`, printed: String(step),
}));
const MOVES = ["first", "previous", "next", "last"];
const moves = (stops, step) => MOVES.map((where) => stops.moved(step, where));

test("without a list every step is a stop", () => {
  const stops = new Stops(steps(5), []);
  assert.equal(stops.count, 5);
  assert.deepEqual(moves(stops, 2), [0, 1, 3, 4]);
  assert.equal(stops.moved(0, "previous"), 0);
  assert.equal(stops.moved(4, "next"), 4);
  assert.equal(stops.saidAt(3).caption, "caption 3");
});

test("with a list the moves go over what is inside a box, and out of it", () => {
  const stops = new Stops(steps(10), [{ step: 0 }, { step: 4, line: "box", box: "k1", count: 4 }, { step: 5 }, { step: 9 }]);
  assert.equal(stops.count, 4);
  assert.deepEqual(moves(stops, 4), [0, 0, 5, 9]);
  // Python may stand inside: the next stop is then the end of the box, the previous one lies before it.
  assert.deepEqual(moves(stops, 2), [0, 0, 4, 9]);
  assert.deepEqual([0, 1, 4, 5, 6, 9].map((step) => stops.placeOf(step)), [0, 1, 1, 2, 3, 3]);
  assert.deepEqual([-1, 1, 3, 99].map((place) => stops.stepAt(place)), [0, 4, 9, 9]);
});

test("what is said at a stop is the box's; inside it the step speaks for itself", () => {
  const list = [
    { step: 0 }, { step: 3, line: "the box", caption: "all of it", box: "k1", count: 3, printed: "a" },
    { step: 4, line: null, caption: null, box: "k1", count: 1 }, { step: 6, caption: null, box: "k1", count: 2 },
  ];
  const stops = new Stops(steps(7), list);
  const said = (step) => {
    const { caption, box, printed, hasOwnWords, steps: { length } } = stops.saidAt(step);
    return [caption, box, printed, hasOwnWords, length];
  };
  assert.deepEqual(said(3), ["all of it", "k1", "a", false, 3]);
  assert.deepEqual(said(2), ["caption 2", "", "2", true, 1]);
  assert.deepEqual(said(4), ["caption 4", "", "4", true, 1], "one step in an open box");
  assert.deepEqual(said(6), ["caption 6", "k1", "56", true, 2], "a forward that takes in what ran inside");
  assert.equal(stops.saidAt(7), null);
  assert.deepEqual([0, 1, 2, 3].map((place) => stops.isFolded(place)), [false, true, false, true]);
});

test("a list that makes no sense loses no end and no order", () => {
  const broken = [{ step: 2 }, null, { step: 1 }, { step: 2 }, { step: "4" }, { step: 3.5 }, { step: 5 }, { step: 99 }];
  const stops = new Stops(steps(8), broken);
  assert.deepEqual(Array.from({ length: stops.count }, (_, place) => stops.stepAt(place)), [0, 2, 5, 7]);
  const empty = new Stops([], broken);
  assert.deepEqual([empty.count, empty.stepAt(0), empty.placeOf(3), empty.moved(0, "next")], [0, 0, 0, 0]);
});

test("buttons, keys and the slider go from stop to stop; the trait counts steps", { skip }, async () => {
  const page = await openNetwork();
  const root = page.one(".hv-root");
  const slider = page.one("input[type=range]");
  const walked = [];
  for (let last = -1; last !== page.model.get("step");) {
    last = page.model.get("step");
    walked.push(last);
    page.key(root, "ArrowRight");
  }
  assert.deepEqual(walked, [0, 1, 2, 3, 6, 7, 8, 9, 10, 11, 12, 14, 15, 18, 19, 21, 22]);
  page.key(root, "Home");
  for (const step of walked.slice(1)) {
    page.click(page.button("Next step"));
    assert.equal(page.model.get("step"), step);
  }
  assert.equal(slider.max, "16");
  assert.equal(slider.value, "16");
  page.key(root, "ArrowLeft");
  assert.equal(page.model.get("step"), 21);
  slider.value = "4";
  slider.dispatchEvent(new page.window.Event("input"));
  assert.equal(page.model.get("step"), 6);
  assert.equal(slider.getAttribute("aria-valuetext"), "Step 4 of 16");
  assert.match(page.one(".hv-count").title, /explorer\.step = 6/);
  assert.equal(page.all(".hv-row").length, 17);
  page.click(page.all(".hv-row")[11]);
  assert.equal(page.model.get("step"), 14);
  assert.equal(page.one(".hv-row[aria-current]").textContent, "11fc: gradient norm 1.25 → norm 0.75");
  assert.match(page.one("[role=status]").textContent, /2 steps inside/);
  page.close();
});

test("Python may stand at a hidden step: the picture is that step's, the row is the box's", { skip }, async () => {
  const page = await openNetwork();
  page.model.update({ step: 17 });
  const box = page.box("g0");
  assert.equal(box.getAttribute("data-hv-state"), "current");
  assert.equal(page.all(".hv-row").indexOf(page.one(".hv-row[aria-current]")), 13);
  // What is said is what happens at that step, not what the box has done when it is through.
  assert.equal(page.one("[role=status]").textContent, "AddBackward0: sends norm 1.25");
  page.click(page.button("Next step"));
  assert.equal(page.model.get("step"), 18);
  assert.match(page.one("[role=status]").textContent, /3 steps inside/);
  page.close();
});

test("a way into a box opens it and goes to the first step inside", { skip }, async () => {
  const page = await openNetwork({ step: 0 });
  const row = page.all(".hv-row-item")[13];
  const into = row.querySelector("button[aria-label='Step into blocks.0 … blocks.2']");
  assert.ok(into);
  assert.equal(page.all(".hv-row-into").length, 4);
  into.focus();
  page.click(into.querySelector("svg"));
  assert.deepEqual(page.sent.at(-1), { action: "expand", box: "g0" });
  assert.equal(page.model.get("step"), 16);
  assert.equal(page.all(".hv-row").length, 21);
  const current = page.one(".hv-row[aria-current]");
  assert.equal(current.textContent, "15AddBackward0: sends norm 1.25");
  assert.equal(page.document.activeElement, current, "the focus stays in the list");
  page.close();
});

test("what hooks printed inside a box is not lost at its stop", { skip }, async () => {
  const page = await openNetwork({ step: 9 });
  assert.equal(page.one(".hv-printed").textContent, "torch.Size([1, 10])");
  page.click(page.sign("k0"));
  assert.equal(page.model.get("step"), 9);
  assert.equal(page.one(".hv-printed").textContent, "torch.Size([1, 10])");
  // A change by a hook inside is marked on the row, but the numbers of the line are not its.
  const row = page.all(".hv-row")[1];
  assert.equal(row.hasAttribute("data-hv-rewrote-inside"), true);
  assert.equal(row.hasAttribute("data-hv-rewrote"), false);
  assert.equal(page.one(".hv-caption").hasAttribute("data-hv-rewrote"), false);
  page.close();
});

test("playing goes from stop to stop and ends at the last", { skip }, async () => {
  const page = await openNetwork({ step: 19 });
  page.close();
  const waiting = [];
  page.window.setTimeout = (callback, delay) => waiting.push({ callback, delay });
  const { default: explorer } = await import("../../../js/src/index.js");
  const close = explorer.render({ model: page.model, el: page.el });
  page.model.emit("msg:custom", { event: "hello" });
  page.click(page.button("Play"));
  const seen = [];
  const tick = () => waiting.splice(waiting.findIndex(({ delay }) => delay === 1200), 1)[0].callback();
  for (; page.model.get("playing");) {
    tick();
    seen.push(page.model.get("step"));
  }
  assert.deepEqual(seen, [21, 22]);
  close();
});

test("a page without modules has nothing of all this", { skip }, async () => {
  const { open } = await import("../page.mjs");
  const page = await open(await exampleState());
  for (const name of ["Expand all", "Collapse all"]) assert.ok(page.button(name).closest("[hidden]"), name);
  assert.equal(page.one(".hv-code-panel").hidden, true);
  assert.equal(page.one(".hv-root").hasAttribute("data-hv-code"), false);
  assert.equal(page.all(".hv-row-into").length, 0);
  assert.equal(page.one(".hv-count").title, "");
  page.close();
});
