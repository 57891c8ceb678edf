// New: a first config from a published recipe, or every key of a release.

import { newest } from "./ask.js";
import { isShell, lines } from "./colours.js";
import { copy, el, later, replace, save, say, segments, select, trouble } from "./dom.js";
import { Expert } from "./expert.js";
import { GPUS } from "./gpus.js";
import { FRAMEWORKS } from "./frameworks.js";
import { readAsWritten, shared } from "./shared.js";

const ALGORITHMS = ["grpo", "dapo", "ppo", "rloo", "reinforce++", "gspo"];
const MODELS = ["Qwen/Qwen2.5-0.5B-Instruct", "Qwen/Qwen2.5-1.5B-Instruct", "Qwen/Qwen2.5-7B-Instruct", "Qwen/Qwen2.5-32B-Instruct", "Qwen/Qwen3-8B", "Qwen/Qwen3-30B-A3B", "meta-llama/Llama-3.1-8B-Instruct"];

// The finished text with what one does next: kept on both ways.
export class Outcome {
  constructor() {
    this.actions = el("div", { class: "actions" });
    this.head = el("div");
    this.code = el("div", { class: "code", tabindex: "0", role: "textbox", "aria-readonly": "true", "aria-multiline": "true", "aria-label": "The new config" });
    this.node = el("section", { class: "panel", "aria-label": "The new config" }, el("header", null, el("h2", null, "Config"), this.actions), this.head, this.code);
    this.blank();
  }

  blank(words = "The config appears here.") {
    replace(this.actions);
    replace(this.head);
    replace(this.code, el("p", { class: "blank" }, words));
  }

  trouble(error) {
    replace(this.actions);
    replace(this.head, trouble(error));
    replace(this.code);
    say(error.message);
  }

  set(text, name, more, ...head) {
    replace(this.head, head);
    replace(
      this.code,
      el("div", { class: "rows" }, lines(text, isShell(name, text), 3000).map((line, at) => el("div", { class: "row" }, el("span", { class: "no", "aria-hidden": "true" }, at + 1), el("span", { class: "tx" }, line)))),
    );
    const go = (page) => () => {
      Object.assign(shared, { text, name });
      Object.assign(shared.how, readAsWritten());
      location.hash = `#/${page}`;
    };
    replace(
      this.actions,
      more,
      el("button", { type: "button", on: { click: go("check") } }, "Check"),
      el("button", { type: "button", on: { click: go("budget") } }, "Budget"),
      el("button", { type: "button", on: { click: go("convert") } }, "Convert"),
      el("button", { type: "button", on: { click: (event) => copy(text, event.target) } }, "Copy"),
      el("button", { type: "button", class: "main", on: { click: () => save(name, text, "text/plain") } }, "Download"),
    );
  }
}

class Beginner {
  constructor(onExpert) {
    this.onExpert = onExpert;
    this.fields = { framework: FRAMEWORKS[0][0], algorithm: "grpo", model: "Qwen/Qwen2.5-7B-Instruct", gpus: 8, gpu: "h100-80g" };
    this.question = newest("start");
    this.soon = later(350, () => this.ask());
    this.outcome = new Outcome();
    this.fill = {};
    this.more = el("div", { class: "further" });
    const field = (title, node, hint) => el("label", { class: "field stack" }, el("span", null, title), node, hint ? el("small", { class: "soft" }, hint) : null);
    const text = (name, placeholder, more) => el("input", { type: "text", value: this.fields[name] ?? "", placeholder, spellcheck: "false", autocomplete: "off", ...more, on: { input: (event) => this.put(name, event.target.value.trim()) } });
    const number = (name, placeholder) => el("input", { type: "text", inputmode: "numeric", value: this.fields[name] ?? "", placeholder, on: { input: (event) => this.put(name, /^[1-9]\d{0,11}$/.test(event.target.value.trim()) ? Number(event.target.value) : null) } });
    const form = el(
      "section",
      { class: "panel", "aria-label": "What you want" },
      el("header", null, el("h2", null, "What you want")),
      el(
        "div",
        { class: "guide" },
        el("div", { class: "field stack" }, el("span", null, "Framework"), segments("Framework", FRAMEWORKS, this.fields.framework, (value) => { this.fill = {}; this.put("framework", value); })),
        field("Algorithm", select(ALGORITHMS.map((one) => [one, one.toUpperCase()]), this.fields.algorithm, (value) => this.put("algorithm", value)), "batches, rates and losses of the frameworks' own examples"),
        field("Model", text("model", "a name, or the folder of its config.json", { list: "models" })),
        el("datalist", { id: "models" }, MODELS.map((one) => el("option", { value: one }))),
        el("div", { class: "halves" }, field("GPUs in all", number("gpus", "8")), field("Which GPU", select(GPUS, this.fields.gpu, (value) => this.put("gpu", value)))),
        field("Training rows", text("data", "read from $TRAIN_DATA when the run starts")),
        field("Rows held out", text("eval_data", "none")),
        el("div", { class: "halves" }, field("Rows of the training set", number("rows", "not known")), field("Nodes", number("nodes", "as few of 8 as hold them"))),
        el("div", { class: "halves" }, field("Longest prompt, tokens", number("prompt_tokens", "the recipe's")), field("Longest answer, tokens", number("response_tokens", "the recipe's"))),
        el("details", null, el("summary", null, "More values"), this.more),
      ),
    );
    this.node = el("div", { class: "pair tall begin" }, form, this.outcome.node);
  }

