// Last part of a host's page: forms are sent without leaving the page, and what others decide
// arrives by itself. The host says what each card shows; this script only puts it there.
{
  const { decisions, events } = document.body.dataset;
  const language = document.documentElement.lang;
  const notice = (words, isBad = false) => {
    const place = one("#notice");
    place.textContent = words;
    place.classList.toggle("bad", isBad);
  };

  // What is decided -------------------------------------------------------------------------------

  // A change that another person decided about while it was looked at says who, and what.
  const tell = (card, change) => {
    one(".turned", card)?.remove();
    if (posting || change?.isOwn) return;
    const what = one(".decided .mark", card)?.textContent.trim();
    const words = what && change.who ? say("turned", change.who, what) : say("turnedOpen");
    one(".decided", card).before(make("p", { className: "turned", role: "status",
      textContent: words }));
  };
  const fill = (answer) => {
    one("#progress").textContent = answer.progress;
    for (const [state, count] of Object.entries(answer.counts ?? {})) {
      one(`.chip[name=d][value=${state}] b`).textContent = count;
    }
    const button = one("#publish button");
    if (button) {
      button.textContent = answer.publish;
      button.disabled = !!answer.why;
      one("#why").textContent = answer.why ?? "";
      const acceptAll = one("#accept-all button");
      acceptAll.textContent = answer.acceptAll;
      acceptAll.disabled = !answer.open;
      const undo = one("#undo-all");
      undo.hidden = !answer.undo;
      undo.elements.when.value = answer.undo?.when ?? "";
      one("button", undo).textContent = answer.undo?.words ?? "";
    }
    const pin = one("#pin");
    // Markup of the host, as below. What somebody copies from it stays while it is the same.
    if (pin && pin.dataset.html !== answer.pin) {
      pin.innerHTML = answer.pin;
      pin.dataset.html = answer.pin;
    }
    const byID = new Map(answer.changes.map((change) => [`c-${change.id}`, change]));
    for (const card of all(".change[data-d]")) {
      const change = byID.get(card.id);
      const place = one(".decided", card);
      const before = card.dataset.d;
      if (before !== "none") card.dataset.d = change?.decision ?? "open";
      // Markup of the host, in which all names are escaped.
      if (change || place.hasChildNodes()) place.innerHTML = change?.html ?? "";
      if (before !== card.dataset.d) tell(card, change);
      for (const mark of all(".cells .mark", card)) mark.remove();
      if (card.dataset.d === "mixed" && one(".cells[open]", card)) markRows(card).catch(() => {});
    }
    if (one(".chip[name=d][aria-pressed=true]")) filter();
  };

  // Which of its pictures are decided how, where they differ: the page of the change alone says it.
  const markRows = async (card) => {
    const id = encodeURIComponent(card.id.slice(2));
    const answer = await fetch(`?change=${id}&lang=${language}`);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const marks = new Map(all(".cells li", page)
      .map((row) => [one("input", row)?.value, one(".mark", row)]));
    for (const row of rows(card)) {
      const mark = marks.get(one("input", row)?.value);
      if (mark && !one(".mark", row)) row.append(mark);
    }
  };
  document.addEventListener("toggle", (event) => {
    const card = event.target.matches?.("details.cells[open]") && event.target.closest(".change");
    if (card && card.dataset.d === "mixed") markRows(card).catch(() => {});
  }, true);

  // Only one question at a time; what changes meanwhile is asked for once more.
  let asking = null, again = false;
  const ask = () => {
    if (asking) again = true;
    asking ??= askOnce();
    return asking;
  };
  const askOnce = async () => {
    try {
      const shown = new URLSearchParams(location.search);
      shown.set("lang", language);
      const answer = await (await fetch(`${decisions}?${shown}`)).json();
      fill(answer);
      const { state, look } = document.body.dataset;
      if (state === "running" || answer.state !== state || answer.look !== look) await refresh();
    } catch {
      // The next event asks again.
    }
    asking = null;
    if (again) {
      again = false;
      setTimeout(ask, 1000);
    }
  };

  // What is shown -------------------------------------------------------------------------------

  // Puts parts of the page, as its address says it now, in the place of those that are there.
  let fetched = 0;
  const show = async (...parts) => {
    fetched += 1;
    const number = fetched;
    const answer = await fetch(location.href);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    // Somebody typed on, or has no login any more.
    if (number !== fetched || !one("#entries", page)) return false;
    for (const part of parts) one(part)?.replaceWith(one(part, page) ?? "");
    for (const name of ["state", "look", "runId"]) {
      document.body.dataset[name] = page.body.dataset[name];
    }
    for (const step of whenFilled) step();
    const card = walked && document.getElementById(walked);
    if (card && document.activeElement === document.body) reach(card);
    return true;
  };

  // The host filters: a page holds a part of a large run.
  filter = () => {
    const fields = new URLSearchParams({ lang: language });
    for (const chip of all(".chip[aria-pressed=true]")) fields.append(chip.name, chip.value);
    for (const field of all("#text, #cell, #suite")) {
      if (field.value) fields.append(field.name, field.value);
    }
    history.replaceState(null, "", `?${fields}`);
    show("#entries", "#shown", "#accept-all").catch(() => notice(say("failed"), true));
  };

  // A run that still goes, or a newer one: all is fetched again, and everyone stays where they are.
  let late = false;
  const refresh = async () => {
    late = !!(one("dialog[open]")
      || (document.hasFocus() && one("main form.decide:focus-within"))
      || all("main form.decide textarea").some(({ value }) => value));
    if (late) return;
    const opened = all("details[open][id]").map(({ id }) => id);
    const regions = one("#regions")?.checked;
    const at = scrollY;
    // What somebody types or chooses stays.
    const toolbar = one(".toolbar:focus-within") ? "#shown" : ".toolbar";
    if (!await show("header.top", "#found", ".folds", toolbar, "#entries", "#accept-all")) return;
    for (const id of opened) document.getElementById(id)?.setAttribute("open", "");
    if (one("#regions")) one("#regions").checked = regions;
    for (const radio of all("input[name=mode]")) radio.checked = radio.value === main.dataset.mode;
    scrollTo({ top: at });
  };

  if (events) new EventSource(events).addEventListener("changed", ask);
  // What came while somebody typed or looked at one picture is shown when that ends.
  for (const end of ["focusout", "close"]) {
    document.addEventListener(end, () => { if (late) setTimeout(ask); }, true);
  }

  // Deciding --------------------------------------------------------------------------------------

  // Calls of this page that are on their way.
  let posting = 0;
  const post = async (address, body) => {
    posting += 1;
    try {
      return await postOnce(address, body);
    } finally {
      posting -= 1;
    }
  };
  const postOnce = async (address, body) => {
    let answer;
    try {
      const response = await fetch(`${address}?lang=${language}`, {
        method: "POST", body, headers: { Accept: "application/json" },
      });
      answer = await response.json();
    } catch {
      notice(say("failed"), true);
      return false;
    }
    const refused = answer.message !== undefined;
    notice(refused ? `${answer.message} ${answer.remedy ?? ""}` : answer.notice ?? "", refused);
    if (answer.detail) {
      one("#notice").append(make("details", { className: "detail" },
        make("summary", { textContent: say("detail") }),
        make("span", { lang: "en", textContent: answer.detail })));
    }
    if (answer.command) {
      one("#notice").append("\n", make("code", { textContent: answer.command }), " ",
        make("button", { type: "button", className: "copy", textContent: say("copy") }));
    }
    await ask();
    return !refused;
  };
  // The card that a key leaves once its decision is kept.
  let leaving = "";
  const send = async (form, submitter) => {
    const body = new URLSearchParams(new FormData(form, submitter));
    // Pictures that are ticked are those of the run that is shown, and of no newer one.
    body.append("run", document.body.dataset.runId);
    const action = form.getAttribute("action");
    const card = form.closest(".change");
    const leaves = card && leaving === card.id;
    leaving = "";
    const cards = seenCards();
    const next = card && cards[cards.indexOf(card) + 1];
    if (form.id === "accept-all" && !await isMeant(submitter?.textContent ?? "")) return;
    // At once: what is typed while the answer is on its way belongs to the next decision.
    const putBack = card && empty(form, card);
    if (!await post(action, body)) {
      putBack?.();
      return;
    }
    if (form.id === "publish") showPublished();
    if (leaves && next && walked === card.id) goTo(document.getElementById(next.id) ?? next);
  };
  // Empties and folds a card's form, and returns how to put its words and ticks back.
  const empty = (form, card) => {
    const fields = all("textarea, input[type=checkbox]", form)
      .map((field) => ({ field, value: field.value, checked: field.checked }));
    const folds = all("details[open]", form);
    form.reset();
    for (const fold of folds) fold.open = false;
    // A reason that has been sent is not typed on.
    if (document.activeElement?.form === form) reach(card);
    return () => {
      for (const { field, value, checked } of fields) {
        field.checked = checked;
        field.value ||= value;
      }
      for (const fold of folds) fold.open = true;
    };
  };
  // What is left to do for a person stands at the top: the line to commit, and a button that copies it.
  const showPublished = () => {
    const button = one("#notice .copy, #pin .copy");
    const place = button?.closest(".notice") ?? one("#notice");
    place.tabIndex = -1;
    (button ?? place).focus({ preventScroll: true });
    place.scrollIntoView({ block: "center" });
  };
  // Asks once before much is decided; Esc is no.
  const isMeant = (words) => new Promise((done) => {
    const end = (answer) => {
      // Brings the focus back; its event comes some frames later.
      dialog.close();
      dialog.remove();
      done(answer);
    };
    const button = (text, className, answer) => make("button", {
      type: "button", className, textContent: say(text), onclick: () => end(answer),
    });
    const dialog = make("dialog", { className: "ask", ariaLabel: words },
      make("p", {}, make("b", { textContent: words })), make("p", { textContent: say("askAll") }),
      button("accept", "main", true), button("cancel", "", false));
    dialog.addEventListener("close", () => end(false));
    document.body.append(dialog);
    dialog.showModal();
  });
  document.addEventListener("click", async (event) => {
    if (!event.target.matches(".copy")) return;
    await copyText(one("code", event.target.parentNode).textContent);
    event.target.textContent = say("copied");
  });
  document.addEventListener("submit", (event) => {
    if (!event.target.matches("form.decide, #accept-all, #undo-all, #publish")) return;
    event.preventDefault();
    send(event.target, event.submitter);
  });

  // Of what is ticked in the card, or of all of it.
  const formOf = (card) => card && (one(".cells form:has(input:checked)", card)
    ?? one(".about form.decide", card));
  const decide = (kind) => {
    const form = formOf(current());
    const button = form && one(`button[value=${kind}]`, form);
    if (button) form.requestSubmit(button);
  };
  // A rejection and a comment ask for their words: Enter sends them, Escape does not. A published
  // change has no rejection: its comment opens, because the words that follow would act as keys.
  const begin = (kind) => {
    const form = formOf(current());
    const fold = form && [kind, "commented"].map((name) => one(`details.${name}`, form))
      .find((fold) => fold.checkVisibility());
    if (!fold) return;
    fold.open = true;
    one("textarea", fold).focus();
  };
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    if (!event.target.matches(".decide textarea")) return;
    event.preventDefault();
    event.target.form.requestSubmit(one("button", event.target.closest("details")));
  });
  Object.assign(keys, {
    a: () => {
      leaving = current()?.id ?? "";
      decide("accepted");
    },
    b: () => {
      leaving = current()?.id ?? "";
      decide("alternate");
    },
    u: () => decide("withdrawn"),
    x: () => begin("rejected"), c: () => begin("commented"),
    p: () => one("#publish button")?.focus(),
  });
}
for (const fill of whenFilled) fill();
for (const image of all(".stage img")) if (image.complete) fit(image);
