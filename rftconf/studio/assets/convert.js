// Convert: the source on one side, the target on the other, and between them the account of every key.

import { newest, raw } from "./ask.js";
import { isShell, lines } from "./colours.js";
import { Decide } from "./decide.js";
import { copy, el, later, replace, save, say, segments, select, trouble } from "./dom.js";
import { Editor, opener } from "./editor.js";
import { FRAMEWORKS, STYLES, TWO_FORMS } from "./frameworks.js";
import { How, asked as readAs } from "./how.js";
import { Ledger } from "./ledger.js";
import { EXAMPLE, TITLES, shared } from "./shared.js";

const MOST_LINES = 4000;
const FORMS = [["auto", "auto"], ["A", "one interval (A)"], ["B", "one each (B)"]];

class Convert {
  constructor() {
    this.options = { to: FRAMEWORKS[1][0], as: "", form: "auto", to_release: "", adapters: false };
    this.answer = null;
    this.file = 0;
    this.question = newest("convert");
    this.soon = later(250, () => this.ask());
    this.editor = new Editor({
      label: "Source config or launch script",
      placeholder: `Paste or drop a launch script or a config: ${FRAMEWORKS.map(([, title]) => title).join(", ")}.`,
      change: (text, name) => {
        shared.text = text;
        shared.name = name;
        this.soon();
      },
      caret: (line) => this.fromSource(line),
      trouble: (message) => this.trouble({ message, exit: 2 }),
    });
    this.decide = new Decide(() => this.soon());
    this.ledger = new Ledger((what) => this.fromLedger(what));
    this.build();
  }

  build() {
    this.badge = el("span", { class: "badge" }, "paste or drop a file");
    this.settings = el("div", { class: "settings" });
    this.how = new How(shared.how, () => this.soon.now());
    this.tabs = el("div", { class: "files", role: "tablist", "aria-label": "Files" });
    this.out = el("div", {
      class: "code",
      tabindex: "0",
      role: "textbox",
      "aria-readonly": "true",
      "aria-multiline": "true",
      "aria-label": "Target config; up and down show where a line comes from",
      on: { keydown: (event) => this.key(event), mouseover: (event) => this.hover(event), click: (event) => this.hover(event, true) },
    });
    this.status = el("p", { class: "status soft" }, "Hover or walk through the lines to see where each comes from.");
    this.save = el("div", { class: "actions" });
    this.command = el("code");
    this.told = el("div", { class: "told" });
    const clear = () => {
      this.editor.set("", "");
      Object.assign(shared, { text: "", name: "" });
      this.soon.now();
    };
    const example = () => {
      this.editor.set(EXAMPLE, "run_grpo.sh");
      Object.assign(shared, { text: EXAMPLE, name: "run_grpo.sh" });
      this.soon.now();
    };
    this.node = el(
      "div",
      { class: "convert" },
      el(
        "div",
        { class: "pair tall" },
        el(
          "section",
          { class: "panel", "aria-label": "Source" },
          el("header", null, el("h2", null, "Source"), this.badge, el("div", { class: "actions" }, opener(this.editor), el("button", { type: "button", on: { click: example } }, "Example"), el("button", { type: "button", class: "quiet", on: { click: clear } }, "Clear"))),
          this.how.node,
          this.editor.node,
        ),
        el(
          "section",
          { class: "panel", "aria-label": "Target" },
          el("header", null, el("h2", null, "Target"), segments("Target framework", FRAMEWORKS, this.options.to, (to) => this.pick({ to, as: "", form: "auto", to_release: "" })), this.save),
          this.settings,
          this.tabs,
          this.out,
          this.status,
        ),
      ),
      this.told,
      el("p", { class: "command" }, el("span", { class: "soft" }, "The same by hand "), this.command),
      el("div", { class: "pair low" }, this.decide.node, this.ledger.node),
    );
    this.fields();
    this.empty();
  }

  pick(change) {
    Object.assign(this.options, change);
    this.fields();
    this.soon.now();
  }

