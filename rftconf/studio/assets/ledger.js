// The account as a table that can be searched and filtered.

import { el, replace, short, shown } from "./dom.js";

const STATES = {
  exact: "kept",
  derived: "kept",
  default: "kept",
  rounded: "part",
  narrowed: "part",
  extension: "part",
  "dead-in-target": "part",
  "no-counterpart": "lost",
  unresolved: "lost",
  unknown: "lost",
  "dead-in-source": "idle",
  withheld: "idle",
};
const MOST = 300;

export class Ledger {
  // light({ sources, targets }) is told which row is looked at
  constructor(light) {
    this.light = light;
    this.off = new Set();
    this.words = "";
    this.search = el("input", {
      type: "search",
      placeholder: "Filter keys, values, reasons",
      "aria-label": "Filter the account",
      on: {
        input: (event) => {
          this.words = event.target.value.toLowerCase();
          this.rows();
        },
      },
    });
    this.chips = el("div", { class: "chips", role: "group", "aria-label": "States" });
    this.body = el("tbody");
    this.foot = el("p", { class: "soft" });
    this.node = el(
      "section",
      { class: "panel account", "aria-label": "Account of every key" },
      el("header", null, el("h2", null, "Account"), this.search),
      this.chips,
      el(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": "Account table" },
        el(
          "table",
          null,
          el("thead", null, el("tr", null, ["State", "Source", "Became", "Why"].map((title) => el("th", { scope: "col" }, title)))),
          this.body,
        ),
      ),
      this.foot,
    );
  }

  set(ledger, lossy) {
    this.ledger = ledger;
    this.lossy = lossy;
    this.filters();
    this.rows();
  }

  filters() {
    const counts = Object.entries(this.ledger.counts);
    replace(
      this.chips,
      counts.map(([state, count]) =>
        el(
          "button",
          {
            type: "button",
            class: `chip s-${STATES[state]}`,
            "aria-pressed": this.off.has(state) ? "false" : "true",
            on: {
              click: () => {
                if (this.off.has(state)) this.off.delete(state);
                else this.off.add(state);
                this.filters();
                this.rows();
              },
            },
          },
          el("b", null, count),
          ` ${state}`,
        ),
      ),
      el(
        "button",
        {
          type: "button",
          class: "chip plain",
          on: {
            click: () => {
              const quiet = counts.map(([state]) => state).filter((state) => STATES[state] === "kept");
              const hidden = quiet.every((state) => this.off.has(state));
              this.off = new Set(hidden ? [] : quiet);
              this.filters();
              this.rows();
            },
          },
        },
        "only what changed",
      ),
    );
  }

  rows() {
    const words = this.words.split(/\s+/).filter(Boolean);
    const fits = (line) => {
      const text = `${line.key}=${shown(line.value)} ${line.targets.join(" ")} ${line.reason} ${line.state}`.toLowerCase();
      return !this.off.has(line.state) && words.every((word) => text.includes(word));
    };
    const found = this.ledger.sources.filter(fits);
    replace(this.body, found.slice(0, MOST).map((line) => this.row(line)));
    const more = found.length > MOST ? `, the first ${MOST} shown` : "";
    this.foot.textContent = `${found.length} of ${this.ledger.sources.length} keys${more}; ${this.lossy} not kept in full`;
  }

  row(line) {
    const look = () => this.light({ sources: [line.key], targets: line.targets });
    return el(
      "tr",
      { tabindex: "0", on: { mouseenter: look, focus: look, click: () => this.light({ sources: [line.key], targets: line.targets, show: true }) } },
      el("td", null, el("span", { class: `state s-${STATES[line.state]}` }, line.state)),
      el("td", { class: "mono" }, el("span", { class: "t-key" }, line.key), "=", short(line.state === "withheld" ? "(withheld)" : shown(line.value), 80), line.place ? el("span", { class: "soft" }, ` :${line.place.line}`) : null),
      el("td", { class: "mono" }, line.targets.map((one) => el("div", null, one))),
      el("td", null, line.reason),
    );
  }
}
