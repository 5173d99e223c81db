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

  const fill = (answer) => {
    one("#progress").textContent = answer.progress;
    const button = one("#publish button");
    if (button) {
      button.textContent = answer.publish;
      button.disabled = answer.why !== null;
      one("#why").textContent = answer.why ?? "";
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
      if (card.dataset.d !== "none") card.dataset.d = change?.decision ?? "open";
      // Markup of the host, in which all names are escaped.
      if (change || place.hasChildNodes()) place.innerHTML = change?.html ?? "";
      for (const mark of all(".cells .mark", card)) mark.remove();
      if (card.dataset.d === "mixed" && one(".cells[open]", card)) markRows(card).catch(() => {});
    }
    if (all(".chip[data-decided][aria-pressed=true]").length) filter();
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
  let asking = false, again = false;
  const ask = async () => {
    if (asking) {
      again = true;
      return;
    }
    asking = true;
    try {
      const answer = await (await fetch(`${decisions}?lang=${language}`)).json();
      fill(answer);
      const { state } = document.body.dataset;
      if (state === "running" || answer.state !== state) await refresh();
    } catch {
      // The next event asks again.
    }
    asking = false;
    if (again) {
      again = false;
      setTimeout(ask, 1000);
    }
  };

  // A run that still goes: the page is fetched again, and everyone stays where they are.
  const refresh = async () => {
    const typing = document.activeElement?.closest("main form.decide");
    if (typing || one("dialog[open]")) return;
    const page = new DOMParser()
      .parseFromString(await (await fetch(location.href)).text(), "text/html");
    const content = one("main", page);
    if (!content) return;
    const values = ["#text", "#cell", "#suite"].map((id) => [id, one(id).value]);
    const chips = all(".chip[aria-pressed=true]")
      .map((chip) => chip.dataset.filter ?? chip.dataset.decided);
    const opened = all("details[open][id]").map(({ id }) => id);
    const regions = one("#regions").checked;
    const at = scrollY;
    one("header.top").replaceWith(one("header.top", page));
    main.replaceChildren(...content.childNodes);
    document.body.dataset.state = page.body.dataset.state;
    for (const [id, value] of values) one(id).value = value;
    for (const chip of all(".chip")) {
      press(chip, chips.includes(chip.dataset.filter ?? chip.dataset.decided));
    }
    for (const id of opened) document.getElementById(id)?.setAttribute("open", "");
    one("#regions").checked = regions;
    for (const radio of all("input[name=mode]")) radio.checked = radio.value === main.dataset.mode;
    for (const step of whenFilled) step();
    filter();
    scrollTo({ top: at });
    const card = walked && document.getElementById(walked);
    if (card) reach(card);
  };

  if (events) {
    const stream = new EventSource(events);
    stream.addEventListener("changed", ask);
    // After a break, something may have been missed.
    let broken = false;
    stream.onerror = () => { broken = true; };
    stream.onopen = () => {
      if (broken) ask();
      broken = false;
    };
  }

  // Deciding --------------------------------------------------------------------------------------

  const post = async (address, body) => {
    let answer;
    try {
      const response = await fetch(address, {
        method: "POST", body, headers: { Accept: "application/json" },
      });
      answer = await response.json();
    } catch {
      notice(say("failed"), true);
      return false;
    }
    const refused = answer.message !== undefined;
    notice(refused ? `${answer.message} ${answer.remedy ?? ""}` : answer.notice ?? "", refused);
    await ask();
    return !refused;
  };
  const send = async (form, submitter) => {
    const body = new URLSearchParams(new FormData(form, submitter));
    const action = form.getAttribute("action");
    const card = form.closest(".change");
    if (!await post(action, body) || !card) return;
    form.reset();
    // A reason that has been sent is not typed on.
    if (document.activeElement?.form === form) reach(card);
  };
  document.addEventListener("submit", (event) => {
    if (!event.target.matches("form.decide, #publish")) return;
    event.preventDefault();
    send(event.target, event.submitter);
  });

  // All that is shown and open; nothing that was rejected, and nothing that is folded away.
  const acceptShown = () => {
    const token = one("#publish [name=token]").value;
    const body = new URLSearchParams({ token, kind: "accepted" });
    let count = 0;
    for (const card of all(".change[data-d=open]")) {
      const about = one(".about form.decide input[type=hidden]", card);
      if (!about || !isSeen(card) || card.closest("details:not([open])")) continue;
      body.append(about.name, about.value);
      count += 1;
    }
    if (count) post(decisions, body);
  };
  const button = one("#accept-shown");
  if (button) {
    button.hidden = false;
    button.addEventListener("click", acceptShown);
  }

  // Of what is ticked in the card, or of all of it.
  const formOf = (card) => card && (one(".cells form:has(input:checked)", card)
    ?? one(".about form.decide", card));
  const decide = (kind) => {
    const form = formOf(current());
    if (form) form.requestSubmit(one(`button[value=${kind}]`, form));
  };
  // A rejection and a comment wait for their words: Enter sends them, Escape does not.
  const begin = (kind) => {
    const reason = formOf(current())?.elements.reason;
    if (!reason) return;
    reason.dataset.kind = kind;
    reason.focus();
  };
  document.addEventListener("keydown", (event) => {
    const { kind } = event.target.dataset ?? {};
    if (event.key !== "Enter" || !kind || event.isComposing) return;
    event.preventDefault();
    event.target.form.requestSubmit(one(`button[value=${kind}]`, event.target.form));
  });
  document.addEventListener("focusout", (event) => { delete event.target.dataset.kind; });
  Object.assign(keys, {
    a: () => decide("accepted"), u: () => decide("withdrawn"),
    x: () => begin("rejected"), c: () => begin("commented"),
    p: () => one("#publish button")?.focus(),
  });
}
for (const fill of whenFilled) fill();
for (const image of all(".stage img")) if (image.complete) fit(image);
