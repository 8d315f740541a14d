/**
 * A small network as Python would describe it, for the preview page and the tests: a module called
 * twice, three blocks folded into one box, hooks of three kinds, and the code they come from.
 */

import { drawNetwork } from "./network_picture.js";

const PARENTS = { k0: "", k1: "k0", k2: "k0", g0: "k0", k3: "g0", k4: "g0", k5: "g0", k6: "k0", k7: "k0" };
const MODULES = [
  { id: "m0", label: "net", type: "Net", calls: ["k0"] },
  { id: "m1", label: "conv1", type: "Conv2d", calls: ["k1"] },
  { id: "m2", label: "relu", type: "ReLU", calls: ["k2", "k6"] },
  { id: "m3", label: "blocks.0", type: "Block", calls: ["k3"] },
  { id: "m4", label: "blocks.1", type: "Block", calls: ["k4"] },
  { id: "m5", label: "blocks.2", type: "Block", calls: ["k5"] },
  { id: "m6", label: "fc", type: "Linear", calls: ["k7"] },
];
const KINDS = ["module_forward_pre_hook", "module_forward_hook", "module_backward_pre_hook", "module_backward_hook"];
const SHAPES = {
  k0: ["[1, 1, 28, 28]", "[1, 10]"], k1: ["[1, 1, 28, 28]", "[1, 6, 28, 28]"], k2: ["[1, 6, 28, 28]", "[1, 6, 28, 28]"],
  k3: ["[1, 6, 28, 28]", "[1, 6, 28, 28]"], k4: ["[1, 6, 28, 28]", "[1, 6, 28, 28]"],
  k5: ["[1, 6, 28, 28]", "[1, 6, 28, 28]"], k6: ["[1, 6, 28, 28]", "[1, 6, 28, 28]"], k7: ["[1, 4704]", "[1, 10]"],
};
const HOOKS = {
  h0: ["k1", "module_forward_pre_hook", "center", "def center(module, args):\n    return args[0] - args[0].mean(), *args[1:]"],
  h1: ["k7", "module_forward_hook", "lambda module, args, output: print(output.shape)", ""],
  h2: ["k1", "module_backward_hook", "halve", "def halve(module, grad_input, grad_output):\n    return (grad_input[0] / 2,)"],
};

const CODE = [
  {
    file: "/home/ada/lessons/model.py",
    first: 12,
    lines: [
      "def forward(self, x):",
      '    """Convolve, repeat the block,',
      '    and classify."""',
      "    x = self.relu(self.conv1(x))",
      "    for block in self.blocks:",
      "        x = block(x)",
      "    x = self.relu(x)",
      "    return self.fc(x.flatten(1))  # ten classes",
    ],
  },
  {
    file: "/home/ada/lessons/model.py",
    first: 41,
    lines: ["def forward(self, x):", "    return x + self.weight * torch.tanh(x)"],
  },
  {
    file: "cell 3",
    first: 1,
    lines: [
      "import torch", "import hookviz", "from model import Net", "", "net = Net()", "x = torch.randn(1, 1, 28, 28)", "",
      "with hookviz.watch(net) as forward:", "    output = net(x)", "loss = output.sum()", "", "explorer = hookviz.explore(loss)",
      "explorer",
    ],
  },
];

/** @param {string} module @param {object} what */
const ofModule = (module, what) => ({ key: "line.module", args: { module, what } });
const change = (path, before, after) => ({ key: "change.argument", args: { path, before, after } });

