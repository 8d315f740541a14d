import assert from "node:assert/strict";
import test from "node:test";

import { fitted, inBox, isWhole, MARGIN, revealing, scalesFor, sightOf } from "../../../js/src/picture/camera.js";

const WIDE = { isEntire: false, around: 1200 };
const PHONE = { isEntire: false, around: 400 };

function fit(size, room, wanted = WIDE) {
  return fitted(size, room, scalesFor(size, room.width, wanted), wanted.isEntire);
}

test("a picture that fits is shown in its own size, in the middle", () => {
  const { transform, extent } = fit({ width: 400, height: 200 }, { width: 1000, height: 300 });
  assert.deepEqual(transform, { x: 300, y: 50, k: 1 });
  assert.deepEqual(extent, [0.1, 4]);
});

test("a picture that is too wide is made smaller, and keeps its margin", () => {
  const { transform: { x, y, k } } = fit({ width: 1000, height: 100 }, { width: 824, height: 300 });
  assert.equal(k, 0.8);
  assert.equal(x, MARGIN);
  assert.equal(y, 110);
});

test("where all of it would be too small to read, a part is shown in a size that can be read", () => {
  const size = { width: 400, height: 3000 };
  const room = { width: 1000, height: 560 };
  assert.deepEqual(fit(size, room).transform, { x: 300, y: MARGIN, k: 1 });
  const wide = fit({ width: 5000, height: 3000 }, room).transform;
  assert.deepEqual(wide, { x: MARGIN, y: MARGIN, k: 0.55 });
  assert.equal(fit({ width: 5000, height: 3000 }, room, PHONE).transform.k, 0.8);
});

test("asked for as a whole it is shown as a whole, however small, and can be scaled down to that", () => {
  const size = { width: 5000, height: 30_000 };
  const room = { width: 1000, height: 560 };
  const { transform, extent } = fit(size, room, { ...WIDE, isEntire: true });
  assert.ok(isWhole(size, room, transform));
  assert.equal(extent[0], transform.k);
  assert.ok(!isWhole(size, room, fit(size, room).transform));
});

test("the box is as high as the picture needs it, within reason", () => {
  const height = (picture) => scalesFor({ width: 500, height: picture }, 1000, WIDE);
  assert.deepEqual([10, 300, 5000].map((picture) => height(picture).height), [160, 324, 560]);
  assert.deepEqual([10, 300, 5000].map((picture) => height(picture).isTooHigh), [false, false, true]);
});

test("what is in the box is left alone, what is not comes in with some room around it", () => {
  const room = { width: 300, height: 200 };
  const at = (left, top) => revealing({ left, top, right: left + 50, bottom: top + 40 }, room);
  assert.deepEqual(at(100, 100), [0, 0]);
  assert.deepEqual(at(-20, 100), [20 + MARGIN, 0]);
  assert.deepEqual(at(280, 190), [300 - MARGIN - 330, 200 - MARGIN - 230]);
  // What is larger than the box is shown from its beginning.
  assert.deepEqual(revealing({ left: 10, top: 50, right: 900, bottom: 90 }, room), [-10, 0]);
  assert.deepEqual(revealing({ left: -900, top: 50, right: -10, bottom: 90 }, room), [900, 0]);
});

test("after it was revealed a place lies inside, whatever it was before", () => {
  const room = { width: 300, height: 200 };
  for (let turn = 0; turn < 500; turn += 1) {
    const [left, top] = [(turn * 37) % 1000 - 500, (turn * 91) % 800 - 400];
    const place = { left, top, right: left + 5 + (turn % 270), bottom: top + 5 + (turn % 170) };
    const [x, y] = revealing(place, room);
    const [low, high] = [Math.min(place.left + x, place.top + y), Math.max(place.right + x - room.width, place.bottom + y - room.height)];
    assert.ok(low >= 0 && high <= 1, JSON.stringify({ place, x, y }));
    assert.deepEqual(revealing({ left: place.left + x, top: place.top + y, right: place.right + x, bottom: place.bottom + y }, room)
      .map((far) => Math.abs(far) > 1), [false, false]);
  }
});

test("sight and places are each other's inverse", () => {
  const transform = { x: -120, y: 40, k: 0.8 };
  const room = { width: 640, height: 480 };
  const { left, top, width, height } = sightOf(room, transform);
  const box = inBox({ left, top, right: left + width, bottom: top + height }, transform);
  for (const [name, wanted] of Object.entries({ left: 0, top: 0, right: 640, bottom: 480 })) {
    assert.ok(Math.abs(box[name] - wanted) < 1e-9, name);
  }
});
