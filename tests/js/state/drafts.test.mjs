import assert from "node:assert/strict";
import test from "node:test";

import { Drafts } from "../../../js/src/state/drafts.js";

const place = { target: "t1", hook: "h1" };

test("each tensor and hook has its own draft", () => {
  const drafts = new Drafts();
  drafts.set(place, "one", "source");
  drafts.set({ target: "t1", hook: "" }, "two", "");
  drafts.set({ target: "__proto__", hook: "" }, "three", "");
  assert.equal(drafts.get(place), "one");
  assert.equal(drafts.get({ target: "t1", hook: "" }), "two");
  assert.equal(drafts.get({ target: "__proto__", hook: "" }), "three");
  assert.equal(drafts.get({ target: "t2", hook: "" }), undefined);
});

test("typing the source again leaves no draft", () => {
  const drafts = new Drafts();
  drafts.set(place, "other", "source");
  drafts.set(place, "source", "source");
  assert.equal(drafts.get(place), undefined);
});

test("a draft goes when Python accepts it and stays when Python refuses it", () => {
  const drafts = new Drafts();
  drafts.set(place, "good", "source");
  drafts.send(place, "good");
  drafts.refuse();
  drafts.accept();
  assert.equal(drafts.get(place), "good");
  drafts.send(place, "good");
  drafts.accept();
  assert.equal(drafts.get(place), undefined);
});

test("what was typed after sending is kept", () => {
  const drafts = new Drafts();
  drafts.set(place, "good", "source");
  drafts.send(place, "good");
  drafts.set(place, "good and more", "source");
  drafts.accept();
  assert.equal(drafts.get(place), "good and more");
});
