// A text that is typed, pasted or dropped, with colours, line numbers and lit lines.

import { MOST_TEXT, bytes, tooLarge } from "./ask.js";
import { coloured, isShell } from "./colours.js";
import { el, short } from "./dom.js";

const MOST_LIT = 400;
const MOST_NOTE = 110;
const TAB = 4;

export class Editor {
  // options: label, placeholder, change(text, name), caret(line), trouble(message), note(mark), fix(mark)
  constructor(options) {
    this.options = options;
    this.name = "";
    this.marks = [];
    this.numbers = el("div", { class: "numbers", "aria-hidden": "true" }, "1");
    this.back = el("pre", { class: "back", "aria-hidden": "true" });
    this.stripes = el("div", { class: "stripes", "aria-hidden": "true" });
    this.area = el("textarea", {
      "aria-label": options.label,
      placeholder: options.placeholder ?? "",
      spellcheck: "false",
      autocomplete: "off",
      autocapitalize: "off",
      wrap: "off",
      on: {
        input: () => this.typed(),
        paste: (event) => this.pasted(event),
        keyup: () => this.moved(),
        click: () => this.moved(),
      },
    });
    // what is said beside a line is also in a list that the keyboard reaches
    this.notes = el("div", { class: "notes", "aria-hidden": "true" });
    const cell = el("div", { class: "cell" }, this.stripes, this.back, this.area, this.notes);
    this.node = el("div", { class: "editor" }, el("div", { class: "sheet" }, this.numbers, cell));
    this.node.addEventListener("dragover", (event) => {
      event.preventDefault();
      this.node.classList.add("over");
    });
    this.node.addEventListener("dragleave", () => this.node.classList.remove("over"));
    this.node.addEventListener("drop", (event) => {
      event.preventDefault();
      this.node.classList.remove("over");
      this.take(event.dataTransfer.files);
    });
    this.draw();
  }

  get text() {
    return this.area.value;
  }

  set(text, name) {
    if (name !== undefined) this.name = name;
    this.area.value = text;
    this.draw();
  }

  // A file that was dropped or chosen; too large a one is not even opened.
  async take(files) {
    const file = files?.[0];
    if (!file) return;
    if (file.size > MOST_TEXT) {
      this.options.trouble?.(tooLarge(file.size));
      return;
    }
    this.set(await file.text(), file.name);
    this.options.change?.(this.text, this.name);
  }

  pasted(event) {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    const size = bytes(text) + this.area.value.length;
    if (size > MOST_TEXT) {
      event.preventDefault();
      this.options.trouble?.(tooLarge(size));
    }
  }

  typed() {
    const size = bytes(this.text);
    this.draw();
    if (size > MOST_TEXT) this.options.trouble?.(tooLarge(size));
    else this.options.change?.(this.text, this.name);
  }

  moved() {
    const line = this.text.slice(0, this.area.selectionStart).split("\n").length;
    this.options.caret?.(line);
  }

  draw() {
    const text = this.text;
    const count = text.split("\n").length;
    this.numbers.textContent = Array.from({ length: count }, (_, at) => at + 1).join("\n");
    this.back.replaceChildren(coloured(text.endsWith("\n") || text === "" ? `${text} ` : text, isShell(this.name, text)));
    this.light([]);
    this.mark([]);
  }

  stripe(line, kind) {
    const node = el("div", { class: `stripe ${kind}` });
    node.style.setProperty("--line", String(line - 1));
    return node;
  }

  // Lines that something beside the text speaks of; `show` brings the first one into view.
  light(numbers, show = false) {
    for (const node of this.stripes.querySelectorAll(".lit")) node.remove();
    this.stripes.append(...numbers.slice(0, MOST_LIT).map((line) => this.stripe(line, "lit")));
    if (show && numbers.length) this.reveal(numbers[0]);
  }

  mark(marks) {
    for (const node of this.stripes.querySelectorAll(".mark")) node.remove();
    this.stripes.append(...marks.slice(0, MOST_LIT).map((one) => this.stripe(one.line, `mark ${one.kind}`)));
    this.annotate(marks);
  }

  // The first mark of each line in words behind the line, with its fix.
  annotate(marks) {
    const lines = this.text.split("\n");
    const byLine = new Map();
    for (const one of marks.slice(0, MOST_LIT)) byLine.set(one.line, [...(byLine.get(one.line) ?? []), one]);
    this.notes.replaceChildren(
      ...[...byLine].filter(([, held]) => held[0].message).map(([line, held]) => {
        const [first] = held;
        const more = held.length > 1 ? ` +${held.length - 1}` : "";
        const node = el(
          "span",
          { class: `note-line ${first.kind}` },
          first.fix ? el("button", { type: "button", class: "mend", tabindex: "-1", title: first.fix, on: { click: () => this.options.fix?.(first) } }, "Fix") : null,
          el("button", { type: "button", tabindex: "-1", on: { click: () => this.options.note?.(first) } }, `${first.code} ${short(first.message, MOST_NOTE)}${more}`),
        );
        node.style.setProperty("--line", String(line - 1));
        node.style.setProperty("--chars", String((lines[line - 1] ?? "").replaceAll("\t", " ".repeat(TAB)).length));
        return node;
      }),
    );
  }

  reveal(line) {
    const tall = parseFloat(getComputedStyle(this.area).lineHeight);
    const top = (line - 1) * tall;
    const view = this.node;
    if (top < view.scrollTop + tall || top > view.scrollTop + view.clientHeight - 3 * tall) {
      view.scrollTop = Math.max(0, top - view.clientHeight / 3);
    }
  }

  select(start, end) {
    this.area.focus({ preventScroll: true });
    this.area.setSelectionRange(start, end);
    this.reveal(this.text.slice(0, start).split("\n").length);
  }
}

// A button that opens a file of this machine in the browser, which gives its text to the page.
export function opener(editor, title = "Open…") {
  const input = el("input", {
    type: "file",
    class: "file",
    accept: ".sh,.bash,.yaml,.yml,.json,.txt,.slurm,.sbatch,text/*",
    "aria-label": title,
    on: {
      change: (event) => {
        editor.take(event.target.files);
        event.target.value = "";
      },
    },
  });
  return el("label", { class: "button" }, input, title);
}
