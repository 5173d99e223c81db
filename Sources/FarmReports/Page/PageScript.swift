// The page's script. Everything is on the page already; the script filters, walks and compares.
// Each pass over the entries is linear, and the text index is made once, at the first filter.

enum PageScript {
    static let text = #"""
        "use strict";
        (() => {
          const all = (selector, root = document) => [...root.querySelectorAll(selector)];
          const one = (selector) => document.querySelector(selector);
          const main = one("main");
          const cards = all(".change");
          const chips = all("[data-filter]");
          const text = one("#text"), cell = one("#cell"), suite = one("#suite");

          const current = () => document.activeElement?.closest?.(".change");

          // Compare ---------------------------------------------------------------------------
          const modes = all("input[name=mode]");
          const setMode = (mode) => {
            main.dataset.mode = mode;
            for (const radio of modes) radio.checked = radio.value === mode;
            // Cards above change their height too.
            current()?.scrollIntoView({ block: "start" });
          };
          for (const radio of modes) radio.addEventListener("change", () => setMode(radio.value));
          const regions = one("#regions");
          regions.addEventListener("change", () => main.classList.toggle("boxes", regions.checked));

          // All pictures of a card share one scale: that of the largest.
          const fit = (image) => {
            const style = image.closest(".change").style;
            const { naturalWidth: width, naturalHeight: height } = image;
            if (!width || !height) return;
            image.style.setProperty("--iw", width);
            const seen = image.closest(".stage").dataset;
            seen.w = Math.max(width, seen.w || 0);
            seen.h = Math.max(height, seen.h || 0);
            style.setProperty("--w", seen.w);
            style.setProperty("--h", seen.h);
          };
          document.addEventListener("load", (event) => {
            if (event.target.matches?.("img.shot")) fit(event.target);
          }, true);
          for (const image of all("img.shot")) if (image.complete) fit(image);

          const setSplit = (stage, percent) => {
            stage.style.setProperty("--at", `${percent}%`);
            stage.querySelector(".slider").value = percent;
          };
          document.addEventListener("input", (event) => {
            if (event.target.matches(".slider")) {
              setSplit(event.target.closest(".stage"), event.target.value);
            }
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
          const hold = (stage) => stage && stage.classList.toggle("held");
          document.addEventListener("click", (event) => {
            const frame = event.target.closest?.(".frame");
            if (frame && ["blink", "diff"].includes(main.dataset.mode)) {
              hold(frame.closest(".stage"));
            }
          });

          // Filter ----------------------------------------------------------------------------
          let index = null;
          const entries = () => index ??= all(".item").map((node) => ({
            node, verdict: node.dataset.verdict, cell: node.dataset.cell,
            suite: node.dataset.suite, text: (node.textContent
              + (node.closest(".cause")?.querySelector(".message")?.textContent ?? ""))
              .toLowerCase(),
            groups: [".screen", ".cause", ".suite", ".folded"]
              .map((kind) => node.closest(kind)).filter(Boolean),
          }));
          const apply = () => {
            const verdicts = new Set(
              chips.filter((chip) => chip.ariaPressed === "true").map((chip) => chip.dataset.filter));
            const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
            const groups = new Map();
            let shown = 0;
            for (const entry of entries()) {
              const visible = (!verdicts.size || verdicts.has(entry.verdict))
                && (!cell.value || entry.cell === cell.value)
                && (!suite.value || entry.suite === suite.value)
                && words.every((word) => entry.text.includes(word)
                  || entry.suite.toLowerCase().includes(word));
              entry.node.hidden = !visible;
              if (visible) shown += 1;
              for (const group of entry.groups) {
                groups.set(group, groups.get(group) || visible);
              }
            }
            for (const [group, visible] of groups) group.hidden = !visible;
            one("#nothing").hidden = shown > 0 || !index.length;
            one("#shown").textContent =
              shown === index.length ? "" : `${shown} of ${index.length} shown`;
          };
          let frame = 0;
          const later = () => {
            cancelAnimationFrame(frame);
            frame = requestAnimationFrame(apply);
          };
          const press = (chip, pressed) => { chip.ariaPressed = String(pressed); };
          for (const chip of chips) {
            chip.addEventListener("click", () => {
              press(chip, chip.ariaPressed !== "true");
              later();
            });
          }
          for (const input of [text, cell, suite]) input.addEventListener("input", later);
          one(".toolbar").addEventListener("submit", (event) => event.preventDefault());
          for (const button of all("[data-to-cell]")) {
            button.addEventListener("click", () => {
              for (const chip of chips) press(chip, chip.dataset.filter === button.dataset.toVerdict);
              cell.value = button.dataset.toCell;
              apply();
              one(".toolbar").scrollIntoView();
            });
          }
          const clear = () => {
            for (const chip of chips) press(chip, false);
            text.value = cell.value = suite.value = "";
            apply();
          };

          // Keys ------------------------------------------------------------------------------
          const walk = (step) => {
            const visible = cards.filter((card) => !card.hidden);
            if (!visible.length) return;
            const at = visible.indexOf(current());
            const next = at < 0 ? (step > 0 ? 0 : visible.length - 1) : at + step;
            const card = visible[Math.min(visible.length - 1, Math.max(0, next))];
            card.closest("details")?.setAttribute("open", "");
            card.focus({ preventScroll: true });
            card.scrollIntoView({ block: "start" });
          };
          const keys = {
            j: () => walk(1), k: () => walk(-1),
            1: () => setMode("side"), 2: () => setMode("swipe"),
            3: () => setMode("blink"), 4: () => setMode("diff"),
            r: () => regions.click(), "/": () => text.focus(), Escape: clear,
          };
          document.addEventListener("keydown", (event) => {
            if (event.ctrlKey || event.metaKey || event.altKey) return;
            if (event.target.matches("input[type=search], select")) {
              if (event.key === "Escape") event.target.blur();
              return;
            }
            if (event.key === " " && event.target.matches(".change")) {
              event.preventDefault();
              hold(event.target.querySelector(".stage"));
            } else if (Object.hasOwn(keys, event.key)) {
              event.preventDefault();
              keys[event.key]();
            }
          });
        })();

        """#
}