  put(name, value) {
    this.fields[name] = value;
    this.soon();
  }

  async ask() {
    try {
      const answer = await this.question({ ...this.fields, fill: this.fill });
      if (answer) this.draw(answer);
    } catch (error) {
      this.outcome.trouble(error);
    }
  }

  // Names, rates and intervals: written into the recipe's text, under what this framework calls them.
  further(found) {
    const keys = found.map((one) => one.key).join(" ");
    if (this.drawn === keys) return;
    this.drawn = keys;
    const put = (key) => (event) => {
      const value = event.target.value.trim();
      if (value) this.fill[key] = value;
      else delete this.fill[key];
      this.soon();
    };
    replace(
      this.more,
      found.map((one) => el("label", { class: "field stack" }, el("span", null, one.title, one.unit ? el("span", { class: "soft" }, `, ${one.unit}`) : null), el("input", { type: "text", placeholder: one.now || "not set", spellcheck: "false", autocomplete: "off", data: { key: one.key }, on: { input: put(one.key) } }), el("small", { class: "soft mono" }, one.key))),
    );
  }

  draw(answer) {
    this.further(answer.further);
    const { memory, gpus } = answer;
    const wrong = answer.findings.filter((one) => one.severity !== "info");
    const every = el("button", { type: "button", on: { click: () => this.onExpert(answer) } }, "Every key…");
    this.outcome.set(
      answer.text,
      answer.file,
      every,
      el(
        "div",
        { class: "verdict" },
        el("p", { class: "says good" }, el("b", null, "fits"), ` · peak ${memory.peak_gib.toFixed(1)} of ${memory.usable_gib} GiB in ${memory.phase} on ${gpus.count} × ${gpus.name} · ${answer.recipe.source}`),
        Object.keys(this.fill).length ? el("p", { class: "soft" }, "The account is the recipe's; Budget prices the text with your values.") : null,
        answer.missed.length ? el("p", { class: "says warn" }, `Not written, do it by hand: ${answer.missed.join(", ")}`) : null,
        wrong.map((one) => el("p", { class: `says ${one.severity === "error" ? "bad" : "warn"}` }, el("code", null, one.code), ` ${one.message}`, one.help ? el("span", { class: "soft" }, ` ${one.help}`) : null)),
        answer.unlike_the_recipe.map((one) => el("p", { class: "says warn" }, `Unlike the recipe: ${one}`)),
        answer.decisions.length ? el("details", null, el("summary", null, `You must decide (${answer.decisions.length})`), el("ul", { class: "answers" }, answer.decisions.map((one) => el("li", null, el("code", null, one.key), `: ${one.why}`, one.choices.length ? el("span", { class: "soft" }, ` (${one.choices.join("; ")})`) : null)))) : null,
      ),
    );
    say("The config fits");
  }
}

class New {
  constructor() {
    this.expert = new Expert(new Outcome());
    this.beginner = new Beginner((answer) => {
      this.expert.take(answer);
      this.mode("expert");
    });
    this.body = el("div");
    this.node = el("div", { class: "new" }, el("div", { class: "modes" }), this.body);
    this.mode("beginner");
  }

  mode(name) {
    replace(this.node.firstChild, segments("Mode", [["beginner", "Beginner"], ["expert", "Expert"]], name, (other) => this.mode(other)), el("p", { class: "soft" }, name === "beginner" ? "A published recipe, sized so that it fits your GPUs." : "Every key of a release with its unit and default, checked as you type."));
    const chosen = name === "beginner" ? this.beginner : this.expert;
    replace(this.body, chosen.node);
    if (name === "beginner") this.beginner.soon.now();
    else this.expert.open();
  }
}

export const page = () => new New();
