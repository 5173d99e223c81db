// Stops everything that moves in a page: in its document, in its shadow roots, and in its frames of
// the same origin.
import FarmCore

/// JavaScript functions of a scene's script, called by ``PageScript``.
enum PageStillness {
    /// The JavaScript function `named`, which returns an element's opening tag, with its id and
    /// classes.
    static let naming = """
          const named = (item) => ("<" + item.localName + (item.id ? ` id="${item.id}"` : "")
            + (item.classList.length > 0 ? ` class="${[...item.classList].join(" ")}"` : "")
            ).slice(0, 120) + ">";
        """

    /// The JavaScript functions `frames` and `pause`, which wait without counting as the page's
    /// activity.
    static let pace = """
          const page = globalThis.\(PagePreloadScript.page)
            ?? {frame: requestAnimationFrame, timer: setTimeout, roots: new Set()};
          const frames = (count) => new Promise((done) => {
            const step = () => (count-- > 0 ? page.frame(step) : done());
            step();
          });
          const pause = (time) => new Promise((done) => page.timer(done, time));
        """

    /// The JavaScript functions `scopes`, which returns the documents and shadow roots of the page,
    /// and `lookForRoots`, which finds roots that came with the page's HTML.
    ///
    /// The number of frames has a limit, because a page may report any number.
    static let scopes = """
        \(pace)
          const scopes = (view = window, list = []) => {
            try {
              const roots = [...view.\(PagePreloadScript.page)?.roots ?? []];
              for (const root of [view.document, ...roots.filter((root) => root.host.isConnected)]) {
                list.push({root, view});
              }
              for (let i = 0; i < Math.min(view.length, 100); i++) scopes(view[i], list);
            } catch {}
            return list;
          };
          const lookForRoots = () => {
            for (const {root, view} of scopes()) {
              const known = view.\(PagePreloadScript.page)?.roots;
              const look = (tree) => {
                for (const host of tree.querySelectorAll("*")) {
                  if (!host.shadowRoot || known?.has(host.shadowRoot)) continue;
                  known?.add(host.shadowRoot);
                  look(host.shadowRoot);
                }
              };
              look(root);
            }
          };
        """

    /// The JavaScript functions `finish`, which ends animations and returns their number, and
    /// `finishAlways`, which begins to do so in each frame of the screen.
    ///
    /// An animation is brought to its end, so that the page gets the event and shows the final
    /// state; an endless one runs once. An animation that follows the scroll position does not move
    /// by itself.
    static let finishing = """
          const finish = () => {
            let count = 0;
            for (const {root, view} of scopes()) {
              for (const animation of root.getAnimations()) {
                if (animation.playState === "finished") continue;
                if (!(animation.timeline instanceof view.DocumentTimeline)) continue;
                count += 1;
                try {
                  if (animation.effect.getComputedTiming().endTime === Infinity) {
                    animation.effect.updateTiming({iterations: 1});
                  }
                  animation.finish();
                } catch { animation.cancel(); }
              }
            }
            return count;
          };
          const finishAlways = async () => {
            if (!scene.finishes || page.finishes) return;
            page.finishes = true;
            for (;;) { finish(); await frames(1); }
          };
        """

    /// The JavaScript functions `addSheet`, which adds a style sheet to the whole page, and `calm`,
    /// which adds one against text carets and smooth scrolling, where there is none yet.
    ///
    /// The sheet is constructed, because a content security policy forbids `<style>`.
    static let sheets = """
          const addSheet = (text, isWanted = () => true) => {
            const made = new Map();
            for (const {root, view} of scopes()) {
              if (!isWanted(root)) continue;
              if (!made.has(view)) {
                made.set(view, new view.CSSStyleSheet());
                made.get(view).replaceSync(text);
              }
              root.adoptedStyleSheets = [...root.adoptedStyleSheets, made.get(view)];
            }
          };
          const calm = () => {
            page.calm ??= new WeakSet();
            addSheet(`*, *::before, *::after {
              scroll-behavior: auto !important; caret-color: transparent !important;
            }`, (root) => !page.calm.has(root) && page.calm.add(root));
          };
        """

    /// The JavaScript function `stopMedia`, which stops media that have a time of their own and are
    /// no animations of a style sheet: drawings with SMIL at the end of their finite animations,
    /// videos at their beginning, `<marquee>` before it moves.
    static let media = """
          const seconds = (text) => {
            const [, number, unit] = /^\\s*([0-9.]+)\\s*(ms|s|min|h)?\\s*$/.exec(text ?? "") ?? [];
            return Number(number ?? NaN) * ({ms: 0.001, min: 60, h: 3600}[unit] ?? 1);
          };
          const endOf = (drawing) => {
            const ends = [...drawing.querySelectorAll("animate, animateTransform, animateMotion")].map(
              (part) => (seconds(part.getAttribute("begin")) || 0) + (seconds(part.getAttribute("repeatDur"))
                || seconds(part.getAttribute("dur")) * Number(part.getAttribute("repeatCount") ?? 1)));
            return Math.max(0, ...ends.filter((time) => time < 1e6));
          };
          const stopMedia = () => {
            for (const {root} of scopes()) {
              for (const drawing of root.querySelectorAll("svg")) {
                if (drawing.ownerSVGElement || drawing.animationsPaused()) continue;
                if (!drawing.querySelector("animate, animateTransform, animateMotion, set")) continue;
                drawing.pauseAnimations();
                drawing.setCurrentTime(endOf(drawing));
              }
              for (const video of root.querySelectorAll("video")) {
                video.pause();
                if (video.currentTime > 0 && !video.srcObject) video.currentTime = 0;
              }
              for (const mover of root.querySelectorAll("marquee:not([scrollamount='0'])")) {
                const still = mover.cloneNode(false);
                still.setAttribute("scrollamount", "0");
                still.append(...mover.childNodes);
                mover.replaceWith(still);
              }
            }
          };
        """

    /// The JavaScript function `deepFocus`, which returns the element with the focus, also in a
    /// shadow root or a frame.
    static let focus = """
          const deepFocus = () => {
            let focused = document.activeElement;
            for (let i = 0; i < 100 && focused; i++) {
              let inner = null;
              try {
                inner = [...page.roots].find((root) => root.host === focused)?.activeElement
                  ?? focused.contentDocument?.activeElement;
              } catch {}
              if (!inner || inner === focused) break;
              focused = inner;
            }
            return focused;
          };
        """
}