  fields() {
    const { to } = this.options;
    const label = (title, node) => el("label", { class: "field" }, el("span", null, title), node);
    replace(
      this.settings,
      STYLES[to] ? label("as", select(STYLES[to], this.options.as, (as) => this.pick({ as }))) : null,
      TWO_FORMS.includes(to) ? label("sync form", select(FORMS, this.options.form, (form) => this.pick({ form }))) : null,
      label("release", el("input", { type: "text", size: "8", value: this.options.to_release, placeholder: "newest", on: { change: (event) => this.pick({ to_release: event.target.value.trim() }) } })),
      el("label", { class: "check", title: "Also write a script that converts the data, and the reward behind the target's interface" }, el("input", { type: "checkbox", checked: this.options.adapters, on: { change: (event) => this.pick({ adapters: event.target.checked }) } }), "adapters"),
    );
  }

  show() {
    if (this.editor.text !== shared.text) this.editor.set(shared.text, shared.name);
    this.how.draw();
    if (shared.text) this.soon.now();
  }

  asked() {
    return { ...this.options, text: shared.text, name: shared.name || (isShell("", shared.text) ? "pasted.sh" : "pasted.yaml"), ...readAs(shared.how), ...this.decide.fields() };
  }

  async ask() {
    if (!shared.text.trim()) {
      this.answer = null;
      this.empty();
      return;
    }
    try {
      const answer = await this.question(this.asked());
      if (answer) this.draw(answer);
    } catch (error) {
      this.trouble(error);
    }
  }

  empty() {
    this.badge.textContent = "paste or drop a file";
    replace(this.told);
    replace(this.tabs);
    replace(this.save);
    replace(this.out, el("div", { class: "blank" }, "The converted config appears here as you type, each line with where it comes from."));
    this.command.textContent = `rftconf convert FILE --to ${this.options.to}`;
    this.node.classList.add("without");
  }

  trouble(error) {
    this.answer = null;
    replace(this.told);
    replace(this.out, trouble(error));
    replace(this.tabs);
    replace(this.save);
    this.node.classList.add("without");
    say(error.message);
  }

  draw(answer) {
    this.answer = answer;
    this.file = Math.min(this.file, answer.files.length + answer.adapters.length - 1);
    this.node.classList.remove("without");
    this.badge.textContent = `${answer.source.title} ${answer.source.release}`;
    this.badge.title = answer.source.reasons.join("; ");
    this.command.textContent = answer.command;
    replace(this.told, told(answer));
    this.downloads();
    this.drawFile();
    this.decide.show(answer.fields);
    this.ledger.set(answer.ledger, answer.lossy);
    const wrong = answer.check.length ? `; its own check finds ${answer.check.length} ${answer.check.length > 1 ? "errors" : "error"}` : "";
    say(`Converted to ${answer.target.title} ${answer.target.release}; ${answer.fields.length} to decide${wrong}`);
  }

  get files() {
    return this.answer ? [...this.answer.files, ...this.answer.adapters] : [];
  }

  drawFile() {
    const file = this.files[this.file];
    const several = this.files.length > 1;
    replace(
      this.tabs,
      this.files.map((one, at) =>
        el("button", { type: "button", role: "tab", "aria-selected": at === this.file ? "true" : "false", class: several ? null : "only", on: { click: () => { this.file = at; this.drawFile(); } } }, one.name),
      ),
      el("span", { class: "soft" }, `${this.answer.target.title} ${this.answer.target.release}`),
    );
    const shell = isShell(file.name, file.text) || file.name.endsWith(".py");
    const rows = lines(file.text, shell, MOST_LINES).map((line, at) =>
      el("div", { class: file.lines?.[at + 1] ? "row known" : "row", data: { line: at + 1 } }, el("span", { class: "no", "aria-hidden": "true" }, at + 1), el("span", { class: "tx" }, line)),
    );
    const all = file.text.split("\n").length - 1;
    replace(this.out, el("div", { class: "rows" }, rows), all > MOST_LINES ? el("p", { class: "soft" }, `${all - MOST_LINES} more lines are in the file`) : null);
    if (file.missed?.length) this.status.textContent = `Not written, do it by hand: ${file.missed.join(", ")}`;
    this.at = 0;
  }

