// The keys of a release as a form: what each means, its unit and default, whether it does anything now, and what is wrong.

import { ask, newest } from "./ask.js";
import { el, later, replace, say, segments, select, short, shown } from "./dom.js";
import { FRAMEWORKS } from "./frameworks.js";

const MOST = 120;

const groupOf = (key) => key.split(".").slice(0, -1).slice(0, 3).join(".") || "(top)";

export class Expert {
  constructor(outcome) {
    this.outcome = outcome;
    this.at = { framework: FRAMEWORKS[0][0], release: "", trainer: "" };
    this.values = {};
    this.words = "";
    this.only = false;
    this.hide = false;
    this.every = false;
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
        el("header", null, el("h2", null, "Keys"), segments("Which keys", [["common", "Common"], ["every", "Every key"]], "common", (which) => { this.every = which === "every"; this.draw(); }), search),
        el("div", { class: "settings" }, check("only what is set", this.only, (value) => (this.only = value)), check("hide what does nothing", this.hide, (value) => (this.hide = value))),
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
          this.totals(answer.totals),
        ),
      );
      this.mark();
      say(shown.length ? `${shown.length} findings` : "Nothing found");
    } catch (error) {
      this.outcome.trouble(error);
    }
  }

  // What follows from the values, as numbers: among them the GPUs that the trainer gets.
  totals(found) {
    return found.length ? el("dl", { class: "follows", "aria-label": "What follows" }, found.map((one) => el("div", { title: one.how || null }, el("dt", null, one.name), el("dd", null, shown(one.value))))) : null;
  }

  // What does nothing now, and what is wrong, beside the keys that are shown; rows stay where they are while one types.
  mark() {
    for (const node of this.list.querySelectorAll(".key-row")) {
      const why = this.state.inactive[node.dataset.key];
      const wrong = this.state.findings.find((one) => one.key === node.dataset.key && one.severity !== "info");
      node.classList.toggle("idle", Boolean(why));
      node.classList.toggle("own", node.dataset.key in this.values);
      node.querySelector(".note").textContent = [wrong?.message, why].filter(Boolean).join("; ");
      node.querySelector(".note").className = `note ${wrong ? wrong.severity : ""}`;
    }
    for (const group of this.list.querySelectorAll("details[data-group]")) {
      const items = this.groups.get(group.dataset.group) ?? [];
      const set = items.filter((one) => one.key in this.values).length;
      const idle = items.filter((one) => this.state.inactive[one.key]).length;
      group.querySelector(".soft").textContent = ` ${items.length}${set ? `, ${set} set` : ""}${idle ? `, ${idle} without effect now` : ""}`;
    }
    this.list.classList.toggle("hiding", this.hide);
    const idle = this.known.keys.filter((one) => this.state.inactive[one.key]).length;
    this.sum.textContent = `${this.found.length} of ${this.known.keys.length} keys of ${this.known.title} ${this.known.release}; ${Object.keys(this.values).length} set; ${idle} do nothing beside the others`;
  }

  draw() {
    const words = this.words.split(/\s+/).filter(Boolean);
    const known = new Set(this.known.keys.map((one) => one.key));
    const own = Object.keys(this.values).filter((key) => !known.has(key)).map((key) => ({ key, type: "any", choices: [], meaning: "", unit: "", default: null, topic: "", own: true }));
    // a search looks at every key: what one looks for by name need not be common
    const every = this.every || words.length > 0;
    const fits = (one) => {
      if (this.only && !(one.key in this.values)) return false;
      if (!every && !one.topic && !(one.key in this.values)) return false;
      const text = `${one.key} ${one.meaning} ${one.plan ?? ""} ${one.unit}`.toLowerCase();
      return words.every((word) => text.includes(word));
    };
    this.found = [...this.known.keys, ...own].filter(fits);
    this.groups = new Map(every ? [] : this.known.topics.map((topic) => [topic, []]));
    for (const one of this.found) {
      const group = every ? groupOf(one.key) : one.topic || "Further keys that are set";
      if (!this.groups.has(group)) this.groups.set(group, []);
      this.groups.get(group).push(one);
    }
    const wide = words.length > 0 || this.only;
    let budget = MOST;
    replace(
      this.list,
      [...this.groups].filter(([, items]) => items.length).map(([group, items], at) => {
        const title = el(every ? "code" : "b", null, group);
        const node = el("details", { data: { group } }, el("summary", null, title, el("span", { class: "soft" })));
        const make = () => {
          if (node.childElementCount === 1) node.append(...items.map((one) => this.row(one, every)));
          this.mark();
        };
        node.addEventListener("toggle", () => node.open && make());
        if ((wide && budget > 0) || (!every && at === 0)) {
          budget -= items.length;
          if (node.childElementCount === 1) node.append(...items.map((one) => this.row(one, every)));
          node.open = true;
        }
        return node;
      }),
      this.found.length ? null : el("p", { class: "soft none" }, "No key fits."),
      every || this.only ? null : this.without(),
      this.adder(),
    );
    this.mark();
  }

  // What the generator of Trinity-RFT asks and this framework has no key for: said, so that nobody looks for it.
  without() {
    const found = this.known.without;
    if (!found.length) return null;
    return el("details", null, el("summary", null, el("b", null, `No key of ${this.known.title}`), el("span", { class: "soft" }, ` ${found.length} parameters that Trinity-RFT's generator has`)), el("ul", { class: "answers lacking" }, found.map((one) => el("li", null, el("code", null, one.name), el("span", { class: "soft" }, ` ${one.why}`)))));
  }

  put(key, value) {
    if (value === "") delete this.values[key];
    else this.values[key] = value;
    this.soon();
  }

  row(one, last) {
    const name = last ? one.key.split(".").pop() : one.key;
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
      el("p", { class: "meaning soft" }, one.meaning, one.default === null ? null : el("span", { class: "default" }, `${one.meaning ? " · " : ""}default ${short(one.default, 120)}`)),
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
