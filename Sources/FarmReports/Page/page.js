// The page's script, first part: what all parts use, filters, and walking by keys. Without it the page
// is a plain list. This filter is that of a page on a disk, which holds everything; a host filters
// itself. Entries are passed over once per
// filter, and their text is gathered once, at the first filter. Events are caught at the document,
// because a host's page replaces what is in <main>.
"use strict";
document.documentElement.classList.add("js");

const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const one = (selector, root = document) => root.querySelector(selector);
const main = one("main");
const texts = JSON.parse(document.body.dataset.texts);
const say = (key, ...parts) => texts[key].replace(/\{(\d)\}/g, (_, place) => parts[place - 1]);
const make = (name, properties = {}, ...children) => {
  const node = Object.assign(document.createElement(name), properties);
  node.append(...children);
  return node;
};
// A word of a shell's command.
const quoted = (text) => /^[\w.,:/=+-]+$/.test(text)
  ? text : `'${text.replaceAll("'", `'\\''`)}'`;
const copyText = async (text) => {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Pages of plain HTTP have no clipboard.
    const focused = document.activeElement;
    const area = make("textarea", { value: text });
    // Outside of an open dialog nothing can be selected.
    (one("dialog[open]") ?? document.body).append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    focused?.focus({ preventScroll: true });
  }
};
// What is done when <main> has new content.
const whenFilled = [];
const keys = {};

// Filter ------------------------------------------------------------------------------------------

let index = null;
const entries = () => index ??= all(".item").map((node) => ({
  node, suite: node.dataset.s ?? "",
  text: (node.textContent + (node.closest(".cause")?.querySelector(".message")?.textContent ?? "")
    + (node.closest(".suite")?.querySelector("h3")?.textContent ?? "")).toLowerCase(),
  groups: [".screen", ".cause", ".suite", ".folded"]
    .map((kind) => node.closest(kind)).filter(Boolean),
}));
whenFilled.push(() => { index = null; });

// "0-23 25" has 25.
const holds = (ranges, number) => ranges.split(" ").some((range) => {
  const [first, last = first] = range.split("-").map(Number);
  return first <= number && number <= last;
});
const pressed = (kind) => new Set(all(`.chip[data-${kind}][aria-pressed=true]`)
  .map((chip) => chip.dataset[kind]));
const press = (chip, isOn) => chip.setAttribute("aria-pressed", String(isOn));

let filter = () => {
  const verdicts = pressed("filter"), decisions = pressed("decided");
  const cell = one("#cell").value, suite = one("#suite").value;
  const words = one("#text").value.toLowerCase().split(/\s+/).filter(Boolean);
  const groups = new Map();
  let shown = 0;
  for (const { node, suite: own, text, groups: parents } of entries()) {
    const { v: verdict, c: cells, d: decision } = node.dataset;
    const visible = (!verdicts.size || verdicts.has(verdict))
      && (!decisions.size || decisions.has(decision))
      && (!suite || own === suite) && (!cell || holds(cells, Number(cell)))
      && words.every((word) => text.includes(word));
    node.hidden = !visible;
    if (visible) shown += 1;
    for (const group of parents) groups.set(group, groups.get(group) || visible);
  }
  for (const [group, visible] of groups) group.hidden = !visible;
  one("#nothing").hidden = shown > 0 || !index.length;
  one("#shown").textContent = shown === index.length ? "" : say("shown", shown, index.length);
};
let waiting = 0;
const filterSoon = () => {
  clearTimeout(waiting);
  waiting = setTimeout(() => filter(), 30);
};
const clear = () => {
  for (const chip of all(".chip")) press(chip, false);
  for (const id of ["#text", "#cell", "#suite"]) one(id).value = "";
  filter();
};

document.addEventListener("click", (event) => {
  const chip = event.target.closest(".chip");
  const count = event.target.closest("[data-to-cell]");
  if (chip) {
    press(chip, chip.getAttribute("aria-pressed") !== "true");
    filterSoon();
  } else if (count) {
    for (const other of all(".chip")) {
      press(other, other.dataset.filter === count.dataset.toVerdict);
    }
    one("#cell").value = count.dataset.toCell;
    filter();
    one(".toolbar").scrollIntoView();
  }
});
document.addEventListener("input", (event) => {
  if (event.target.matches("#text, #cell, #suite")) filterSoon();
});
document.addEventListener("submit", (event) => {
  if (event.target.matches(".toolbar")) event.preventDefault();
});

// Keys --------------------------------------------------------------------------------------------

// The id of the card that was walked to last; the card itself may be replaced.
let walked = "";
const current = () => document.activeElement?.closest(".change")
  ?? (walked ? document.getElementById(walked) : null);
const isSeen = (card) => !card.hidden && !card.closest("[hidden]");
const seenCards = () => all(".change").filter(isSeen);

const walk = (step) => {
  const cards = seenCards();
  if (!cards.length) return;
  const at = cards.indexOf(current());
  // A host's page may be one of several.
  const other = step > 0 && at === cards.length - 1 && one("a[rel=next]");
  if (other) {
    other.click();
    return;
  }
  const next = at < 0 ? (step > 0 ? 0 : cards.length - 1) : at + step;
  goTo(cards[Math.min(cards.length - 1, Math.max(0, next))]);
};
const goTo = (card) => {
  walked = card.id;
  card.closest("details")?.setAttribute("open", "");
  reach(card);
  card.scrollIntoView({ block: "start" });
};
// Cards take the focus only once a key has led to them: a page of thousands is smaller so.
const reach = (card) => {
  card.tabIndex = -1;
  card.ariaLabel = one("h4", card).textContent;
  card.focus({ preventScroll: true });
};

Object.assign(keys, {
  j: () => walk(1), k: () => walk(-1), "/": () => one("#text").focus(), Escape: clear,
  "?": () => {
    const help = one("#keys");
    help.open = !help.open;
    if (help.open) help.scrollIntoView({ block: "center" });
  },
});
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || one("dialog[open]")) return;
  if (event.target.matches("input:not([type=checkbox], [type=radio]), textarea, select")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (event.key === " " && !event.target.matches(".change")) return;
  if (Object.hasOwn(keys, event.key)) {
    event.preventDefault();
    keys[event.key]();
  }
});
