// Check: findings in the text, the page of the rule beside it, fixes by a click.

import { ask, newest } from "./ask.js";
import { el, later, replace, say, select, trouble } from "./dom.js";
import { Editor, opener } from "./editor.js";
import { How, asked as readAs } from "./how.js";
import { EXAMPLE, shared } from "./shared.js";
import { GPUS } from "./gpus.js";

const RANK = { error: 0, warning: 1, info: 2 };
const WORDS = { error: "error", warning: "warning", info: "note" };
const FAULTY = EXAMPLE.replace("data.train_batch_size=$PROMPTS", "data.train_bach_size=$PROMPTS").replace("MINI=128", "MINI=130").replace("rollout.n=$N", "rollout.n=1");

class Check {
  constructor() {
    this.least = "warning";
    this.gpu = "";
    this.answer = null;
    this.at = null;
    this.question = newest("check");
    this.soon = later(250, () => this.ask());
    this.editor = new Editor({
      label: "Config or launch script to check",
      placeholder: "Paste or drop a launch script or a config.",
      change: (text, name) => {
        Object.assign(shared, { text, name });
        this.soon();
      },
      caret: (line) => this.fromLine(line),
      trouble: (message) => this.trouble({ message, exit: 2 }),
      note: (mark) => this.pick(mark.finding, false),
      fix: (mark) => this.mend(mark.finding),
    });
    this.build();
  }

  build() {
    this.badge = el("span", { class: "badge" }, "paste or drop a file");
    this.list = el("ol", { class: "findings", "aria-label": "Findings" });
    this.sum = el("p", { class: "soft" });
    this.rule = el("article", { class: "rule", "aria-live": "polite" });
    this.all = el("button", { type: "button", class: "main", disabled: true, on: { click: () => this.fix({}) } }, "Fix all that are safe");
    const example = () => {
      this.editor.set(FAULTY, "run_grpo.sh");
      Object.assign(shared, { text: FAULTY, name: "run_grpo.sh" });
      this.soon.now();
    };
    this.severity = select([["error", "errors"], ["warning", "errors and warnings"], ["info", "everything"]], this.least, (value) => { this.least = value; if (this.answer) this.draw(this.answer); }, { "aria-label": "What is shown" });
    this.how = new How(shared.how, () => this.soon.now(), { assume: false });
    this.node = el(
      "div",
      { class: "check-page" },
      el(
        "div",
        { class: "pair tall" },
        el("section", { class: "panel", "aria-label": "Text" }, el("header", null, el("h2", null, "Text"), this.badge, el("div", { class: "actions" }, opener(this.editor), el("button", { type: "button", on: { click: example } }, "Example"), this.all)), this.how.node, this.editor.node),
        el(
          "section",
          { class: "panel", "aria-label": "Findings" },
          el("header", null, el("h2", null, "Findings"), this.severity, select([["", "any GPU"], ...GPUS], this.gpu, (gpu) => { this.gpu = gpu; this.soon.now(); }, { "aria-label": "GPU that the run will get" })),
          el("div", { class: "split" }, el("div", { class: "half" }, this.list, this.sum), this.rule),
        ),
      ),
    );
    this.blank();
  }

  show() {
    this.how.draw();
    if (this.editor.text !== shared.text) this.editor.set(shared.text, shared.name);
    if (shared.text) this.soon.now();
  }

  asked() {
    return { text: shared.text, name: shared.name, ...readAs(shared.how), gpu: this.gpu };
  }

  async ask() {
    if (!shared.text.trim()) return this.blank();
    try {
      const answer = await this.question(this.asked());
      if (answer) this.draw(answer);
    } catch (error) {
      this.trouble(error);
    }
  }

  blank() {
    this.answer = null;
    this.badge.textContent = "paste or drop a file";
    replace(this.list);
    this.sum.textContent = "";
    this.all.disabled = true;
    replace(this.rule, el("p", { class: "soft" }, "What is found stands here with its rule: why it is said, what to do, and an example."));
  }

