/** A page without a browser for the tests, if jsdom is installed (npm ci in js/). */

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

const require = createRequire(new URL("../../js/package.json", import.meta.url));

/** @returns What jsdom exports, or `null`. */
function jsdom() {
  try {
    return require("jsdom");
  } catch {
    return null;
  }
}

export const skip = jsdom() === null && "jsdom is not installed: run npm ci in js/";

// lit-html makes its templates in the page that is there when it is loaded: import this file first.
if (!skip) globalThis.document = new (jsdom().JSDOM)("").window.document;

/** The state of the worked example; a new copy for each test. */
export async function exampleState() {
  const file = new URL("../../js/preview/second_example.json", import.meta.url);
  return JSON.parse(await readFile(file, "utf8"));
}

/** The state of a small network with boxes; a new one for each test. */
export async function network(changes = {}) {
  const { networkState } = await import("../../js/preview/network.js");
  const table = async (lang) => JSON.parse(await readFile(new URL(`../../hookviz/_languages/${lang}.json`, import.meta.url), "utf8"));
  return { ...networkState({ en: await table("en"), zh: await table("zh") }), ...changes };
}

/** Answers at once, as Python does, to what opens and closes boxes. */
export async function openNetwork(changes = {}) {
  const { answerBoxes } = await import("../../js/preview/network.js");
  const page = await open(await network(changes));
  page.sent.push = (message) => {
    Array.prototype.push.call(page.sent, message);
    answerBoxes(page.model, message);
  };
  return page;
}

/** Show an explorer and keep a record of what it sends and which listeners it has. */
export async function open(state) {
  const { JSDOM } = jsdom();
  const dom = new JSDOM("<!doctype html><body><div id=el></div></body>", { pretendToBeVisual: true });
  const { document } = dom.window;
  globalThis.DOMParser = dom.window.DOMParser;
  const { default: explorer } = await import("../../js/src/index.js");
  const { createPageModel } = await import("../../js/src/kernel/page_model.js");
  const sent = [];
  const model = createPageModel(state, (message) => sent.push(message));
  const el = document.getElementById("el");
  // jsdom's selector engine adds listeners of its own at the first query.
  document.querySelector(":hover");
  const live = countListeners(dom.window, model);
  const close = explorer.render({ model, el });
  model.emit("msg:custom", { event: "hello" });
  const all = (selector) => [...el.querySelectorAll(selector)];
  return {
    model, sent, el, document, window: dom.window, live, close, all,
    one: (selector) => el.querySelector(selector),
    button: (name) => all("button, [role=button]").find((item) => (item.getAttribute("aria-label") ?? item.textContent) === name),
    card: (name) => el.querySelector(`.hv-card[data-hv-id="${name}"]`),
    box: (id) => el.querySelector(`.hv-module[data-hv-box="${id}"]`),
    sign: (id) => el.querySelector(`.hv-toggle[data-hv-toggle="${id}"]`),
    text: (name, field) => el.querySelector(`.hv-card[data-hv-id="${name}"] [data-hv-field="${field}"]`).textContent,
    key: (target, key, more = {}) => {
      const event = new dom.window.KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more });
      target.dispatchEvent(event);
      return event;
    },
    type: (text) => {
      const box = el.querySelector("textarea");
      box.value = text;
      box.dispatchEvent(new dom.window.Event("input", { bubbles: true }));
    },
    click: (target) => target.dispatchEvent(new dom.window.MouseEvent("click", { bubbles: true })),
  };
}

/** Count what is listening to the model and to the nodes outside the widget. */
function countListeners(window, model) {
  const live = new Set();
  const { on, off } = model;
  model.on = (event, callback) => {
    live.add(callback);
    on(event, callback);
  };
  model.off = (event, callback) => {
    live.delete(callback);
    off(event, callback);
  };
  for (const target of [window, window.document, window.document.body, window.document.documentElement]) {
    const { addEventListener, removeEventListener } = target;
    target.addEventListener = (type, callback, options) => {
      live.add(callback);
      options?.signal?.addEventListener("abort", () => live.delete(callback));
      addEventListener.call(target, type, callback, options);
    };
    target.removeEventListener = (type, callback, options) => {
      live.delete(callback);
      removeEventListener.call(target, type, callback, options);
    };
  }
  return live;
}
