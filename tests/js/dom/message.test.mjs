import assert from "node:assert/strict";
import test from "node:test";

import { format, segments } from "../../../js/src/dom/message.js";
import { Words } from "../../../js/src/dom/words.js";

const TABLE = new Map([
  ["sent", "{outgoing} to {tensor}"],
  ["sum", "{which} gets {gradient}."],
  ["which", "hook {hook} on {tensor}"],
  ["list.separator", "; "],
]);
const lookup = (key) => TABLE.get(key);

test("a literal stands for itself", () => {
  assert.equal(format("8", lookup), "8");
  assert.equal(format("", lookup), "");
  assert.equal(format(null, lookup), "");
});

test("each piece carries the name of its placeholder", () => {
  const text = { key: "sent", args: { outgoing: "8", tensor: "c" } };
  assert.deepEqual(segments(text, lookup), [
    { style: "outgoing", text: "8" },
    { style: "", text: " to " },
    { style: "tensor", text: "c" },
  ]);
});

test("in nested messages the outermost style that means something counts", () => {
  const which = { key: "which", args: { hook: "h", tensor: "c" } };
  const parts = [{ key: "sent", args: { outgoing: "1", tensor: "a" } }, "2"];
  const text = { key: "sum", args: { which, gradient: parts } };
  assert.deepEqual(
    segments(text, lookup).map(({ style, text: piece }) => [style, piece]),
    [
      ["which", "hook "], ["hook", "h"], ["which", " on "], ["tensor", "c"], ["", " gets "],
      ["gradient", "1"], ["gradient", " to "], ["gradient", "a"], ["gradient", "; "], ["gradient", "2"],
      ["", "."],
    ],
  );
});

test("text from the user is never read as a template", () => {
  const text = { key: "sent", args: { outgoing: "{tensor}", tensor: "{outgoing}" } };
  assert.equal(format(text, lookup), "{tensor} to {outgoing}");
});

test("an unknown key and a missing argument stay visible", () => {
  assert.equal(format({ key: "no.such.key", args: {} }, lookup), "no.such.key");
  assert.equal(format({ key: "sent", args: { outgoing: "1" } }, lookup), "1 to {tensor}");
});

test("names of the prototype are ordinary names", () => {
  const words = new Words();
  words.use(JSON.parse('{"en": {"__proto__": "yes {__proto__}"}}'), "en");
  const text = JSON.parse('{"key": "__proto__", "args": {"__proto__": "fine"}}');
  assert.equal(words.format(text), "yes fine");
  assert.equal(words.say("constructor"), "constructor");
  words.use({ en: { a: "{toString}" } }, "en");
  assert.equal(words.say("a"), "{toString}");
});

test("a language without a table falls back to English", () => {
  const words = new Words();
  words.use({ en: { hello: "hi" } }, "constructor");
  assert.equal(words.say("hello"), "hi");
});