  trouble(error) {
    this.answer = null;
    replace(this.list, el("li", { class: "none" }, trouble(error)));
    this.sum.textContent = "";
    replace(this.rule);
    this.editor.mark([]);
    say(error.message);
  }

  get shown() {
    return this.answer.findings.filter((one) => RANK[one.severity] <= RANK[this.least]);
  }

  draw(answer) {
    this.answer = answer;
    const found = this.shown;
    this.badge.textContent = answer.source ? `${answer.source.title} ${answer.source.release}` : "of no known framework";
    const worst = [...found].sort((one, other) => RANK[one.severity] - RANK[other.severity]);
    this.editor.mark(worst.filter((one) => one.place).map((one) => ({ line: one.place.line, kind: one.severity, code: one.code, message: one.message, fix: one.fix?.title, finding: one })));
    replace(this.list, found.map((one, at) => this.item(one, at)));
    if (!found.length) replace(this.list, el("li", { class: "none good" }, this.answer.findings.length ? "Nothing of this severity." : "Nothing found."));
    const counts = Object.entries(WORDS).map(([severity, word]) => [answer.findings.filter((one) => one.severity === severity).length, word]);
    this.sum.textContent = `${counts.filter(([count]) => count).map(([count, word]) => `${count} ${word}${count > 1 ? "s" : ""}`).join(", ")}${answer.more ? `, ${answer.more} more not shown` : ""}`;
    this.all.disabled = !answer.findings.some((one) => one.fix?.safe);
    const same = found.find((one) => this.at && one.code === this.at.code && one.message === this.at.message);
    this.pick(same ?? found[0], false);
    say(this.sum.textContent || "Nothing found");
  }

  item(one, at) {
    const fix = one.fix
      ? el("button", { type: "button", title: one.fix.safe ? "The run stays the same" : "This changes what the run does", on: { click: () => this.mend(one) } }, one.fix.safe ? "Fix: " : "Change: ", one.fix.title)
      : null;
    const look = () => this.pick(one, true);
    return el(
      "li",
      { data: { at } },
      el("button", { type: "button", class: "finding", on: { click: look, focus: () => this.pick(one, false) } }, el("span", { class: `dot ${one.severity}`, "aria-label": WORDS[one.severity] }), el("code", null, one.code), el("span", { class: "message" }, one.message), one.place ? el("span", { class: "soft" }, `:${one.place.line}`) : null),
      one.help ? el("p", { class: "soft" }, one.help) : null,
      fix,
    );
  }

  pick(one, go) {
    this.at = one ?? null;
    for (const item of this.list.querySelectorAll(".now")) item.classList.remove("now");
    if (!one) {
      replace(this.rule);
      return;
    }
    this.list.querySelector(`[data-at="${this.shown.indexOf(one)}"]`)?.classList.add("now");
    const page = this.answer.pages[one.code];
    replace(
      this.rule,
      el("h3", null, el("code", null, one.code), " ", page.title),
      el("p", null, page.why),
      page.advice ? el("p", null, page.advice) : null,
      page.example ? el("pre", { class: "example" }, page.example) : null,
      one.related.length ? el("p", { class: "soft" }, one.related.map((more) => `also line ${more.place?.line ?? "?"}${more.note ? `: ${more.note}` : ""}`).join("; ")) : null,
    );
    this.rule.scrollTop = 0;
    this.editor.light([one.place, ...one.related.map((more) => more.place)].filter(Boolean).map((place) => place.line), true);
    if (go && one.place) this.editor.select(one.place.start, one.place.end);
  }

  fromLine(line) {
    const one = this.answer?.findings.length ? this.shown.find((found) => found.place?.line === line) : null;
    if (one) this.pick(one, false);
  }

  mend(one) {
    return this.fix({ code: one.code, start: one.place?.start ?? 0 });
  }

  async fix(what) {
    try {
      const answer = await ask("fix", { ...this.asked(), ...what });
      this.editor.set(answer.text);
      shared.text = answer.text;
      this.draw(answer);
      say(`${answer.made} fixed`);
    } catch (error) {
      this.trouble(error);
    }
  }
}

export const page = () => new Check();
