// What a person must decide, as a form whose every change is asked again.

import { el, replace } from "./dom.js";

export class Decide {
  // change() is called when a value changed; values are options of a conversion
  constructor(change) {
    this.change = change;
    this.rows = null;
    this.rollout_gpus = null;
    this.set = {};
    this.fill = {};
    this.count = el("span", { class: "count" });
    this.list = el("ol", { class: "decisions" });
    this.node = el(
      "section",
      { class: "panel decide", "aria-label": "What you must decide" },
      el("header", null, el("h2", null, "You must decide ", this.count)),
      this.list,
    );
  }

  fields() {
    return { rows: this.rows, rollout_gpus: this.rollout_gpus, set: this.set, fill: this.fill };
  }

  // A field that has been answered goes from the account; its input stays, so that the answer can be changed.
  show(fields) {
    const held = document.activeElement?.closest?.(".decide") ? document.activeElement.dataset.input : null;
    this.count.textContent = fields.length ? String(fields.length) : "";
    const asked = new Set(fields.flatMap((one) => one.inputs.map((input) => `${input.kind}:${input.name ?? ""}`)));
    const given = this.given().filter((input) => !asked.has(`${input.kind}:${input.name ?? ""}`));
    const answered = given.map((input) => ({ key: input.title, why: "as you said", chosen: null, choices: [], inputs: [input], done: true }));
    const seen = new Set();
    replace(this.list, [...fields, ...answered].map((field) => this.item(field, seen)));
    if (!fields.length && !answered.length) replace(this.list, el("li", { class: "soft none" }, "Nothing: the source told everything that the target asks."));
    if (held) this.list.querySelector(`[data-input="${CSS.escape(held)}"]`)?.focus();
  }

  given() {
    const found = [];
    if (this.rows) found.push({ kind: "rows", title: "rows of the training set" });
    if (this.rollout_gpus) found.push({ kind: "rollout_gpus", title: "GPUs for rollout", options: [{ value: this.rollout_gpus, title: String(this.rollout_gpus) }] });
    for (const name of Object.keys(this.set)) found.push({ kind: "set", name, title: `$${name}` });
    for (const name of Object.keys(this.fill)) found.push({ kind: "value", name, title: name, now: "", options: [] });
    return found;
  }

  item(field, seen) {
    const inputs = field.inputs.filter((input) => {
      const id = `${input.kind}:${input.name ?? ""}`;
      if (seen.has(id)) return false;
      seen.add(id);
      return true;
    });
    const hints = field.choices.filter((choice) => !choice.includes("--") && !field.inputs.some((input) => input.options?.some?.((one) => choice.startsWith(one))));
    return el(
      "li",
      { class: field.done ? "done" : null },
      el("code", { class: "key" }, field.key),
      el("p", null, field.why),
      inputs.map((input) => this.input(input, field)),
      hints.length && !field.done ? el("p", { class: "soft" }, "Possible: ", hints.join(" · ")) : null,
    );
  }

  input(input, field) {
    const id = `${input.kind}:${input.name ?? ""}`;
    const box = (title, node) => el("label", { class: "field" }, el("span", null, title), node);
    const text = (value, put, more) =>
      el("input", {
        type: "text",
        value: value ?? "",
        spellcheck: "false",
        autocomplete: "off",
        data: { input: id },
        ...more,
        on: {
          input: (event) => {
            put(event.target.value);
            this.change();
          },
        },
      });
    if (input.kind === "rows") {
      const put = (value) => (this.rows = /^[1-9]\d{0,11}$/.test(value) ? Number(value) : null);
      return box("rows of the training set", text(this.rows, put, { inputmode: "numeric", placeholder: "e.g. 7473" }));
    }
    if (input.kind === "set") {
      const put = (value) => {
        if (value) this.set[input.name] = value;
        else delete this.set[input.name];
      };
      return box(`$${input.name}`, text(this.set[input.name], put, { placeholder: "read when the run starts" }));
    }
    if (input.kind === "rollout_gpus") {
      const own = el("option", { value: "" }, this.rollout_gpus ? "let rftconf split" : (field.chosen ?? "let rftconf split"));
      const all = input.options.map((one) => el("option", { value: one.value, selected: one.value === this.rollout_gpus }, one.title));
      const known = input.options.some((one) => one.value === this.rollout_gpus);
      const now = this.rollout_gpus && !known ? el("option", { value: this.rollout_gpus, selected: true }, field.chosen ?? this.rollout_gpus) : null;
      return box(
        "split of the GPUs",
        el("select", { data: { input: id }, on: { change: (event) => { this.rollout_gpus = Number(event.target.value) || null; this.change(); } } }, own, now, all),
      );
    }
    const list = `list-${id}`.replace(/[^\w-]/g, "-");
    const put = (value) => {
      if (value) this.fill[input.name] = value;
      else delete this.fill[input.name];
    };
    return [
      box("value to write", text(this.fill[input.name], put, { placeholder: input.now || "", list })),
      el("datalist", { id: list }, input.options.map((one) => el("option", { value: one }))),
    ];
  }
}
