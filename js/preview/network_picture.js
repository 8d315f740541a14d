/** Draw the network of `network.js`, as plainly as it can be while it has every part of a real picture. */

const CONTENT = {
  k0: ["k7", "k6", "g0", "k2", "k1"], g0: ["k5", "k4", "k3"],
  k1: ["n7", "t1"], k2: ["n6"], k3: ["n5"], k4: ["n4"], k5: ["n3"], k6: ["n2"], k7: ["n1", "t2"],
};
const TENSORS = { t0: ["loss", "root"], t1: ["conv1.weight", "leaf"], t2: ["fc.weight", "leaf"] };
const NODES = { n0: "Σ", n1: "Addmm", n2: "Relu", n3: "+", n4: "+", n5: "+", n6: "Relu", n7: "Convolution" };
const GAP = 44;
const HEAD = 84;
const ROW = 19;

const escaped = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/**
 * @param {Set<string>} expanded
 * @param {Record<string, any>} boxes
 * @param {Record<string, string[]>} hooks
 */
export function drawNetwork(expanded, boxes, hooks) {
  const hooksOf = (id) => Object.entries(hooks).filter(([, [call]]) => call === id);

  function measure(id) {
    if (id.startsWith("t")) return { id, width: 190, height: 96 };
    if (id.startsWith("n")) return { id, width: 30 + 9 * NODES[id].length, height: 38 };
    const head = HEAD + ROW * (2 + hooksOf(id).length);
    if (!expanded.has(id)) return { id, width: 236, height: head };
    const parts = CONTENT[id].map(measure);
    const width = parts.reduce((sum, part) => sum + part.width + GAP, GAP);
    const tallest = Math.max(...parts.map((part) => part.height));
    return { id, parts, head, width: Math.max(width, 250), height: head + tallest + 24 };
  }

  const frames = [];
  const arrows = [];
  const shapes = [];

  function put(item, x, y) {
    const at = { x, y, right: x + item.width, middle: y + item.height / 2 };
    if (item.id.startsWith("t")) shapes.push(card(item, x, y));
    else if (item.id.startsWith("n")) shapes.push(node(item, x, y));
    else if (item.parts === undefined) shapes.push(box(item, x, y));
    else {
      frames.push(box(item, x, y));
      chain(item.parts, x + GAP / 2, at.right - GAP / 2, y + item.head + (item.height - item.head - 12) / 2);
    }
    return at;
  }

  function chain(parts, left, right, middle) {
    let end = right;
    let before = null;
    for (const part of parts) {
      const at = put(part, end - part.width, middle - part.height / 2);
      if (before !== null) arrows.push(arrow(before.x, at.right + 8, middle, part.id));
      before = at;
      end -= part.width + GAP;
    }
  }

  function arrow(from, to, y, id) {
    return `<g class="hv-edge" data-hv-key="e-${id}" data-hv-state="pending"><path class="hv-line" d="M${from} ${y}H${to}"/>`
      + `<path class="hv-arrow" d="M${to + 2} ${y - 4}L${to - 7} ${y}L${to + 2} ${y + 4}Z"/></g>`;
  }

  function card({ id, width, height }, x, y) {
    const [name, role] = TENSORS[id];
    return `<g class="hv-card" transform="translate(${x} ${y})" data-hv-key="${id}" data-hv-id="${name}" data-hv-role="${role}"`
      + ` data-hv-state="pending" tabindex="0" role="button" aria-label="${name}, ${role}">`
      + `<rect class="hv-box" width="${width}" height="${height}" rx="12"/><text class="hv-title" x="14" y="22">${name}</text>`
      + `<text class="hv-role" x="${width - 14}" y="22" text-anchor="end">${role}</text>`
      + '<text class="hv-number" x="14" y="52"><tspan class="hv-incoming" data-hv-field="incoming"/></text>'
      + '<text class="hv-grad" x="14" y="78" data-hv-field="grad"/></g>';
  }

  function node({ id, width }, x, y) {
    return `<g class="hv-function" transform="translate(${x + width / 2} ${y + 19})" data-hv-key="${id}" data-hv-state="pending">`
      + `<rect class="hv-shape" x="${-width / 2}" y="-19" width="${width}" height="38" rx="19"/>`
      + `<text class="hv-name" y="5" text-anchor="middle">${NODES[id]}</text></g>`;
  }

  function box({ id, width, height, parts }, x, y) {
    const { label, type, module, number, count } = boxes[id];
    const open = parts !== undefined;
    const row = (name, place) => `<text class="hv-label" x="14" y="${64 + ROW * place}">${name}</text>`
      + `<text class="hv-number" x="84" y="${64 + ROW * place}" data-hv-field="${name}" data-hv-cut="11"/>`;
    const hookRows = hooksOf(id).map(([hook, [, kind, name]], place) => {
      const top = 96 + ROW * place;
      return `<g class="hv-hook" data-hv-hook="${hook}" data-hv-kind="${kind}" data-hv-state="pending">`
        + `<rect class="hv-hook-row" x="7" y="${top}" width="${Math.min(width, 236) - 14}" height="18" rx="6"/>`
        + `<text class="hv-code" x="14" y="${top + 13}">${escaped(name.slice(0, 14))}</text>`
        + `<text class="hv-result" x="${Math.min(width, 236) - 14}" y="${top + 13}" text-anchor="end" data-hv-field="hook:${hook}"/></g>`;
    });
    const said = [type, count > 1 ? `×${count}` : "", number ? `call ${number}` : ""].filter(Boolean).join(" · ");
    const group = `<g class="hv-module${open ? " hv-expanded" : ""}" transform="translate(${x} ${y})" data-hv-key="${id}" data-hv-box="${id}"`
      + ` data-hv-id="${label}"${module ? ` data-hv-module="${module}"` : ""} data-hv-state="pending" tabindex="0" role="button"`
      + ` aria-label="${label}, ${said}"><title>${label}</title>`
      + (open ? [] : ["hv-module-ground"]).concat(open ? "hv-frame" : "hv-module-box")
        .map((name) => `<rect class="${name}" width="${width}" height="${height}" rx="8"/>`).join("")
      + `<text class="hv-title" x="14" y="24">${label}</text><text class="hv-role" x="14" y="42">${said}</text>`
      + row("input", 0) + row("output", 1) + hookRows.join("") + "</g>";
    const canOpen = CONTENT[id] !== undefined && id !== "k2" && id !== "k6" && !/^k[345]$/.test(id);
    const sign = `<g class="hv-toggle" transform="translate(${x + Math.min(width, 236) - 24} ${y + 20})" data-hv-toggle="${id}" role="button" tabindex="0"`
      + ` aria-expanded="${open}"><rect class="hv-toggle-box" x="-9" y="-9" width="18" height="18" rx="4"/><path class="hv-toggle-sign" d="M-5 0H5${open ? "" : "M0 -5V5"}"/></g>`;
    return group + (canOpen ? sign : "");
  }

  const items = ["t0", "n0", "k0"].map(measure);
  const width = items.reduce((sum, item) => sum + item.width + GAP, 24);
  const height = Math.max(...items.map((item) => item.height)) + 24;
  chain(items, 12, width - 12, height / 2);
  return `<svg class="hv-picture" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="group">`
    + `<g class="hv-drawing">${frames.join("")}${arrows.join("")}${shapes.join("")}</g></svg>`;
}
