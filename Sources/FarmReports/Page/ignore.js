// Third part: a region of an enlarged picture that is to be ignored. Its four numbers are fields, and
// a drag over the picture fills them. The page changes nothing: it shows the command that does.

// Returns the button and the form of a change's enlarged view, or null where nothing can be ignored.
// `first` gives the box at the beginning, and `changed` is called with each box, or with null.
const ignoredRegion = (card, first, changed) => {
  // The title is the id: cell, suite and name.
  const { title } = one("h4 a", card);
  const { v: verdict, job, ignore = title.slice(title.indexOf("/") + 1) } = card.dataset;
  if (verdict !== "changed" || !ignore || !say("ignore")) return null;
  const picture = shownRow(card)?.dataset.ignore ?? ignore;
  const fields = ["left", "top", "right", "bottom"].map((name) => make("input", {
    type: "number", min: 0, required: true, name, oninput: () => write(),
  }));
  const command = make("code");
  const copy = make("button", { type: "button", textContent: say("copy"), onclick: async () => {
    await copyText(command.textContent);
    copy.textContent = say("copied");
  } });
  const form = make("form", { className: "ignored", hidden: true, onsubmit: () => false },
    ...fields.map((field) => make("label", {}, say(field.name), field)),
    command, copy, make("p", { className: "quiet", textContent: say("ignoreHelp") }));
  const write = () => {
    const [left, top, right, bottom] = fields.map((field) => field.valueAsNumber);
    fields[2].min = left || 0;
    fields[3].min = top || 0;
    const isBox = fields.every((field) => field.validity.valid);
    command.textContent = isBox ? ["snapfarm", "ignore", picture, ...(job ? ["--job", job] : []),
      "--box", `${left},${top}-${right},${bottom}`, "--write"].map(quoted).join(" ") : "";
    copy.disabled = !isBox;
    copy.textContent = say("copy");
    changed(isBox && !form.hidden ? [left, top, right - left + 1, bottom - top + 1] : null);
  };
  // From one pixel to another, both inside.
  const span = (one, other) => {
    const sides = [Math.min(one.x, other.x), Math.min(one.y, other.y),
      Math.max(one.x, other.x), Math.max(one.y, other.y)];
    for (const [place, field] of fields.entries()) field.value = sides[place];
    write();
  };
  const button = make("button", { type: "button", textContent: say("ignore"), onclick: () => {
    form.hidden = !form.hidden;
    press(button, !form.hidden);
    const [x, y, wide, high] = first();
    span({ x, y }, { x: x + wide - 1, y: y + high - 1 });
    if (!form.hidden) fields[0].focus();
  } });
  press(button, false);
  return { button, form, span };
};
