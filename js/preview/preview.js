/** Show the committed bundle with a state from JSON; messages to Python go to the console. */

import explorer from "../../hookviz/static/explorer.js";
import { createPageModel } from "../src/kernel/page_model.js";
import { answerBoxes, networkState } from "./network.js";

const wanted = new URLSearchParams(location.search);
const read = async (file) => (await fetch(file)).json();
const name = wanted.get("state") ?? "second_example.json";
const tables = { en: "../../hookviz/_languages/en.json", zh: "../../hookviz/_languages/zh.json" };
const state = name === "network"
  ? networkState({ en: await read(tables.en), zh: await read(tables.zh) })
  : await read(name);
for (const trait of ["lang", "theme", "selected"]) {
  if (wanted.has(trait)) state[trait] = wanted.get(trait);
}
if (wanted.has("step")) state.step = Number(wanted.get("step"));
document.body.classList.toggle("dark", state.theme === "dark");

const model = createPageModel(state, wanted.has("dead") ? undefined : (message) => {
  console.log("to Python", message);
  if (message.action === "hello") setTimeout(() => model.emit("msg:custom", { event: "ready" }));
  else if (wanted.has("refuse") && (message.action === "attach" || message.action === "edit")) {
    model.update({ notice: refusal(message) });
  } else if (message.action === "dismiss") model.update({ notice: null });
  else if (answerBoxes(model, message)) return;
  else model.emit("msg:custom", { event: "applied" });
});
window.model = model;
explorer.render({ model, el: document.getElementById("explorer") });

/** @param {{source: string, target?: string, hook?: string}} message */
function refusal({ source, target = "", hook = "" }) {
  return {
    kind: "error",
    title: { key: "ui.error", args: {} },
    detail: `  line 1\n    ${source}\n    ^\nSyntaxError: invalid syntax`,
    hint: { key: "ui.error.kept", args: {} },
    target,
    hook,
    serial: Date.now(),
  };
}