/** What happens, one entry per step from step 1 on: kind, call, line, patches, and the place in the code. */
function events() {
  const label = (call) => MODULES.find(({ calls }) => calls.includes(call)).label;
  const forward = (call, code) => ({
    kind: "module_forward", call, code,
    line: ofModule(label(call), {
      key: "what.module.forward", args: { changes: { key: "change.output", args: { path: "output", after: SHAPES[call][1] } } },
    }),
    patches: [[call, "input", `args[0] ${SHAPES[call][0]}`], [call, "output", `output ${SHAPES[call][1]}`]],
  });
  const node = (id, name, call, code) => ({
    kind: "node", node: id, call, code,
    line: { key: "line.node", args: { node: name, what: { key: "what.node", args: { sent: "norm 1.25" } } } },
    patches: call === "" ? [] : [[call, "grad_output", "norm 1.25"], [call, "grad_input", "norm 0.75"]],
  });
  const accumulate = (id, tensor, call) => ({
    kind: "accumulate", tensor: id, call, code: null,
    line: { key: "line.tensor", args: { tensor, what: { key: "what.accumulate.first", args: { after: "norm 2.5" } } } },
    patches: [[id, "grad", "norm 2.5"], [id, "incoming", "norm 2.5"]],
  });
  const hook = (id, what, changes, code) => ({
    kind: HOOKS[id][1], call: HOOKS[id][0], hook: id, code,
    line: ofModule(label(HOOKS[id][0]), { key: `what.module.${what}`, args: { hook: HOOKS[id][2], changes } }),
    marks: changes.key === "change.unchanged" ? ["hook"] : ["hook", "rewrite"],
    patches: [[HOOKS[id][0], `hook:${id}`, changes.key === "change.unchanged" ? changes : { key: "value.arrow", args: { before: "0.5", after: "0" } }],
      [HOOKS[id][0], `hook-state:${id}`, "current"]],
  });
  return [
    hook("h0", "forward_pre", change("args[0]", "mean 0.5", "mean 0"), [0, 15]),
    forward("k1", [0, 15]), forward("k2", [0, 15]),
    forward("k3", [0, 17]), forward("k4", [0, 17]), forward("k5", [0, 17]),
    forward("k6", [0, 18]), forward("k7", [0, 19]),
    { ...hook("h1", "forward_hook", { key: "change.unchanged" }, [0, 19]), printed: "torch.Size([1, 10])\n" },
    forward("k0", [2, 9]),
    {
      kind: "start", tensor: "t0", call: "", code: null, patches: [["t0", "incoming", "1"]],
      line: { key: "line.tensor", args: { tensor: "loss", what: { key: "what.start", args: { gradient: "1" } } } },
    },
    node("n0", "SumBackward0", "", [2, 10]),
    node("n1", "AddmmBackward0", "k7", [0, 19]), accumulate("t2", "fc.weight", "k7"),
    node("n2", "ReluBackward0", "k6", [0, 18]),
    node("n3", "AddBackward0", "k5", [1, 42]), node("n4", "AddBackward0", "k4", [1, 42]), node("n5", "AddBackward0", "k3", [1, 42]),
    node("n6", "ReluBackward0", "k2", [0, 15]),
    node("n7", "ConvolutionBackward0", "k1", [0, 15]), accumulate("t1", "conv1.weight", "k1"),
    hook("h2", "backward_hook", change("grad_input[0]", "norm 0.75", "norm 0.375"), [0, 15]),
  ];
}

/** @param {string} id */
function around(id) {
  const found = [];
  for (let now = id; now !== ""; now = PARENTS[now] ?? "") found.push(now);
  return found;
}

function steps() {
  const drawn = ["t0", "t1", "t2", "n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7", ...Object.keys(PARENTS)];
  const ready = { key: "flow.pending", args: {} };
  const initial = [
    ...drawn.map((key) => [key, "state", "pending"]),
    ...["t0", "t1", "t2"].flatMap((key) => [[key, "grad", { key: "grad.pending", args: {} }], [key, "flow", ready]]),
    ...Object.entries(HOOKS).map(([hook, [call]]) => [call, `hook-state:${hook}`, "pending"]),
  ];
  const empty = { printed: "", tensor: "", node: "", hook: "", code: null, call: "" };
  const found = [{
    ...empty, kind: "ready", line: { key: "line.ready", args: {} }, patches: initial,
    caption: { key: "caption.ready", args: { tensor: "loss" } },
  }];
  let before = [];
  for (const { line, patches, ...more } of events()) {
    const event = { ...empty, ...more };
    const current = [event.tensor, event.node, ...around(event.call).slice(0, 1)].filter(Boolean);
    const fold = around(event.call).filter((id) => id.startsWith("g"));
    const done = before.map((key) => [key, "state", "done"]);
    const hook = event.hook ? [] : Object.entries(HOOKS).filter(([id]) => found.at(-1).hook === id);
    found.push({
      ...event, line, caption: line,
      patches: [
        ...done, ...hook.map(([id, [call]]) => [call, `hook-state:${id}`, "done"]),
        ...[...current, ...fold].map((key) => [key, "state", "current"]), ...patches,
      ],
    });
    before = [...current, ...fold];
  }
  return found;
}

