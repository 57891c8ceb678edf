// Compare: are two configs the same run? First the totals, then what differs and what that does.

import { newest } from "./ask.js";
import { el, later, replace, say, shown, short, trouble } from "./dom.js";
import { Editor, opener } from "./editor.js";
import { How, asked as readAs } from "./how.js";
import { EXAMPLE, readAsWritten, shared } from "./shared.js";

const EFFECTS = [
  ["mathematics", "Mathematics", "changes what is learnt"],
  ["measurement", "Measurement", "changes what is seen of it"],
  ["performance", "Performance", "changes speed and memory only"],
  ["bookkeeping", "Bookkeeping", "names, folders, logging"],
];
const VERDICTS = { same: ["good", "The same run"], different: ["bad", "Different runs"] };
const OTHER = EXAMPLE.replace("optim.lr=1e-6", "optim.lr=2e-6").replace("rollout.n=$N", "rollout.n=16").replace("gpu_memory_utilization=0.6", "gpu_memory_utilization=0.8");
const MOST = 200;

class Compare {
  constructor() {
    this.sides = [
      { text: "", name: "" },
      { text: "", name: "" },
    ];
    this.states = [readAsWritten(), readAsWritten()];
    this.hows = this.states.map((state) => new How(state, () => this.soon.now()));
    this.rows = null;
    this.off = new Set(["bookkeeping"]);
    this.question = newest("diff");
    this.soon = later(300, () => this.ask());
    this.editors = ["A", "B"].map(
      (letter, at) =>
        new Editor({
          label: `Config ${letter}`,
          placeholder: `Paste or drop config ${letter}, for any framework.`,
          change: (text, name) => {
            this.sides[at] = { text, name };
            this.soon();
          },
          trouble: (message) => this.trouble({ message, exit: 2 }),
        }),
    );
    this.build();
  }

  build() {
    this.badges = [el("span", { class: "badge" }, "A"), el("span", { class: "badge" }, "B")];
    this.out = el("section", { class: "panel compared", "aria-label": "Comparison", "aria-live": "polite" });
    const example = () => {
      this.put(0, EXAMPLE, "run_a.sh");
      this.put(1, OTHER, "run_b.sh");
      this.soon.now();
    };
    const panel = (letter, at) =>
      el("section", { class: "panel", "aria-label": `Config ${letter}` }, el("header", null, el("h2", null, letter), this.badges[at], el("div", { class: "actions" }, opener(this.editors[at]), at ? null : el("button", { type: "button", on: { click: example } }, "Example"))), this.hows[at].node, this.editors[at].node);
    this.node = el("div", { class: "compare" }, el("div", { class: "pair even" }, panel("A", 0), panel("B", 1)), this.out);
    this.blank();
  }

  put(at, text, name) {
    this.sides[at] = { text, name };
    this.editors[at].set(text, name);
  }

  show() {
    if (!this.sides[0].text && shared.text) this.put(0, shared.text, shared.name);
    if (this.sides.every((one) => one.text.trim())) this.soon.now();
  }

  blank() {
    replace(this.out, el("p", { class: "blank" }, "Two configs, for any two frameworks and releases, are compared by what their runs do."));
  }

  async ask() {
    if (!this.sides.every((one) => one.text.trim())) return this.blank();
    try {
      const answer = await this.question({ sides: this.sides.map((one, at) => ({ ...one, ...readAs(this.states[at]) })), rows: this.rows });
      if (answer) this.draw(answer);
    } catch (error) {
      this.trouble(error);
    }
  }

  trouble(error) {
    replace(this.out, trouble(error));
    say(error.message);
  }

