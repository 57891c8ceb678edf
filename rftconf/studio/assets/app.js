// The frame: pages by address, light or dark.

import { el, replace } from "./dom.js";

const PAGES = [
  ["convert", "Convert", () => import("./convert.js")],
  ["check", "Check", () => import("./check.js")],
  ["budget", "Budget", () => import("./budget.js")],
  ["new", "New", () => import("./new.js")],
  ["compare", "Compare", () => import("./compare.js")],
];

const tabs = document.getElementById("tabs");
const page = document.getElementById("page");
const made = new Map();

async function open() {
  const name = location.hash.replace(/^#\/?/, "").split("?")[0] || "convert";
  const found = PAGES.find(([key]) => key === name) ?? PAGES[0];
  for (const link of tabs.children) {
    if (link.dataset.page === found[0]) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${found[1]} · rftconf studio`;
  if (!made.has(found[0])) made.set(found[0], (await found[2]()).page());
  const one = made.get(found[0]);
  replace(page, one.node);
  page.dataset.page = found[0];
  one.show?.();
}

replace(
  tabs,
  PAGES.map(([name, title]) => el("a", { href: `#/${name}`, data: { page: name } }, title)),
);

const theme = document.getElementById("theme");
const dark = () =>
  document.documentElement.dataset.theme
    ? document.documentElement.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
const paint = () => (theme.textContent = dark() ? "☀" : "☾");
theme.addEventListener("click", () => {
  document.documentElement.dataset.theme = dark() ? "light" : "dark";
  paint();
});
paint();

// A file that misses the editor must not take the page's place.
for (const event of ["dragover", "drop"]) addEventListener(event, (one) => one.preventDefault());
addEventListener("hashchange", open);
open();
