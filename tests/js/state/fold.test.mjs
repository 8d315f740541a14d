import assert from "node:assert/strict";
import test from "node:test";

import { Boxes } from "../../../js/src/state/boxes.js";
import { foldAt, foldFacts } from "../../../js/src/state/fold.js";
import { Stops } from "../../../js/src/state/stops.js";
import { network, open, skip } from "../page.mjs";

const times = (count) => ({ key: "box.functions", args: { count: String(count) } });
const again = (number) => ({ key: "box.repeat", args: { number: String(number), count: "30" } });
const calls = new Boxes({
  g0: { parent: "", label: "0 … 11", type: "Block", module: "", number: "", count: 12 },
  k1: { parent: "g0", label: "0", type: "Block", module: "m1", number: "", count: 1 },
  k2: { parent: "k1", label: "0.lin", type: "Linear", module: "m2", number: "", count: 1 },
  k3: { parent: "g0", label: "1", type: "Block", module: "m3", number: "", count: 1 },
});
const loop = new Boxes({
  g0: { parent: "", label: "Mul, Add", type: times(2), module: "", number: "", count: 30 },
  g1: { parent: "g0", label: again(1), type: times(2), module: "", number: "", count: 1 },
  g2: { parent: "g0", label: again(2), type: times(2), module: "", number: "", count: 1 },
});

function view(boxes, places, stops, changes = {}) {
  const steps = places.map((place) => (typeof place === "string" ? { call: place, tensor: "" } : place));
  return { selected: "", steps, step: steps.length - 1, boxes, stops: new Stops(steps, stops), ...changes };
}

function told(now) {
  const fold = foldAt(now);
  return fold && Object.fromEntries(foldFacts(fold, now));
}

test("a fold of calls says their class, their number, and from which to which the step goes", () => {
  const now = view(calls, ["", "k2", "k1", "k3"], [{ step: 0 }, { step: 3, box: "g0", count: 3 }]);
  assert.deepEqual(told(now), {
    repeated: "Block", times: "12", inside: { key: "value.arrow", args: { before: "0", after: "1" } },
  });
});

test("inside one repetition it says where", () => {
  const stops = [{ step: 0 }, { step: 2, box: "g0", count: 2 }];
  assert.equal(told(view(calls, ["", "k2", "k2"], stops)).inside, "0.lin");
  assert.deepEqual(told(view(calls, ["", "k2", "k1"], stops)).inside, {
    key: "value.arrow", args: { before: "0.lin", after: "0" },
  });
});

test("a fold of functions says which functions, and which repetition by its number", () => {
  const now = view(loop, ["", "g2", "g2", "g1"], [{ step: 0 }, { step: 3, box: "g0", count: 3 }]);
  assert.deepEqual(told(now), {
    repeated: "Mul, Add", times: "30", inside: { key: "value.arrow", args: { before: again(2), after: again(1) } },
  });
});

test("in the middle of a stop nothing is told that has not happened yet", () => {
  const stops = [{ step: 0 }, { step: 3, box: "g0", count: 3 }];
  assert.deepEqual(told(view(loop, ["", "g2", "g2", "g1"], stops, { step: 2 })).inside, again(2));
});

test("a module, a chosen tensor, a step at a tensor, and a step outside are no folds", () => {
  const stops = [{ step: 0 }, { step: 1, box: "g0", count: 1 }];
  assert.equal(told(view(calls, ["", "k2"], [{ step: 0 }, { step: 1, box: "k1", count: 2 }])), null);
  assert.equal(told(view(calls, ["", "k2"], stops, { selected: "t0" })), null);
  assert.equal(told(view(calls, ["", { call: "k2", tensor: "t1" }], stops)), null);
  assert.equal(told(view(calls, ["", "k2"], [{ step: 0 }, { step: 1 }])), null);
  assert.equal(told(view(calls, ["", "k2"], stops)).inside, "0.lin");
});

test("the inspector shows the fold as text, and the module again at the next step", { skip }, async () => {
  const state = await network();
  state.boxes = { ...state.boxes, g0: { ...state.boxes.g0, label: "<b>conv</b>", type: "Conv2d", count: 3 } };
  const at = state.steps.findIndex(({ call }, step) => step > 0 && call === "k4");
  state.stops = [{ step: 0 }, { step: at, box: "g0", count: 2 }, { step: at + 1 }];
  const page = await open({ ...state, step: at });
  const facts = () => page.all(".hv-fact:not([hidden])").map((item) => item.textContent);
  assert.equal(page.one(".hv-inspector h3").textContent, "Box <b>conv</b>");
  assert.equal(page.one(".hv-inspector b"), null);
  assert.equal(page.one(".hv-inspector .hv-chip:not([hidden])").textContent, "Conv2d ×3");
  assert.ok(facts().some((fact) => fact.startsWith("how often") && fact.endsWith("3")));
  page.model.update({ selected: "m1" });
  assert.equal(page.one(".hv-inspector h3").textContent, "Module conv1");
  assert.ok(facts().every((fact) => !fact.startsWith("how often")));
  page.close();
});
