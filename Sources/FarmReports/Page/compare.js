// Second part: how pictures are compared, and the cells of a change. A stage gets its slider, links
// and numbered regions when its first picture has loaded, so that a page of thousands opens at
// once. A picture that is far taller than wide is shown in parts: all pictures of its stage show
// the same part, so that halves fit together.

// Modes -------------------------------------------------------------------------------------------

const setMode = (mode) => {
  main.dataset.mode = mode;
  for (const radio of all("input[name=mode]")) radio.checked = radio.value === mode;
  // Cards above change their height too.
  current()?.scrollIntoView({ block: "start" });
};
document.addEventListener("change", (event) => {
  if (event.target.matches("input[name=mode]")) setMode(event.target.value);
  if (event.target.matches("#regions")) main.classList.toggle("boxes", event.target.checked);
});
const hold = (stage) => stage?.classList.toggle("held");
Object.assign(keys, {
  1: () => setMode("side"), 2: () => setMode("swipe"),
  3: () => setMode("blink"), 4: () => setMode("diff"),
  n: () => {
    const stage = current() && one(".stage.tall[data-part]", current());
    if (stage) showPart(stage, nextPart(stage));
  },
  r: () => one("#regions")?.click(), " ": () => hold(current()?.querySelector(".stage")),
});

// Stages ------------------------------------------------------------------------------------------

// A part is so many times as high as wide; on a phone two of them fit below each other.
const tallMin = 3;
const partShape = matchMedia("(max-width: 44rem)").matches ? 1 : 1.5;
const setSize = (stage, width, height) => {
  const isTall = height > tallMin * width;
  stage.classList.toggle("tall", isTall);
  stage.style.setProperty("--w", width);
  stage.style.setProperty("--h", isTall ? Math.ceil(partShape * width) : height);
};
whenFilled.push(() => {
  for (const stage of all(".stage")) {
    const image = one("img[width]", stage);
    if (image) setSize(stage, image.getAttribute("width"), image.getAttribute("height"));
  }
});

// All pictures of a stage share one scale: that of the largest.
const fit = (image) => {
  const stage = image.closest(".stage");
  const { naturalWidth: width, naturalHeight: height } = image;
  if (!width || !height) return;
  const isFirst = !stage.dataset.w;
  image.style.setProperty("--iw", width);
  stage.dataset.w = Math.max(width, stage.dataset.w || 0);
  stage.dataset.h = Math.max(height, stage.dataset.h || 0);
  setSize(stage, stage.dataset.w, stage.dataset.h);
  if (isFirst) decorate(stage);
  if (stage.matches(".tall")) showPart(stage, stage.dataset.part ?? firstPart(stage));
};
document.addEventListener("load", (event) => {
  if (event.target.matches?.(".stage img")) fit(event.target);
}, true);

const boxesOf = (stage) => (stage.dataset.b?.split(";") ?? [])
  .map((box) => box.split(",").map(Number));

const decorate = (stage) => {
  for (const figure of all("figure", stage)) {
    const image = one("img", figure);
    if (!image) continue;
    const name = one("figcaption", figure).textContent;
    const link = make("a", { href: image.src, target: "_blank", rel: "noopener",
      textContent: say("open"), ariaLabel: `${say("open")}: ${name}` });
    one("figcaption", figure).append(" ", link);
  }
  if (stage.matches(".pair")) {
    stage.append(make("input", { type: "range", className: "slider", min: 0, max: 100, value: 50,
      ariaLabel: say("slider") }));
  }
  stage.append(make("div", { className: "part" }, ...(stage.matches(".tall") ? partButtons(stage) : []),
    make("button", { type: "button", className: "zoom", textContent: say("zoom") })));
  markRegions(stage);
};

