// Budget: will it fit, and what if. Every move of a slider asks the account again.

import { ask, newest } from "./ask.js";
import { front, gib, gpus, legend, memory, phasesOf } from "./charts.js";
import { el, later, replace, save, say, segments, select, trouble } from "./dom.js";
import { Editor, opener } from "./editor.js";
import { GPUS } from "./gpus.js";
import { How, asked as readAs } from "./how.js";
import { EXAMPLE, shared } from "./shared.js";

const TONES = { fits: "good", "does not fit": "bad", "too close to tell": "warn" };

class Budget {
  constructor() {
    this.gpu = "h100-80g";
    this.nodes = null;
    this.each = null;
    this.model = "";
    this.changes = {};
    this.question = newest("budget");
    this.further = newest("front");
    this.soon = later(250, () => this.ask());
    this.rest = later(500, () => this.clusters());
    this.editor = new Editor({
      label: "Config or launch script to price",
      placeholder: "Paste or drop a launch script or a config.",
      change: (text, name) => {
        Object.assign(shared, { text, name });
        this.fresh();
      },
      trouble: (message) => this.trouble({ message, exit: 2 }),
    });
    this.build();
  }

  build() {
    this.badge = el("span", { class: "badge" }, "paste or drop a file");
    const number = (title, put) =>
      el("label", { class: "field" }, el("span", null, title), el("input", { type: "text", inputmode: "numeric", size: "4", placeholder: "file's", on: { input: (event) => { const value = event.target.value.trim(); put(/^[1-9]\d{0,5}$/.test(value) ? Number(value) : null); this.soon(); } } }));
    this.sliders = el("div", { class: "sliders" });
    this.verdict = el("div", { class: "verdict", role: "status" });
    this.charts = el("div", { class: "charts" });
    this.tiles = el("div", { class: "tiles" });
    this.phase = "";
    this.front = el("div", { class: "charts" });
    this.answers = el("div", { class: "charts" });
    this.apply = el("button", { type: "button", class: "main", disabled: true, on: { click: () => this.write() } }, "Write into the file");
    this.reset = el("button", { type: "button", class: "quiet", on: { click: () => this.fresh() } }, "As in the file");
    this.time = el("span", { class: "soft" });
    const example = () => {
      this.editor.set(EXAMPLE, "run_grpo.sh");
      Object.assign(shared, { text: EXAMPLE, name: "run_grpo.sh" });
      this.fresh();
    };
    this.how = new How(shared.how, () => this.fresh());
    this.source = el("details", { class: "panel source" }, el("summary", null, el("h2", null, "Text"), this.badge, el("span", { class: "soft" }, "open to edit"), el("span", { class: "actions" }, opener(this.editor), el("button", { type: "button", on: { click: (event) => { event.preventDefault(); example(); } } }, "Example"))), this.how.node, this.editor.node);
    this.node = el(
      "div",
      { class: "budget" },
      this.source,
      el(
        "div",
        { class: "pair side" },
        el(
          "section",
          { class: "panel", "aria-label": "Cluster and sliders" },
          el("header", null, el("h2", null, "What if"), el("div", { class: "actions" }, this.reset, this.apply)),
          el(
            "div",
            { class: "form" },
            el("label", { class: "field wide" }, el("span", null, "GPU"), select(GPUS, this.gpu, (gpu) => { this.gpu = gpu; this.soon.now(); })),
            el("div", { class: "two" }, number("nodes", (value) => (this.nodes = value)), number("GPUs a node", (value) => (this.each = value))),
            el("label", { class: "field wide" }, el("span", null, "model"), el("input", { type: "text", placeholder: "as the file names it", spellcheck: "false", on: { input: (event) => { this.model = event.target.value.trim(); this.soon(); } } })),
          ),
          this.sliders,
        ),
        el("section", { class: "panel", "aria-label": "Account" }, this.verdict, this.charts, this.answers, this.front),
      ),
    );
    this.blank();
  }

  show() {
    if (this.editor.text !== shared.text) this.editor.set(shared.text, shared.name);
    this.how.draw();
    if (shared.text) this.soon.now();
  }

  fresh() {
    this.changes = {};
    this.drawn = "";
    this.soon.now();
  }

  asked() {
    return { text: shared.text, name: shared.name, ...readAs(shared.how), gpu: this.gpu, nodes: this.nodes, gpus_per_node: this.each, model: this.model, changes: this.changes };
  }

  async ask() {
    if (!shared.text.trim()) return this.blank();
    const start = performance.now();
    try {
      const answer = await this.question(this.asked());
      if (!answer) return;
      this.draw(answer);
      // for the bench: from the move to the drawing
      this.node.dataset.ms = (performance.now() - start).toFixed(1);
      this.time.textContent = `· recomputed in ${Math.round(this.node.dataset.ms)} ms`;
      this.rest();
    } catch (error) {
      this.trouble(error);
    }
  }

  async clusters() {
    try {
      const [found, more] = await Promise.all([this.further(this.asked()), ask("budget", { ...this.asked(), answers: true })]);
      if (!found) return;
      const { nodes, gpus_per_node: each } = more.cluster;
      replace(this.front, el("h3", null, "Clusters: rent against the largest micro-batch"), front(found.front, { gpu: more.gpu.name, gpus: nodes * each }));
      replace(this.answers, el("h3", null, "What would fit"), el("ul", { class: "answers" }, more.answers.map((one) => this.answer(one))));
    } catch (error) {
      replace(this.answers);
      replace(this.front, el("p", { class: "soft" }, `No comparison of clusters: ${error.message}`));
    }
  }

