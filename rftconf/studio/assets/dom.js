// Elements from data. Text becomes text nodes and nothing else: no input is ever read as markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") for (const [event, act] of Object.entries(value)) node.addEventListener(event, act);
    else if (name === "style") for (const [key, one] of Object.entries(value)) node.style.setProperty(key, one);
    else if (name === "data") Object.assign(node.dataset, value);
    else if (name === "value") node.value = value;
    else if (name === "checked" || name === "disabled" || name === "selected") node[name] = value;
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}

export const el = (tag, props, ...children) => fill(document.createElement(tag), props, children);
export const svg = (tag, props, ...children) => fill(document.createElementNS(SVG, tag), props, children);

const CONTROLS = "a, button, input, select, textarea, summary, [tabindex]";

// What is drawn anew keeps the keyboard's place: the control in the same place, if it is of the same kind.
export function replace(node, ...children) {
  const held = node.contains(document.activeElement) && node !== document.activeElement ? document.activeElement : null;
  const at = held ? [...node.querySelectorAll(CONTROLS)].indexOf(held) : -1;
  node.replaceChildren();
  fill(node, null, children);
  if (at < 0 || held.isConnected) return;
  const now = node.querySelectorAll(CONTROLS)[at];
  if (now?.tagName === held.tagName) now.focus({ preventScroll: true });
}

export function later(wait, act) {
  let timer = 0;
  const call = (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => act(...given), wait);
  };
  call.now = (...given) => {
    clearTimeout(timer);
    act(...given);
  };
  return call;
}

export function say(text) {
  document.getElementById("said").textContent = text;
}

export function select(options, value, change, props) {
  const items = options.map(([key, title]) => el("option", { value: key, selected: key === value }, title));
  return el("select", { ...props, on: { change: (event) => change(event.target.value) } }, items);
}

// One of a few: a row of buttons that behaves as radio buttons do.
export function segments(label, options, value, change) {
  const name = `seg-${label}-${Math.random().toString(36).slice(2)}`;
  const items = options.map(([key, title]) =>
    el(
      "label",
      null,
      el("input", { type: "radio", name, value: key, checked: key === value, on: { change: () => change(key) } }),
      el("span", null, title),
    ),
  );
  return el("div", { class: "segments", role: "radiogroup", "aria-label": label }, items);
}

export function shown(value) {
  if (value === null || value === undefined) return "null";
  if (typeof value === "string") return value;
  if (typeof value === "object" && "$expr" in value) return value.shell || value.$expr;
  if (typeof value === "object" && "$float" in value) return value.$float;
  return JSON.stringify(value);
}

export const short = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

export function save(name, data, type) {
  const address = URL.createObjectURL(new Blob([data], { type }));
  const link = el("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

export async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text);
    const was = button.textContent;
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = was), 1200);
  } catch {
    say("The browser does not let a page copy here: select the text instead");
  }
}

// What went wrong, as a person reads it: the sentence, and what would be possible.
export function trouble(error) {
  const where = error.line ? `line ${error.line}: ` : "";
  const title = error.exit === 3 ? "Refused: there is no faithful target" : error.exit === 70 ? "Something broke" : "Cannot be read";
  return el(
    "div",
    { class: "trouble", role: "alert" },
    el("b", null, title),
    el("p", null, where, error.message),
    error.choices?.length ? el("ul", null, error.choices.map((one) => el("li", null, one))) : null,
  );
}
