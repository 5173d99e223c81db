// Waits for the pictures of a page, in the capture and above it, whatever loads them.
import FarmCore

/// JavaScript functions of a scene's script, called by ``PageScript``.
enum PagePictures {
    /// The JavaScript functions `picturesToCome`, which returns the addresses of everything still
    /// to come, and `askForBackgrounds`, which requests the pictures of style sheets.
    ///
    /// Lazy pictures are made eager: a browser may never load one that another element hides. A
    /// picture of a style sheet has no state of its own, so an image of the same address stands in
    /// for it.
    static let waiting = """
          const short = (address) => {
            try {
              const url = new URL(address, document.baseURI);
              if (url.protocol === "data:") return "a data: address";
              const near = url.origin === location.origin && url.protocol !== "file:";
              return (near ? url.pathname + url.search : url.href).slice(0, 120);
            } catch { return String(address).slice(0, 120); }
          };
          const isInPicture = (item, view) => {
            if (item.getClientRects().length === 0) return false;
            if (view !== window || scene.fullPage) return true;
            const box = item.getBoundingClientRect();
            const target = scene.element === null ? null : document.querySelector(scene.element);
            const bottom = target ? target.getBoundingClientRect().bottom : innerHeight;
            return box.top < bottom && box.left < innerWidth && box.right >= 0;
          };
          const hurried = new Set();
          const hurry = (item) => {
            if (item.loading !== "lazy") return;
            item.loading = "eager";
            hurried.add(item);
          };
          const isEmptyFrame = (frame) => {
            try {
              const inner = frame.contentDocument;
              return inner && (inner.readyState !== "complete"
                || (inner.URL === "about:blank" && hurried.has(frame)));
            } catch { return false; }
          };
          const picturesToCome = () => {
            const found = [];
            for (const {root, view} of scopes()) {
              for (const image of root.querySelectorAll("img")) {
                if (image.complete || !isInPicture(image, view)) continue;
                hurry(image);
                found.push(image.currentSrc || image.src);
              }
              for (const frame of root.querySelectorAll("iframe[loading=lazy]")) {
                if (frame.src && isInPicture(frame, view)) hurry(frame);
              }
              for (const video of root.querySelectorAll("video")) {
                const isLoading = video.networkState === 2 && video.readyState < 2
                  && video.preload !== "none";
                if ((video.seeking || isLoading) && isInPicture(video, view)) {
                  found.push(video.currentSrc);
                }
              }
            }
            for (const item of hurried) {
              if (item.localName === "iframe" && item.src !== "about:blank" && isEmptyFrame(item)) {
                found.push(item.src);
              }
            }
            for (const [address, picture] of asked) if (!picture.complete) found.push(address);
            return [...found, ...page.late?.(requestSecondsMax) ?? []];
          };
          const requestSecondsMax = 10;
          const asked = new Map();
          const askFor = (style, base) => {
            const text = [style.backgroundImage, style.maskImage, style.borderImageSource,
              style.listStyleImage, style.content].join();
            for (const [, address] of text.matchAll(/url\\("((?:[^"\\\\]|\\\\.)*)"\\)/g)) {
              if (/^(data:|#)/.test(address) || asked.has(address) || asked.size >= 500) continue;
              if (performance.getEntriesByName(address).length > 0) continue;
              const picture = new Image();
              picture.src = address;
              asked.set(address, picture);
            }
          };
          const pictured = (rules) => [...rules].flatMap((rule) => {
            if (rule.constructor.name === "CSSFontFaceRule" || !rule.cssText.includes("url(")) return [];
            if (!rule.selectorText) return rule.cssRules ? pictured(rule.cssRules) : [];
            return rule.cssText.includes("--") || rule.cssRules?.length > 0 ? ["*"] : [rule.selectorText];
          });
          const selectorsOf = (root) => [...root.styleSheets, ...root.adoptedStyleSheets].flatMap((sheet) => {
            try { return pictured(sheet.cssRules); } catch { return ["*"]; }
          });
          const askForBackgrounds = () => {
            for (const {root, view} of scopes()) {
              const parts = /::?(before|after|marker|first-letter|first-line|placeholder|selection)/g;
              for (const selector of new Set(["[style*='url(']", ...selectorsOf(root)])) {
                let items = [];
                try { items = root.querySelectorAll(selector.replace(parts, "") || "*"); } catch {}
                const wanted = selector === "*" ? ["", "::before", "::after"]
                  : ["", ...[...selector.matchAll(parts)].map(([, part]) => "::" + part)];
                for (const item of [...items].slice(0, 5000)) {
                  if (!isInPicture(item, view)) continue;
                  for (const part of wanted) askFor(view.getComputedStyle(item, part));
                }
              }
            }
          };
        """

    /// The JavaScript functions `scrollThrough`, which brings a whole page into view once, screen
    /// by screen, down to `heightMax` (the whole screens that fit into a picture), and
    /// `innerScroller`, which describes a part of the page that scrolls by itself.
    static let scrolling = """
          const root = document.scrollingElement ?? document.documentElement;
          const screenPixels = innerWidth * innerHeight * scene.scale * scene.scale;
          const heightMax = Math.max(1, Math.floor(scene.pixelsMax / screenPixels)) * innerHeight;
          const scrollThrough = async () => {
            picturesToCome();
            for (let y = innerHeight; y < Math.min(root.scrollHeight, heightMax); y += innerHeight) {
              scrollTo(0, y);
              await frames(1);
            }
            scrollTo(0, 0);
          };
          const innerScroller = () => {
            let item = document.elementFromPoint(innerWidth / 2, innerHeight / 2);
            for (; item && item !== root && item !== document.body; item = item.parentElement) {
              const below = item.scrollHeight - item.clientHeight;
              if (below > 1 && item.clientHeight > innerHeight / 2
                && /auto|scroll/.test(getComputedStyle(item).overflowY)) {
                return `${named(item)} scrolls by itself, and goes on for ${Math.round(below)} points `
                  + "below the picture";
              }
            }
            return null;
          };
        """
}