  answer(one) {
    const paths = new Set(this.known);
    const can = one.changes.length && one.changes.every((change) => paths.has(change.path));
    const take = () => {
      for (const change of one.changes) this.changes[change.path] = change.new;
      this.drawn = "";
      this.soon.now();
    };
    return el("li", null, el("span", { class: "soft" }, `${one.question}: `), one.answer, " ", can ? el("button", { type: "button", on: { click: take } }, "Try it") : null);
  }

  blank() {
    this.badge.textContent = "paste or drop a file";
    this.source.open = true;
    replace(this.verdict, el("p", { class: "soft" }, "How much memory each role takes on each GPU, phase by phase, and whether the run fits."));
    for (const node of [this.charts, this.front, this.answers, this.sliders]) replace(node);
    this.apply.disabled = true;
  }

  trouble(error) {
    replace(this.verdict, trouble(error));
    for (const node of [this.charts, this.front, this.answers]) replace(node);
    this.node.dataset.ms = "";
    say(error.message);
  }

  draw(answer) {
    this.badge.textContent = `${answer.source.title} ${answer.source.release}`;
    // a text that is not being edited makes room for its account, once
    if (!this.folded && !this.editor.node.contains(document.activeElement)) this.source.open = false;
    this.folded = true;
    this.known = answer.sliders.map((one) => one.path);
    this.drawSliders(answer.sliders);
    this.apply.disabled = !Object.keys(this.changes).length;
    const worst = answer.pools.flatMap((pool) => pool.phases).reduce((one, other) => (other.bytes > one.bytes ? other : one));
    replace(
      this.verdict,
      el("p", { class: `says ${TONES[answer.verdict]}` }, el("b", null, answer.verdict), ` · peak ${gib(worst.bytes)} GiB (${gib(worst.low_bytes)} to ${gib(worst.high_bytes)}) in ${answer.deciding.phase} · headroom ${gib(answer.headroom_bytes)} GiB`),
      el("p", { class: "soft" }, `${answer.model.name}, ${(answer.model.parameters / 1e9).toFixed(2)} G parameters, on ${answer.cluster.nodes} × ${answer.cluster.gpus_per_node} ${answer.gpu.title} `, this.time),
      answer.problems.map((one) => el("p", { class: "says bad" }, one.message, one.nearest.length ? `. Nearest: ${one.nearest.join(", ")}` : "")),
    );
    replace(
      this.charts,
      el("h3", null, "GPUs by role and phase"),
      this.phases(answer),
      this.tiles,
      answer.pools.map((pool) => [el("h3", null, `${pool.roles.join(" + ")}: memory of one GPU by phase, GiB`), memory(pool, answer.gpu.usable_bytes)]),
      legend(answer),
      answer.notes.length ? el("details", null, el("summary", { class: "soft" }, `${answer.notes.length} assumption${answer.notes.length > 1 ? "s" : ""}`), el("ul", null, answer.notes.map((one) => el("li", { class: "soft" }, one)))) : null,
    );
    say(`${answer.verdict}, peak ${gib(worst.bytes)} GiB`);
  }

  // The phase that decides is shown until another is chosen; a move of a slider keeps the choice.
  phases(answer) {
    const all = phasesOf(answer);
    const now = all.includes(this.phase) ? this.phase : all.includes(answer.deciding.phase) ? answer.deciding.phase : all[0];
    const draw = (phase) => replace(this.tiles, gpus(answer, phase));
    draw(now);
    return segments("Phase", all.map((name) => [name, name]), now, (name) => { this.phase = name; draw(name); });
  }

  // Drawn anew only when there are others: a slider that is being moved stays under the finger.
  drawSliders(sliders) {
    const form = JSON.stringify(sliders.map((one) => [one.path, one.steps]));
    if (this.drawn === form) return;
    this.drawn = form;
    replace(this.sliders, sliders.map((one) => (one.steps.length ? this.range(one) : this.toggle(one))));
  }

  put(one, value, own) {
    if (value === own) delete this.changes[one.path];
    else this.changes[one.path] = value;
    this.soon.now();
  }

  range(one) {
    const own = this.changes[one.path] === undefined ? one.value : undefined;
    const steps = [...new Set([...one.steps, ...(one.value === null ? [] : [one.value])])].sort((a, b) => a - b);
    const words = (value) => (value === null ? "not set" : `${value.toLocaleString("en")} ${one.unit}`);
    const out = el("output", null, words(one.value));
    const at = Math.max(steps.indexOf(one.value), 0);
    const input = el("input", {
      type: "range", min: 0, max: steps.length - 1, step: 1, value: at, "aria-label": one.title, "aria-valuetext": words(one.value), data: { path: one.path },
      on: { input: (event) => { const value = steps[Number(event.target.value)]; out.textContent = words(value); event.target.setAttribute("aria-valuetext", words(value)); this.put(one, value, own); } },
    });
    return el("label", { class: "slider", title: one.keys.join(", ") }, el("span", null, one.title), out, input);
  }

  toggle(one) {
    const own = this.changes[one.path] === undefined ? one.value : undefined;
    return el("label", { class: "check", title: one.keys.join(", ") }, el("input", { type: "checkbox", checked: one.value === true, data: { path: one.path }, on: { change: (event) => this.put(one, event.target.checked, own) } }), one.title);
  }

  async write() {
    try {
      const answer = await ask("apply", this.asked());
      const left = answer.left.length ? el("p", { class: "says warn" }, `Not in the file, set it yourself: ${answer.left.join("; ")}`) : null;
      this.editor.set(answer.text);
      shared.text = answer.text;
      save(shared.name || "changed.txt", answer.text, "text/plain");
      this.fresh();
      if (left) this.verdict.append(left);
      say(`${answer.changed} values written`);
    } catch (error) {
      this.trouble(error);
    }
  }
}

export const page = () => new Budget();
