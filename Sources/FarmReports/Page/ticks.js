// Last part of a page on a disk, where nobody can press a button: what is ticked ends in one text
// to copy, a command for a terminal and the same as a comment for the pull request.
{
  const bar = one("#bar");
  const { run, from, runId } = document.body.dataset;

  // The pattern that means this name alone.
  const only = (name) => name.replace(/[\\*?]/g, "\\$&");
  // What a comment quotes calls nobody and is no markup.
  const plain = (text) => text.replace(/[@#<>`*_[\]|\\]/g, " ").replace(/\s+/g, " ").trim();

  // Whole changes by id; pictures by id, and with them changes that the run gave no id.
  const chosen = () => {
    const changes = [], pictures = [];
    for (const card of all(".change")) {
      const whole = one(".tick input:checked", card);
      if (whole) (whole.name === "change" ? changes : pictures).push(whole.value);
      else pictures.push(...all(".cells input:checked", card).map((box) => box.value));
    }
    return { changes, pictures };
  };

  const command = (verb, options) => {
    const place = from ? ["--from", from] : ["--run", run];
    const reason = one("#reason").value.trim();
    const words = ["snapfarm", verb === "accept" ? "approve" : "reject", ...place, ...options,
      ...(reason ? ["--reason", reason] : [])];
    return words.map(quoted).join(" ");
  };

  const write = () => {
    const { changes, pictures } = chosen();
    const verb = one("#verb").value, reason = one("#reason").value.trim();
    bar.hidden = !changes.length && !pictures.length;
    one("#ticked").textContent = say("ticked", changes.length + pictures.length);
    const names = pictures.map(only);
    one("#command").value = [[changes, "--change", ""], [names, "--select", "snapshot="]]
      .filter(([ids]) => ids.length)
      .map(([ids, option, before]) => command(verb, ids.flatMap((id) => [option, before + id])))
      .join("\n");
    const lines = changes.map((id) => {
      const card = document.getElementById(`c-${id}`);
      return plain(`${id} ${one("h4", card).textContent}: ${one(".words", card).textContent}`);
    });
    const head = `/snapfarm ${verb} ${runId}` + (verb === "reject" && reason ? `: ${reason}` : "");
    one("#comment").value = changes.length ? [head, ...lines].join("\n") : "";
    one("[data-copy=comment]").disabled = !changes.length;
    if (pictures.length) one("#ticked").textContent += ` · ${say("single")}`;
  };

  const copy = async (button) => {
    await copyText(document.getElementById(button.dataset.copy).value);
    one("#ticked").textContent = say("copied");
  };
  document.addEventListener("change", (event) => {
    if (event.target.matches(".change input[type=checkbox], #verb")) write();
  });
  document.addEventListener("input", (event) => { if (event.target.matches("#reason")) write(); });
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-copy]");
    if (button) copy(button);
  });
  // A browser keeps ticks when a page is loaded again.
  write();
}
