/** Show the committed bundle with a state from JSON; messages to Python go to the console. */

import explorer from "../../hookviz/static/explorer.js";
import { createPageModel } from "../src/page_model.js";

const wanted = new URLSearchParams(location.search);
const file = wanted.get("state") ?? "second_example.json";
const state = await (await fetch(file)).json();
for (const name of ["lang", "theme", "selected"]) {
  if (wanted.has(name)) state[name] = wanted.get(name);
}
if (wanted.has("step")) state.step = Number(wanted.get("step"));
document.body.classList.toggle("dark", state.theme === "dark");

const model = createPageModel(state, wanted.has("dead") ? undefined : (message) => {
  console.log("to Python", message);
  if (message.action === "hello") setTimeout(() => model.emit("msg:custom", { event: "ready" }));
  else if (wanted.has("refuse") && (message.action === "attach" || message.action === "edit")) {
    model.update({ notice: refusal(message) });
  } else if (message.action === "dismiss") model.update({ notice: null });
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