/** Which collapsed box a step happens in, unless it is about that very box. */
function boxOf({ kind, call }, expanded) {
  const closed = around(call).reverse().find((id) => !expanded.has(id));
  return closed === undefined || (closed === call && kind.startsWith("module_")) ? "" : closed;
}

/** @param {Set<string>} expanded */
export function stopsOf(expanded) {
  const found = [];
  steps().forEach((step, index) => {
    const box = boxOf(step, expanded);
    const last = found.at(-1);
    if (box !== "" && last?.box === box) Object.assign(last, { step: index, count: last.count + 1 });
    else found.push({ step: index, line: null, caption: null, box, count: 1 });
  });
  for (const stop of found.filter(({ count }) => count > 1)) {
    const name = boxes()[stop.box].label;
    stop.line = { key: "line.module", args: { module: name, what: "gradient norm 1.25 → norm 0.75" } };
    stop.caption = { key: "line.module", args: { module: name, what: `${stop.count} steps inside; gradient norm 1.25 → norm 0.75` } };
  }
  for (const stop of found) if (stop.count === 1) stop.box = "";
  return found;
}

function boxes() {
  const found = {};
  for (const [id, parent] of Object.entries(PARENTS)) {
    const module = MODULES.find(({ calls }) => calls.includes(id));
    const number = module && module.calls.length > 1 ? String(module.calls.indexOf(id) + 1) : "";
    found[id] = module === undefined
      ? { parent, label: "blocks.0 … blocks.2", type: "Block", module: "", number: "", count: 3 }
      : { parent, label: module.label, type: module.type, module: module.id, number, count: 1 };
  }
  return found;
}

function tensors() {
  const plain = { retains_grad: false, dtype: "float32", device: "cpu", layout: "strided", hookable: true, hooks: [] };
  return [
    { id: "t0", label: "loss", names: ["loss"], role: "root", shape: [], value: "3.5", order: 0, ...plain },
    { id: "t1", label: "conv1.weight", names: ["conv1.weight"], role: "leaf", shape: [6, 1, 5, 5], value: "norm 1.5", order: 1, ...plain },
    { id: "t2", label: "fc.weight", names: ["fc.weight"], role: "leaf", shape: [10, 4704], value: "norm 3.1", order: 2, ...plain },
  ];
}

function modules() {
  const hooks = Object.entries(HOOKS).map(([id, [call, kind, label, source]]) => ({
    id, kind, label, source, call, origin: "user", enabled: true, location: "", editable: source !== "", with_kwargs: false,
  }));
  return MODULES.map((module, order) => ({
    ...module, order, kinds: KINDS,
    hooks: hooks.filter(({ call }) => module.calls.includes(call)).map(({ call: _, ...hook }) => hook),
  }));
}

/** What changes when boxes are opened or closed. */
export function drawnWith(expanded) {
  const open = new Set(expanded);
  return { expanded: [...open], stops: stopsOf(open), picture: drawNetwork(open, boxes(), HOOKS) };
}

/** @param {Record<string, Record<string, string>>} strings The language tables. */
export function networkState(strings) {
  return {
    steps: steps(), tensors: tensors(), modules: modules(), boxes: boxes(), code: CODE, strings,
    ...drawnWith(["k0"]),
    step: 0, selected: "", lang: "en", theme: "auto", title: "loss.backward()", transcript: {}, notice: null, busy: false,
  };
}

/** Answer as Python does to what opens and closes boxes; returns whether the message was one of those. */
export function answerBoxes(model, message) {
  const all = Object.keys(PARENTS).filter((id) => id === "k0" || id === "g0" || id === "k1" || id === "k7");
  const open = new Set(model.get("expanded"));
  if (message.action === "expand") open.add(message.box);
  else if (message.action === "collapse") {
    for (const id of [...open]) if (around(id).includes(message.box)) open.delete(id);
  } else if (message.action === "expand_all") for (const id of all) open.add(id);
  else if (message.action === "collapse_all") open.clear();
  else return false;
  const changes = drawnWith(open);
  const step = model.get("step");
  model.update({ ...changes, step: changes.stops.find((stop) => stop.step >= step).step });
  model.emit("msg:custom", { event: "applied" });
  return true;
}