  downloads() {
    const [first] = this.answer.files;
    const one = () => save(this.files[this.file].name.split("/").pop(), this.files[this.file].text, "text/plain");
    const fetched = async (verb, name) => {
      try {
        save(name, await raw(verb, this.asked()), "application/octet-stream");
      } catch (error) {
        this.trouble(error);
      }
    };
    const stem = first.name.replace(/\.\w+$/, "");
    replace(
      this.save,
      el("button", { type: "button", class: "main", on: { click: one } }, "Download"),
      el("button", { type: "button", on: { click: () => fetched("bundle", `${stem}.zip`) } }, "Bundle"),
      el("button", { type: "button", on: { click: () => fetched("ledger", `${stem}.ledger.json`) } }, "Ledger"),
      el("button", { type: "button", on: { click: (event) => copy(this.files[this.file].text, event.target) } }, "Copy"),
    );
  }

  // From a line of the target to the lines of the source.
  point(number, show = true) {
    const rows = this.out.querySelectorAll(".row");
    if (!rows.length) return;
    for (const row of this.out.querySelectorAll(".now, .lit")) row.classList.remove("now", "lit");
    const row = rows[Math.min(Math.max(number, 1), rows.length) - 1];
    row.classList.add("now");
    this.at = Number(row.dataset.line);
    const about = this.files[this.file].lines?.[this.at];
    this.editor.light(about?.from ?? [], show);
    if (!about) {
      this.status.textContent = "This line comes from no single key.";
      return;
    }
    const where = about.from.length ? `line ${about.from.join(", ")}` : "no line: a default or a choice";
    this.status.textContent = `${about.key} ← ${about.sources.join(", ") || "nothing in the source"} · ${where} · ${about.basis}`;
  }

  hover(event, show = true) {
    const row = event.target.closest(".row");
    if (row && Number(row.dataset.line) !== this.at) this.point(Number(row.dataset.line), show);
  }

  key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15 }[event.key];
    if (!step) return;
    event.preventDefault();
    this.point((this.at || 0) + step);
    this.out.querySelector(".now")?.scrollIntoView({ block: "nearest" });
  }

  // From a line of the source to the lines of the target.
  fromSource(line) {
    const file = this.files[this.file];
    if (!file?.lines) return;
    this.editor.light([line]);
    const found = Object.entries(file.lines).filter(([, about]) => about.from.includes(line)).map(([number]) => number);
    this.lightTarget(found, true);
  }

  fromLedger({ sources, targets, show }) {
    const file = this.files[this.file];
    if (!file) return;
    this.editor.light(sources.flatMap((key) => this.answer.places[key] ?? []), show ?? false);
    const found = Object.entries(file.lines ?? {}).filter(([, about]) => targets.includes(about.key)).map(([number]) => number);
    this.lightTarget(found, show ?? false);
  }

  lightTarget(numbers, show) {
    for (const row of this.out.querySelectorAll(".now, .lit")) row.classList.remove("now", "lit");
    const rows = numbers.map((number) => this.out.querySelector(`.row[data-line="${number}"]`)).filter(Boolean);
    for (const row of rows) row.classList.add("lit");
    if (show) rows[0]?.scrollIntoView({ block: "nearest" });
  }
}

// What the target would refuse, what the reader was not sure of, and what no key says of the frameworks' difference.
function told(answer) {
  const notes = answer.ledger.notes;
  return [
    answer.refused ? el("p", { class: "says bad refused" }, `rftconf convert writes nothing here: ${answer.refused}`) : null,
    answer.check.map((one) => el("p", { class: "says bad" }, one.place ? `${one.place.file}, line ${one.place.line}: ` : "", `${one.code} ${one.message}`, one.help ? el("span", { class: "soft" }, ` ${one.help}`) : null)),
    answer.diagnostics.map((one) => el("p", { class: `says ${one.severity === "error" ? "bad" : one.severity === "warning" ? "warn" : ""}` }, one.place ? `line ${one.place.line}: ` : "", one.message, one.help ? el("span", { class: "soft" }, ` ${one.help}`) : null)),
    notes.length ? el("details", { class: "panel notes-of" }, el("summary", null, el("b", null, `${notes.length} ${notes.length > 1 ? "notes" : "note"}`), el("span", { class: "soft" }, " on what the target does otherwise, whatever its keys say")), el("ul", { class: "answers" }, notes.map((one) => el("li", null, one)))) : null,
  ];
}

export const page = () => new Convert();
export { TITLES };
