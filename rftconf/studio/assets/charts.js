// Drawings of an account: GPUs by role, memory by phase, clusters by rent.

import { el, short, svg } from "./dom.js";

export const GIB = 1 << 30;
export const PARTS = ["weights", "gradients", "optimizer", "unsharded", "activations", "logits", "kv_cache", "residue", "context", "slack"];
const MOST_ROLES = 6;
const MOST_NODES = 16;

export const gib = (bytes) => (bytes / GIB).toFixed(1);
const narrow = () => innerWidth < 620;
const fill = (part) => ({ style: { fill: `var(--c-${part})` } });

// The phases of a step in their order, over all pools.
export const phasesOf = (data) => [...new Set(data.pools.flatMap((pool) => pool.phases.map((phase) => phase.name)))];

// Every GPU of the cluster as a tile: its frame says the roles that it holds, its filling the memory in one phase.
export function gpus(data, phase) {
  const { nodes, gpus_per_node: each } = data.cluster;
  const owner = new Map();
  data.pools.forEach((pool, at) => pool.gpus.forEach((gpu) => owner.set(gpu, at)));
  const now = data.pools.map((pool) => pool.phases.find((one) => one.name === phase) ?? null);
  const rows = Math.min(nodes, MOST_NODES);
  const size = 36;
  const step = size + 5;
  const words = data.pools.map((pool, at) => `${pool.gpus.length} for ${pool.roles.join(" and ")}, ${now[at] ? `${gib(now[at].bytes)} GiB each` : "waiting"}`);
  const picture = svg("svg", { viewBox: `0 0 ${64 + each * step} ${rows * step + 2}`, class: "gpus", role: "img", "aria-label": `${phase}: ${nodes} nodes of ${each} GPUs, ${words.join("; ")}` });
  for (let node = 0; node < rows; node += 1) {
    const y = node * step + 1;
    picture.append(svg("text", { x: 0, y: y + 23 }, `node ${node}`));
    for (let at = 0; at < each; at += 1) {
      const gpu = node * each + at;
      const pool = owner.get(gpu);
      const x = 62 + at * step;
      const holds = pool === undefined ? null : now[pool];
      const title = pool === undefined ? `GPU ${gpu}: nothing` : `GPU ${gpu}: ${data.pools[pool].roles.join(", ")}; ${holds ? `${gib(holds.bytes)} of ${gib(data.gpu.usable_bytes)} GiB` : "waits"}`;
      const tile = svg("g", null, svg("title", null, title), svg("rect", { x, y, width: size, height: size, class: "well" }));
      let level = y + size;
      for (const part of holds ? PARTS : []) {
        const tall = Math.min((size * (holds.parts[part] ?? 0)) / data.gpu.usable_bytes, level - y);
        if (tall <= 0) continue;
        level -= tall;
        tile.append(svg("rect", { x, y: level, width: size, height: tall, ...fill(part) }));
      }
      const over = holds && holds.bytes > data.gpu.usable_bytes;
      tile.append(
        svg("rect", { x, y, width: size, height: size, rx: 4, class: `frame${pool === undefined ? " none" : holds ? "" : " waits"}${over ? " burst" : ""}`, ...(pool === undefined || over ? {} : { style: { stroke: `var(--r-${pool % MOST_ROLES})` } }) }),
        svg("text", { x: x + size / 2, y: y + 23, "text-anchor": "middle", class: "halo" }, gpu),
      );
      picture.append(tile);
    }
  }
  const legend = el(
    "p",
    { class: "legend" },
    data.pools.map((pool, at) => el("span", null, el("i", { class: "ring", style: { "border-color": `var(--r-${at % MOST_ROLES})` } }), `${pool.roles.join(" + ")}: ${pool.gpus.length} GPUs, ${now[at] ? `${gib(now[at].bytes)} GiB` : "waiting"}`)),
    nodes > rows ? el("span", null, `${nodes - rows} more nodes like these`) : null,
  );
  return [el("div", { class: "draw" }, picture), legend];
}