// Drawn on the picture; by the same numbers they stand beside it and in a list, or at the corners of
// the boxes and at the lines of a text that name them.
const markRegions = (stage) => {
  const card = stage.closest(".change"), about = one(".about", card);
  one(".regions-list", about)?.remove();
  const lines = all("pre.hunks ins", card);
  for (const { dataset } of lines) delete dataset.n;
  const boxes = boxesOf(stage);
  if (!boxes.length) return;
  for (const frame of all(".current .frame:not(.empty), .diff .frame", stage)) {
    frame.append(...boxes.map((box) => placed(make("i"), box)));
    // Numbers that would lie on each other move down; the browser works out how far. A look at a height
    // here would lay out the whole page for each picture that loads.
    let top = "";
    const tags = boxes.map((box, place) => ({ box, place })).sort((a, b) => a.box[1] - b.box[1])
      .map(({ box, place }) => {
        const own = `100% * (${box[1]} - var(--top, 0)) / var(--h)`;
        top = top && !lines.length ? `max(${own}, ${top} + 15px)` : `max(${own})`;
        const tag = placed(make("b", { textContent: place + 1 }), box);
        tag.style.top = top;
        return tag;
      });
    const around = make("div", { className: "around" });
    frame.replaceWith(around);
    around.append(frame, make("div", { className: "tags" }, ...tags));
    around.lastChild.ariaHidden = "true";
  }
  if (lines.length) {
    for (const [place, [, , , , ...named]] of boxes.entries()) {
      for (const line of named.map((number) => lines[number]).filter(Boolean)) {
        line.dataset.n = line.dataset.n ? `${line.dataset.n},${place + 1}` : place + 1;
      }
    }
    return;
  }
  one(".words", about).after(make("ol", { className: "regions-list" },
    ...boxes.map((box) => make("li", { textContent: say("region", ...box) }))));
};
const placed = (node, box) => {
  for (const [at, name] of ["--x", "--y", "--bw", "--bh"].entries()) {
    node.style.setProperty(name, box[at]);
  }
  return node;
};

// Parts of tall pictures --------------------------------------------------------------------------

const partHeight = (stage) => Number(stage.style.getPropertyValue("--h"));
const partCount = (stage) => Math.ceil(stage.dataset.h / partHeight(stage));
// Parts in which something differs, in order.
const differingParts = (stage) => {
  const high = partHeight(stage);
  const found = boxesOf(stage).flatMap(([, y, , height]) => {
    const first = Math.floor(y / high), last = Math.floor((y + Math.max(1, height) - 1) / high);
    return Array.from({ length: last - first + 1 }, (_, place) => first + place);
  });
  return [...new Set(found)].sort((a, b) => a - b);
};
const firstPart = (stage) => differingParts(stage)[0] ?? 0;

const showPart = (stage, wanted) => {
  const count = partCount(stage);
  const part = Math.min(count - 1, Math.max(0, wanted));
  stage.dataset.part = part;
  // The last part ends where the picture ends.
  const top = Math.min(part * partHeight(stage), stage.dataset.h - partHeight(stage));
  stage.style.setProperty("--top", top);
  for (const node of all("i, .tags b", stage)) {
    const { style } = node;
    const y = Number(style.getPropertyValue("--y")), high = Number(style.getPropertyValue("--bh"));
    node.hidden = y + high <= top || y >= top + partHeight(stage);
  }
  one(".part output", stage).textContent = say("part", part + 1, count);
};
const partButtons = (stage) => {
  const button = (text, label, to) => make("button", {
    type: "button", textContent: text, ariaLabel: label, onclick: () => showPart(stage, to()),
  });
  const now = () => Number(stage.dataset.part);
  const differing = differingParts(stage);
  const next = differing.length
    ? [button(say("nextDifference"), null, () => nextPart(stage))] : [];
  return [button("‹", say("partBefore"), () => now() - 1), make("output"),
    button("›", say("partAfter"), () => now() + 1), ...next];
};
const nextPart = (stage) => {
  const differing = differingParts(stage);
  return differing.find((part) => part > Number(stage.dataset.part)) ?? differing[0] ?? 0;
};

const setSplit = (stage, percent) => {
  stage.style.setProperty("--at", `${percent}%`);
  one(".slider", stage).value = percent;
};
document.addEventListener("input", (event) => {
  if (event.target.matches(".slider")) setSplit(event.target.closest(".stage"), event.target.value);
});
const drag = (event) => {
  const frame = event.target.closest?.(".pair .frame");
  if (!frame || main.dataset.mode !== "swipe" || !(event.buttons & 1)) return;
  const box = frame.getBoundingClientRect();
  const share = (event.clientX - box.left) / box.width;
  setSplit(frame.closest(".stage"), Math.round(100 * Math.min(1, Math.max(0, share))));
};
document.addEventListener("pointerdown", drag);
document.addEventListener("pointermove", drag);
document.addEventListener("click", (event) => {
  const stage = event.target.closest(".pair .frame")?.closest(".stage");
  if (stage && ["blink", "diff"].includes(main.dataset.mode)) hold(stage);
});

