// Every key of a release as a form: what it means, its unit and default, whether it does anything now, and what is wrong.

import { ask, newest } from "./ask.js";
import { el, later, replace, say, select, short } from "./dom.js";
import { FRAMEWORKS } from "./shared.js";

const MOST = 120;

const groupOf = (key) => key.split(".").slice(0, -1).slice(0, 3).join(".") || "(top)";

export class Expert {
  constructor(outcome) {
    this.outcome = outcome;
    this.at = { framework: "verl", release: "", trainer: "" };
    this.values = {};
    this.words = "";
    this.only = false;
    this.hide = true;
    this.state = { inactive: {}, findings: [] };
    this.question = newest("new");
    this.soon = later(200, () => this.check());
    this.find = later(120, () => this.draw());
    this.picks = el("div", { class: "settings" });
    this.list = el("div", { class: "keys" });
    this.about = el("article", { class: "rule about", "aria-live": "polite" }, el("p", { class: "soft" }, "Choose a key to read what is known of it."));
    this.sum = el("p", { class: "soft" });
    const search = el("input", { type: "search", placeholder: "Search keys and meanings", "aria-label": "Search keys", on: { input: (event) => { this.words = event.target.value.toLowerCase(); this.find(); } } });
    const check = (title, now, put) => el("label", { class: "check" }, el("input", { type: "checkbox", checked: now, on: { change: (event) => { put(event.target.checked); this.draw(); } } }), title);
    this.node = el(
      "div",
      { class: "pair tall" },
      el(
        "section",
        { class: "panel", "aria-label": "Keys" },
        el("header", null, el("h2", null, "Keys"), search, check("only set", this.only, (value) => (this.only = value)), check("hide what does nothing", this.hide, (value) => (this.hide = value))),
        this.picks,
        this.list,
        this.sum,
        this.about,
      ),
      this.outcome.node,
    );
  }

  // The values of a config that was made in the other way.
  take(answer) {
    this.at = { framework: answer.framework, release: answer.release, trainer: "" };
    this.values = { ...answer.values };
    this.left = answer.left;
    this.known = null;
  }

  async open() {
    if (!this.known) await this.load();
  }

  async load() {
    try {
      this.known = await ask("keys", this.at);
    } catch (error) {
      this.outcome.trouble(error);
      return;
    }
    this.at = { framework: this.known.framework, release: this.known.release, trainer: this.known.trainer };
    const pick = (change) => {
      Object.assign(this.at, change);
      this.load();
    };
    const other = (framework) => {
      this.values = {};
      this.left = [];
      pick({ framework, release: "", trainer: "" });
    };
    const field = (title, node) => el("label", { class: "field" }, el("span", null, title), node);
    replace(
      this.picks,
      field("framework", select(FRAMEWORKS, this.at.framework, other)),
      field("release", select(this.known.releases.map((one) => [one, one]), this.at.release, (release) => pick({ release }))),
      this.known.trainers.length > 1 ? field("trainer", select(this.known.trainers.map((one) => [one, one]), this.at.trainer, (trainer) => pick({ trainer }))) : null,
    );
    this.draw();
    this.soon.now();
  }

  async check() {
    try {
      const answer = await this.question({ ...this.at, values: this.values });
      if (!answer) return;
      const moved = JSON.stringify(Object.keys(answer.inactive)) !== JSON.stringify(Object.keys(this.state.inactive));
      this.state = answer;
      const shown = answer.findings.filter((one) => one.severity !== "info");
      const left = this.left?.length ? el("p", { class: "soft" }, `Left out, because their values are read when the run starts: ${this.left.join(", ")}`) : null;
      this.outcome.set(
        answer.text,
        answer.name,
        null,
        el(
          "div",
          { class: "verdict" },
          Object.keys(this.values).length
            ? shown.length
              ? shown.map((one) => el("p", { class: `says ${one.severity === "error" ? "bad" : "warn"}` }, el("code", null, one.code), ` ${one.message}`, one.help ? el("span", { class: "soft" }, ` ${one.help}`) : null))
              : el("p", { class: "says good" }, "Nothing found by the rules.")
            : el("p", { class: "soft" }, "Set a key: the config and what the rules say of it appear here."),
          answer.problem && !shown.length ? el("p", { class: "says warn" }, answer.problem) : null,
          left,
        ),
      );
      if (moved && !this.list.contains(document.activeElement)) this.draw();
      else this.mark();
      say(shown.length ? `${shown.length} findings` : "Nothing found");
    } catch (error) {
      this.outcome.trouble(error);
    }
  }

  // What does nothing now, and what is wrong, beside the keys that are shown.
  mark() {
    for (const node of this.list.querySelectorAll(".key-row")) {
      const why = this.state.inactive[node.dataset.key];
      const wrong = this.state.findings.find((one) => one.key === node.dataset.key && one.severity !== "info");
      node.classList.toggle("idle", Boolean(why));
      node.querySelector(".note").textContent = wrong ? wrong.message : why ? why : "";
      node.querySelector(".note").className = `note ${wrong ? wrong.severity : ""}`;
    }
  }