  draw(answer) {
    this.answer = answer;
    answer.titles.forEach((title, at) => (this.badges[at].textContent = title));
    const [tone, words] = VERDICTS[answer.verdict] ?? ["warn", "Cannot be told: something that counts is not known"];
    replace(
      this.out,
      el("div", { class: "verdict" }, el("p", { class: `says ${tone}` }, el("b", null, words)), el("p", { class: "soft" }, "What only one side speaks of is left out of the verdict where silence may mean the same.")),
      el(
        "div",
        { class: "chips", role: "group", "aria-label": "Effects" },
        EFFECTS.map(([effect, title, does]) =>
          el("button", { type: "button", class: "chip", title: does, "aria-pressed": this.off.has(effect) ? "false" : "true", on: { click: () => { if (this.off.has(effect)) this.off.delete(effect); else this.off.add(effect); this.draw(this.answer); } } }, el("b", null, answer.counts[effect] ?? 0), ` ${title.toLowerCase()}`),
        ),
        el("label", { class: "field" }, "rows of the training set", el("input", { type: "text", inputmode: "numeric", size: "8", value: this.rows ?? "", on: { change: (event) => { const value = event.target.value.trim(); this.rows = /^[1-9]\d{0,11}$/.test(value) ? Number(value) : null; this.soon.now(); } } })),
      ),
      answer.stages.map((stage) => this.stage(stage)),
    );
    say(words);
  }

  stage(stage) {
    const groups = EFFECTS.filter(([effect]) => !this.off.has(effect)).map(([effect, title, does]) => {
      const found = stage.differences.filter((one) => one.effect === effect);
      if (!found.length) return null;
      return [
        el("tr", { class: "group" }, el("th", { colspan: "4", scope: "colgroup" }, title, el("span", { class: "soft" }, ` ${does}`))),
        found.slice(0, MOST).map((one) => this.difference(one)),
      ];
    });
    return el(
      "div",
      { class: "stage" },
      stage.name ? el("h3", null, stage.name) : null,
      el("h3", null, "Totals"),
      el(
        "div",
        { class: "scroll" },
        el("table", { class: "totals" }, el("thead", null, el("tr", null, ["", "A", "B"].map((title) => el("th", { scope: "col" }, title)))), el("tbody", null, stage.totals.map((one) => el("tr", { class: one.same === false ? "differs" : null, title: one.formula }, el("th", { scope: "row" }, one.name, one.unit ? el("span", { class: "soft" }, ` ${one.unit}`) : null), el("td", { class: "mono" }, one.a === null ? "not known" : shown(one.a)), el("td", { class: "mono" }, one.b === null ? "not known" : shown(one.b)))))),
      ),
      el("h3", null, "Differences"),
      el("div", { class: "scroll" }, el("table", { class: "differences" }, el("thead", null, el("tr", null, ["Field of the plan", "A", "B", "What it does"].map((title) => el("th", { scope: "col" }, title)))), el("tbody", null, groups.some(Boolean) ? groups : el("tr", null, el("td", { colspan: "4", class: "soft" }, "None of these effects."))))),
    );
  }

  difference(one) {
    const look = (show) => {
      for (const [at, side] of [one.a, one.b].entries()) {
        const lines = (side.origin?.keys ?? []).flatMap((key) => (key.place ? (this.answer.places[at][key.key] ?? [key.place.line]) : []));
        this.editors[at].light(lines, show);
      }
    };
    const cell = (side) =>
      el("td", { class: "mono" }, side.no_effect_because ? el("span", { class: "soft" }, "no effect: ", side.no_effect_because) : short(side.value === null && !side.origin ? "says nothing" : shown(side.value), 80), side.origin?.keys?.length ? el("div", { class: "soft" }, side.origin.keys.map((key) => `${key.key}${key.place ? ` :${key.place.line}` : ""}`).join(", ")) : null, side.origin?.default_of ? el("div", { class: "soft" }, `default of ${side.origin.default_of}`) : null);
    return el("tr", { tabindex: "0", on: { mouseenter: () => look(false), focus: () => look(false), click: () => look(true) } }, el("td", { class: "mono" }, el("span", { class: "t-key" }, one.path.replace(/^stage\./, "")), one.certain ? null : el("div", { class: "soft" }, `cannot be compared: ${Object.entries(one.doubts).map(([side, why]) => `${side} ${why}`).join("; ")}`)), cell(one.a), cell(one.b), el("td", null, one.does));
  }
}

export const page = () => new Compare();