// Cells -------------------------------------------------------------------------------------------

// The stage of one row, as the page makes that of the first.
const stageOf = (row) => {
  const [width, height] = row.dataset.z?.split("×") ?? [1, 1];
  // A text has at most the picture beside it.
  const isText = one(".texts", row.closest(".change"));
  const figure = (kind, none) => {
    const url = one(`a.${kind}`, row)?.getAttribute("href");
    if (!url && (isText || !none)) return "";
    const content = url
      ? make("div", { className: "frame" },
        make("img", { src: url, width, height, alt: `${say(kind)}: ${row.dataset.name}` }))
      : make("div", { className: "frame empty", textContent: none });
    return make("figure", { className: kind },
      make("figcaption", { textContent: say(kind) }), content);
  };
  const has = (kind) => one(`a.${kind}`, row) !== null;
  const stage = make("div", { className: "stage" }, figure("reference", say("noReference")),
    figure("current", say("notMade")), figure("diff", ""));
  stage.classList.toggle("pair", has("reference") && has("current"));
  stage.classList.toggle("has-diff", has("diff"));
  if (row.dataset.b) stage.dataset.b = row.dataset.b;
  setSize(stage, width, height);
  return stage;
};

const rows = (card) => all(".cells li", card);
const shownRow = (card) => rows(card).find((row) => row.hasAttribute("aria-current"))
  ?? rows(card)[0];
const show = (row) => {
  const card = row.closest(".change");
  for (const other of rows(card)) other.removeAttribute("aria-current");
  row.setAttribute("aria-current", "true");
  one(".stage", card)?.replaceWith(stageOf(row));
  one(".on bdi", card).textContent = row.dataset.name;
  // What was measured is of the first picture.
  card.classList.toggle("other", row !== rows(card)[0]);
};

// A host has small pictures beside the whole ones.
const small = (url) => {
  const { files, thumbnails } = document.body.dataset;
  return thumbnails && url.startsWith(files) ? thumbnails + url.slice(files.length) : url;
};
// A row becomes a thumbnail that shows its pictures above.
const openRows = (details) => {
  if (details.dataset.made) return;
  details.dataset.made = "true";
  for (const row of all("li", details)) {
    const name = one("bdi", row);
    row.dataset.name = name.textContent;
    const url = (one("a.current", row) ?? one("a.reference", row))?.getAttribute("href");
    const picture = url ? [make("img", { src: small(url), alt: "", loading: "lazy" })] : [];
    const button = make("button", { type: "button", className: "show" }, ...picture);
    name.replaceWith(button);
    button.append(name);
  }
};
document.addEventListener("toggle", (event) => {
  if (event.target.matches?.("details.cells") && event.target.open) openRows(event.target);
}, true);

// Cells that the page does not hold are those of the page of the change alone.
const fetchCells = async (link) => {
  const card = link.closest(".change");
  const answer = await fetch(link.href);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const cells = one("details.cells", page.getElementById(card.id) ?? page);
  if (!cells) return;
  cells.open = true;
  link.closest(".cells").replaceWith(cells);
  openRows(cells);
};
document.addEventListener("click", (event) => {
  const button = event.target.closest(".show");
  const more = event.target.closest("a.more");
  if (button) show(button.closest("li"));
  if (more && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    fetchCells(more).catch(() => location.assign(more.href));
  }
});

const step = (by) => {
  const card = current();
  const details = card && one("details.cells", card);
  if (!details) return;
  details.open = true;
  openRows(details);
  const list = rows(card);
  const next = list[list.indexOf(shownRow(card)) + by];
  if (next) show(next);
};
// The tick of the whole change; where its cells are open or have the only ticks, of the one shown.
const tickOf = (card) => {
  const details = one("details.cells", card);
  const whole = one(".tick input", card);
  if (!details || (whole && !details.open)) return whole;
  details.open = true;
  return one("input[type=checkbox]", shownRow(card));
};
Object.assign(keys, {
  o: () => {
    const card = current();
    const details = card && one("details.cells", card);
    if (details) details.open = !details.open;
    else if (card) one("a.more", card)?.click();
  },
  h: () => step(-1), l: () => step(1),
  t: () => { if (current()) tickOf(current())?.click(); },
});
