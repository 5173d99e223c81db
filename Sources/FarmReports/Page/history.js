// Why a picture is the reference: the fold of a card is filled by the host when it is opened.
{
  const fill = async (link) => {
    const answer = await fetch(link.href);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const content = one("#why", page) ?? one("main", page);
    // Many folds may be open: the id stands only once on a page.
    content?.removeAttribute("id");
    if (content) link.replaceWith(content);
  };
  document.addEventListener("toggle", (event) => {
    const fold = event.target;
    const link = fold.matches?.("details.why[open]") && one("a.ask", fold);
    // A link that leads there is left where the host does not answer.
    if (link) fill(link).catch(() => {});
  }, true);
  keys.w = () => {
    const fold = current() && one("details.why", current());
    if (fold) fold.open = !fold.open;
  };
}