// One pool: a bar a phase, its parts stacked, the doubt as a whisker, the GPU's memory as a line.
export function memory(pool, usable) {
  const top = Math.max(usable, ...pool.phases.map((phase) => phase.high_bytes)) * 1.02;
  const wide = narrow() ? 172 : 620;
  const left = narrow() ? 112 : 150;
  const tall = 30;
  const scale = (bytes) => (wide * bytes) / top;
  const height = tall * pool.phases.length + 26;
  const picture = svg("svg", { viewBox: `0 0 ${left + wide + 70} ${height}`, class: "bars", role: "img", "aria-label": pool.phases.map((phase) => `${phase.name} ${gib(phase.bytes)} GiB`).join(", ") });
  pool.phases.forEach((phase, row) => {
    const y = row * tall;
    const over = phase.bytes > usable;
    picture.append(svg("text", { x: left - 10, y: y + 20, "text-anchor": "end" }, short(phase.name, narrow() ? 16 : 22)));
    let x = left;
    for (const part of PARTS) {
      const bytes = phase.parts[part] ?? 0;
      if (!bytes) continue;
      picture.append(svg("rect", { x, y: y + 5, width: scale(bytes), height: 20, ...fill(part) }, svg("title", null, `${part.replace("_", " ")}: ${gib(bytes)} GiB`)));
      x += scale(bytes);
    }
    const low = left + scale(phase.low_bytes);
    const high = left + scale(phase.high_bytes);
    picture.append(svg("path", { d: `M${low} ${y + 15}H${high}M${low} ${y + 10}v10M${high} ${y + 10}v10`, class: "doubt" }));
    picture.append(svg("text", { x: Math.max(x, high) + 8, y: y + 20, class: `halo ${over ? "over" : "size"}` }, gib(phase.bytes)));
  });
  const edge = left + scale(usable);
  picture.append(svg("path", { d: `M${edge} 0V${height - 18}`, class: "limit" }), svg("text", { x: edge, y: height - 4, "text-anchor": "middle", class: "over" }, `${(usable / GIB).toFixed(1)} GiB`));
  return el("div", { class: "draw" }, picture);
}

export function legend(data) {
  const used = new Set(data.pools.flatMap((pool) => pool.phases.flatMap((phase) => Object.keys(phase.parts).filter((part) => phase.parts[part]))));
  return el("p", { class: "legend" }, PARTS.filter((part) => used.has(part)).map((part) => el("span", null, el("i", { style: { background: `var(--c-${part})` } }), part.replace("_", " "))));
}

// Clusters: rent on a logarithmic axis against the largest micro-batch; the efficient ones named.
export function front(points, now) {
  const usable = points.filter((one) => one.tokens_per_rank);
  if (!usable.length) return el("p", { class: "soft" }, "No cluster of the usual GPUs fits this run.");
  const rents = usable.map((one) => one.usd_per_hour);
  const cheap = Math.min(...rents);
  const span = Math.max(Math.log(Math.max(...rents) / cheap), 1e-9);
  const most = Math.max(...usable.map((one) => one.tokens_per_rank));
  const wide = narrow() ? 340 : 860;
  const end = wide - 20;
  const picture = svg("svg", { viewBox: `0 0 ${wide} 330`, class: "front", role: "img", "aria-label": "Clusters: rent against the largest micro-batch" });
  picture.append(svg("path", { d: `M50 10V288H${end}`, class: "axis" }));
  for (const share of [0.25, 0.5, 0.75, 1]) {
    const y = 288 - 262 * share;
    picture.append(svg("path", { d: `M50 ${y}H${end}`, class: "grid" }), svg("text", { x: 44, y: y + 4, "text-anchor": "end" }, Math.round((most * share) / 1024), "k"));
  }
  const words = narrow() ? "rent; up: tokens" : "rent, logarithmic; up: tokens of the largest micro-batch on one GPU";
  picture.append(svg("text", { x: 50, y: 306 }, `$${cheap.toFixed(0)}`), svg("text", { x: end, y: 306, "text-anchor": "end" }, `$${Math.max(...rents).toFixed(0)} an hour`), svg("text", { x: (50 + end) / 2, y: 324, "text-anchor": "middle" }, words));
  let free = -Infinity;
  const own = usable.find((one) => one.gpu === now.gpu && one.gpus === now.gpus);
  const place = (one) => [84 + ((end - 112) * Math.log(one.usd_per_hour / cheap)) / span, 288 - (262 * one.tokens_per_rank) / most];
  // a name that would cover that of the run's own cluster is left to the title
  const near = (x, y) => own && Math.abs(place(own)[0] - x) < 96 && Math.abs(place(own)[1] - y) < 18;
  const sorted = [...usable].sort((a, b) => Number(a.efficient) - Number(b.efficient) || a.usd_per_hour - b.usd_per_hour);
  for (const one of sorted) {
    const [x, y] = place(one);
    const mine = one.gpu === now.gpu && one.gpus === now.gpus;
    const name = `${one.gpus} × ${one.gpu.split("-")[0]}`;
    const title = `${one.gpus} × ${one.gpu}: ${one.tokens_per_rank.toLocaleString("en")} tokens, $${one.usd_per_hour.toFixed(1)} an hour`;
    picture.append(svg("circle", { cx: x, cy: y, r: one.efficient || mine ? 6 : 4, class: mine ? "mine" : one.efficient ? "best" : "other" }, svg("title", null, title)));
    if (mine || (one.efficient && x - free > 66 && !near(x, y))) {
      if (!mine) free = x;
      picture.append(svg("text", { x, y: y + 20, "text-anchor": "middle", class: "halo" }, mine ? `now: ${name}` : name));
    }
  }
  return el("div", { class: "draw" }, picture);
}
