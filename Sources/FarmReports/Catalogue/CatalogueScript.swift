// The search of the catalogue. All pictures are on the page already; the script only hides some.
// All words of a search must be found in a screen's suite, name and test, or in a picture's cell.

enum CatalogueScript {
    static let text = #"""
        "use strict";
        (() => {
          const all = (selector, root = document) => [...root.querySelectorAll(selector)];
          const one = (selector) => document.querySelector(selector);
          const plain = (text) => text.normalize("NFKC").toLowerCase();
          const form = one(".find"), text = one("#text"), shown = one("#shown");
          const choices = all("select", form);
          const folders = all(".folder").map((folder) => ({
            folder,
            places: all(".place", folder).map((place) => ({
              place,
              words: plain(folder.querySelector("h2 bdi").textContent + " " +
                place.querySelector("h3").textContent),
              shots: all(".shot", place).map((shot) => ({
                shot, words: plain(shot.textContent + " " + shot.title) })) })) }));
          const total = all(".shot").length;

          const filter = () => {
            const words = plain(text.value).split(/\s+/).filter(Boolean);
            let count = 0;
            for (const { folder, places } of folders) {
              let inFolder = 0;
              for (const { place, words: own, shots } of places) {
                const open = words.filter((word) => !own.includes(word));
                let inPlace = 0;
                for (const { shot, words: cell } of shots) {
                  const isShown = open.every((word) => cell.includes(word)) &&
                    choices.every(({ id, value }) => !value || shot.dataset[id] === value);
                  shot.hidden = !isShown;
                  if (isShown) inPlace += 1;
                }
                place.hidden = inPlace === 0;
                inFolder += inPlace;
              }
              folder.hidden = inFolder === 0;
              count += inFolder;
            }
            one("#nothing").hidden = count > 0;
            shown.textContent = shown.dataset.words.replace("{1}", count).replace("{2}", total);
          };
          form.hidden = false;
          form.addEventListener("submit", (event) => event.preventDefault());
          text.addEventListener("input", filter);
          for (const choice of choices) choice.addEventListener("change", filter);
          document.addEventListener("keydown", (event) => {
            if (event.key !== "/" || event.target.closest("input, select")) return;
            event.preventDefault();
            text.focus();
          });
          filter();
        })();

        """#
}
