/** The drawings on buttons. */

/** @type {Record<string, string>} Paths on a 16 by 16 grid, drawn for hookviz. */
export const ICONS = {
  first: "M4 3.5v9M12.5 3.5v9L6 8z",
  previous: "M10 3.5L5.5 8l4.5 4.5",
  next: "M6 3.5L10.5 8 6 12.5",
  last: "M12 3.5v9M3.5 3.5v9L10 8z",
  play: "M4.5 2.8v10.4L13 8z",
  pause: "M5 3.5v9M11 3.5v9",
  up: "M8 13V3.5M4 7l4-4 4 4",
  down: "M8 3v9.5M4 9l4 4 4-4",
  power: "M8 2.5v5M4.8 4.6a4.8 4.8 0 1 0 6.4 0",
  remove: "M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.6 9h5.8l.6-9M6.8 7v4M9.2 7v4",
  turn: "M3 6a5.2 5.2 0 0 1 9.4-1.4M12.6 2v2.8H9.8M13 10a5.2 5.2 0 0 1-9.4 1.4M3.4 14v-2.8h2.8",
  plus: "M8 3v10M3 8h10",
  minus: "M3 8h10",
  fit: "M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10",
  close: "M4 4l8 8M12 4l-8 8",
  into: "M2.5 3v4.5a2 2 0 0 0 2 2h8M9 6l3.5 3.5L9 13",
  expand: "M4.5 6L8 2.5 11.5 6M4.5 10L8 13.5 11.5 10",
  collapse: "M4.5 2.5L8 6l3.5-3.5M4.5 13.5L8 10l3.5 3.5",
};
