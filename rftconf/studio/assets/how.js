// How a text is read, as the command line's options say it: closed until somebody needs it.

import { MOST_TEXT, tooLarge } from "./ask.js";
import { el, replace, say, select } from "./dom.js";
import { FRAMEWORKS } from "./frameworks.js";
import { readAsWritten } from "./shared.js";

const MOST_FILES = 20;

export class How {
  // state: an object of readAsWritten(); change() is called after every change; more: what this page's question takes
  constructor(state, change, { assume = true, from = true } = {}) {
    this.state = state;
    this.change = change;
    this.takes = { assume, from };
    this.said = el("span", { class: "soft" });
    this.form = el("div", { class: "settings" });
    this.node = el("details", { class: "how" }, el("summary", null, "How it is read", this.said), this.form);
    this.draw();
  }

  put(name, value) {
    this.state[name] = value;
    this.summary();
    this.change();
  }

  summary() {
    const { state } = this;
    const told = [
      state.from ? `from ${state.from} ${state.from_release}`.trim() : "",
      state.launch ? `launch ${state.launch}` : "",
      state.args ? `with arguments` : "",
      ...Object.entries(state.assume).map(([name, value]) => `${name}=${value}`),
      state.base ? `above ${state.base.name}` : "",
      state.sources.length ? `beside ${state.sources.map((one) => one.name).join(", ")}` : "",
    ].filter(Boolean);
    this.said.textContent = told.length ? ` ${told.join("; ")}` : " as it says itself";
  }

  draw() {
    const { state } = this;
    const label = (title, node, hint) => el("label", { class: "field", title: hint }, el("span", null, title), node);
    const text = (name, more, parse = (value) => value) =>
      el("input", { type: "text", spellcheck: "false", autocomplete: "off", value: state[name] ?? "", ...more, on: { change: (event) => this.put(name, parse(event.target.value.trim())) } });
    const whole = (value) => (/^[1-9]\d{0,5}$/.test(value) ? Number(value) : null);
    const assumed = (name, value) => {
      const rest = { ...state.assume };
      if (value) rest[name] = value;
      else delete rest[name];
      this.put("assume", rest);
    };
    replace(
      this.form,
      this.takes.from ? label("written for", select([["", "guessed"], ...FRAMEWORKS], state.from, (value) => this.put("from", value))) : null,
      label("its release", text("from_release", { size: "8", placeholder: "guessed" })),
      label("launch", text("launch", { size: "3", inputmode: "numeric", placeholder: "the only" }, whole), "Which launch, in a script with several (--launch)"),
      label("arguments", text("args", { size: "16", placeholder: "the script's own $@" }), "The script's own arguments (--args)"),
      this.takes.assume ? label("mini-batch counts", select([["", "as the release does"], ["samples", "samples"], ["prompts", "prompts"]], state.assume.mini_batch ?? "", (value) => assumed("mini_batch", value)), "What a fork counts in (--assume mini_batch=)") : null,
      this.takes.assume
        ? label("answers per prompt", el("input", { type: "text", size: "4", inputmode: "numeric", placeholder: "as it says", value: state.assume.responses_per_prompt ?? "", on: { change: (event) => assumed("responses_per_prompt", /^[1-9]\d{0,5}$/.test(event.target.value.trim()) ? event.target.value.trim() : "") } }), "--assume responses_per_prompt=")
        : null,
      this.files("Sourced file…", "A file that the script sources or reads (--source)", true, (files) => this.put("sources", [...state.sources.filter((one) => !files.some((file) => file.name === one.name)), ...files].slice(0, MOST_FILES))),
      this.files("Base YAML…", "A fork's own trainer YAML, below the overrides (--base)", false, ([file]) => this.put("base", file)),
      state.sources.map((one) => this.held(one.name, () => this.put("sources", state.sources.filter((other) => other !== one)))),
      state.base ? this.held(`base ${state.base.name}`, () => this.put("base", null)) : null,
    );
    this.summary();
  }

  held(title, drop) {
    return el("button", { type: "button", class: "chip", "aria-label": `Leave out ${title}`, on: { click: () => { drop(); this.draw(); } } }, title, " ×");
  }

  files(title, hint, multiple, take) {
    const opened = async (event) => {
      const chosen = [...event.target.files];
      event.target.value = "";
      const large = chosen.find((file) => file.size > MOST_TEXT);
      if (large) {
        this.said.textContent = ` ${large.name}: ${tooLarge(large.size)}`;
        say(this.said.textContent);
        return;
      }
      take(await Promise.all(chosen.map(async (file) => ({ name: file.name, text: await file.text() }))));
      this.draw();
    };
    return el("label", { class: "button", title: hint }, el("input", { type: "file", class: "file extra", multiple, "aria-label": hint, on: { change: opened } }), title);
  }
}

// The fields of a question; empty ones are left out.
export const asked = (state) => ({ from: state.from, from_release: state.from_release, launch: state.launch, args: state.args, assume: state.assume, sources: state.sources, base: state.base });

export { readAsWritten };