  draw() {
    const words = this.words.split(/\s+/).filter(Boolean);
    const known = new Set(this.known.keys.map((one) => one.key));
    const own = Object.keys(this.values).filter((key) => !known.has(key)).map((key) => ({ key, type: "any", choices: [], meaning: "", unit: "", default: null, own: true }));
    const set = (one) => one.key in this.values;
    const fits = (one) => {
      const text = `${one.key} ${one.meaning} ${one.plan ?? ""}`.toLowerCase();
      if (this.only && !set(one)) return false;
      if (this.hide && this.state.inactive[one.key] && !set(one) && !words.length) return false;
      return words.every((word) => text.includes(word));
    };
    const found = [...this.known.keys, ...own].filter(fits);
    const groups = new Map();
    for (const one of found) {
      const group = groupOf(one.key);
      if (!groups.has(group)) groups.set(group, []);
      groups.get(group).push(one);
    }
    const open = words.length > 0 || this.only;
    let budget = MOST;
    replace(
      this.list,
      [...groups].map(([group, items]) => {
        const count = items.filter(set).length;
        const node = el("details", null, el("summary", null, el("code", null, group), el("span", { class: "soft" }, ` ${items.length}${count ? `, ${count} set` : ""}`)));
        const make = () => {
          if (node.childElementCount === 1) node.append(...items.map((one) => this.row(one)));
          this.mark();
        };
        node.addEventListener("toggle", () => node.open && make());
        if (open && budget > 0) {
          budget -= items.length;
          make();
          node.open = true;
        }
        return node;
      }),
      found.length ? null : el("p", { class: "soft none" }, "No key fits."),
      this.adder(),
    );
    const hidden = this.known.keys.filter((one) => this.state.inactive[one.key]).length;
    this.sum.textContent = `${found.length} of ${this.known.keys.length} keys of ${this.known.title} ${this.known.release}; ${Object.keys(this.values).length} set; ${hidden} do nothing beside the others`;
    this.mark();
  }

  put(key, value) {
    if (value === "") delete this.values[key];
    else this.values[key] = value;
    this.soon();
  }

  row(one) {
    const name = one.key.split(".").pop();
    const now = this.values[one.key] ?? "";
    const holder = one.mandatory ? "must be given" : one.default === null ? "not set" : short(one.default, 60);
    const change = (event) => this.put(one.key, event.target.value);
    const id = `k-${one.key}`;
    const kinds = one.type.split("|");
    let input;
    if (kinds.length === 1 && kinds[0] === "bool") {
      input = select([["", `default: ${one.default ?? "null"}`], ["true", "true"], ["false", "false"]], now, (value) => this.put(one.key, value), { id });
    } else {
      const list = one.choices.length ? `${id}-list` : null;
      input = [el("input", { type: "text", id, value: now, placeholder: holder, spellcheck: "false", autocomplete: "off", list, on: { input: change } }), list ? el("datalist", { id: list }, one.choices.map((choice) => el("option", { value: choice }))) : null];
    }
    return el(
      "div",
      { class: "key-row", data: { key: one.key }, on: { focusin: () => this.explain(one) } },
      el("label", { for: id, title: one.key }, el("code", null, name), one.unit ? el("span", { class: "soft" }, ` ${one.unit}`) : null),
      el("div", { class: "input" }, input),
      el("p", { class: "meaning soft" }, one.meaning),
      el("p", { class: "note" }),
    );
  }

  // A key that the catalogue cannot list: further items of lists, entries of one's own names.
  adder() {
    const key = el("input", { type: "text", placeholder: "another.key", "aria-label": "Another key", spellcheck: "false" });
    const value = el("input", { type: "text", placeholder: "value", "aria-label": "Its value", spellcheck: "false" });
    const add = () => {
      if (!key.value.trim() || !value.value.trim()) return;
      this.put(key.value.trim(), value.value.trim());
      this.draw();
    };
    return el("div", { class: "adder" }, key, value, el("button", { type: "button", on: { click: add } }, "Add"));
  }

  async explain(one) {
    if (this.told === one.key) return;
    this.told = one.key;
    let facts;
    try {
      facts = await ask("explain", { framework: this.at.framework, key: one.key });
    } catch {
      facts = null;
    }
    if (this.told !== one.key) return;
    const others = facts ? facts.plan.flatMap((field) => Object.entries(field.frameworks).filter(([, held]) => held.keys?.length).map(([name, held]) => `${name}: ${held.keys.join(", ")}`)) : [];
    replace(
      this.about,
      el("h3", null, el("code", null, one.key)),
      el("p", null, one.meaning || facts?.reason || "No row speaks of this key: it is checked for its type alone."),
      el("p", { class: "soft" }, [`${one.type}${one.optional ? " or null" : ""}`, one.unit ? `counts ${one.unit}` : "", one.default === null ? "" : `default ${one.default}`, one.choices.length ? `one of ${one.choices.slice(0, 30).join(", ")}` : ""].filter(Boolean).join(" · ")),
      facts?.acts_unless ? el("p", null, el("span", { class: "upper" }, facts.acts_unless)) : null,
      others.length ? el("p", null, "Elsewhere: ", [...new Set(others)].join("; ")) : null,
      facts ? Object.entries(facts.hazards).map(([name, says]) => el("p", null, el("code", null, name), ` ${says}`)) : null,
      facts ? Object.entries(facts.rules).slice(0, 12).map(([code, title]) => el("p", { class: "soft" }, el("code", null, code), ` ${title}`)) : null,
    );
    this.about.scrollTop = 0;
  }
}
