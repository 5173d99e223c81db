// The script that runs in a page between its navigation and its capture: it waits until the page
// is ready, stops everything that moves, and measures what is to be captured.
import FarmCore
import Foundation

/// What the script found.
struct PageReport: Decodable, Sendable {
    enum State: String, Decodable {
        case ready
        /// The browser's own page about an error.
        case errorPage = "error-page"
        /// The server answered with a status of 400 or more.
        case refused
        case waiting
        /// A selector, or the condition, is wrong.
        case failed
        case noElement = "no-element"
        /// Storybook says that the story threw.
        case storyFailed = "story-failed"
        /// The whole page has more pixels than a picture may have.
        case tooLarge = "too-large"
    }
    /// In points, relative to the page.
    struct Box: Decodable {
        var x: Double
        var y: Double
        var width: Double
        var height: Double
        /// Whether it reaches beyond the screen.
        var isBeyond: Bool
    }
    var state: State
    /// The HTTP status; 0 where there is none.
    var status: Int
    var reason: String?
    var box: Box?
    /// Points of the page below the screen.
    var below: Double?
    /// The first that a script of the page threw and nothing caught.
    var thrown: String?
    /// The first dialog that a script of the page opened.
    var dialog: String?
}

/// What is asked of a page, and how it is drawn.
struct PageRequest {
    /// What of the script runs: a scene with steps needs two.
    enum Part {
        /// Waits, settles and measures.
        case whole
        /// Waits until the page is ready for the scene's steps.
        case ready
        /// Settles and measures after the steps; what they have focused stays so.
        case settled
    }
    var part: Part
    /// The scene's condition may take so long.
    var waitSeconds: Double
    /// So long if it is a selector.
    var selectorSeconds: Double
    /// Boxes are rounded outwards to whole pixels of it.
    var scale: Double
    var isFullPage: Bool

    func conditionSeconds(_ wait: SceneWait?) -> Double {
        if case .selector? = wait { min(waitSeconds, selectorSeconds) } else { waitSeconds }
    }
}

/// Makes the script for one scene.
enum PageScript {
    /// The script's text: one expression that becomes a ``PageReport``.
    static func text(for scene: Scene, _ request: PageRequest) -> String {
        let mask = scene.mask.map(JSONValue.literal).joined(separator: ", ")
        return """
            (async () => {
            const report = await (async () => {
              const scene = {
                wait: \(request.part == .settled ? "() => true" : condition(scene.wait)),
                waitMilliseconds: \(Int(request.waitSeconds * 1000)),
                conditionMilliseconds: \(Int(request.conditionSeconds(scene.wait) * 1000)),
                mask: [\(mask)],
                element: \(scene.element.map(JSONValue.literal) ?? "null"),
                fullPage: \(request.isFullPage),
                scale: \(request.scale),
                pixelsMax: \(FarmLimits.picturePixelsMax),
                keepsFocus: \(request.part == .settled),
              };
            \(ready)
            \(request.part == .ready ? "return {state: \"ready\", status};" : measure)
            })();
            return {...report, thrown: globalThis.\(PagePreparation.thrown) ?? null,
              dialog: globalThis.\(PageDialogs.name) ?? null};
            })()
            """
    }

    /// A function that answers whether the page is ready.
    ///
    /// The source stands in the script itself:
    /// `eval` is forbidden on pages with a content security policy, the script is not.
    static func condition(_ wait: SceneWait?) -> String {
        switch wait {
        case nil: "() => true"
        case .selector(let selector):
            "() => document.querySelector(\(JSONValue.literal(selector))) !== null"
        case .milliseconds(let time):
            "() => new Promise((done) => setTimeout(() => done(true), \(time)))"
        case .network(let time):
            "() => globalThis.\(PagePreparation.network)?.isSilent(\(time)) ?? true"
        case .story: StorybookScript.isDrawn
        case .function(let source):
            """
            async () => {
              const value = (\(source)
              );
              return typeof value === "function" ? await value() : await value;
            }
            """
        }
    }

    // A duration of nothing shows the end of an animation, as a person sees it; `animation: none`
    // would show what was before it, which is often an invisible element. A constructed sheet,
    // because a content security policy forbids <style>. Focus rings and text carets come late:
    // two frames, blur, and two more where there was something to blur.
    private static let ready = """
          const navigation = performance.getEntriesByType("navigation")[0];
          const status = navigation ? navigation.responseStatus : 0;
          if (location.protocol === "chrome-error:") return {state: "error-page", status};
          if (status >= 400) return {state: "refused", status};
          const frames = (count) => new Promise((done) => {
            const step = () => (count-- > 0 ? requestAnimationFrame(step) : done());
            step();
          });
          if (document.readyState !== "complete") {
            await new Promise((done) => addEventListener("load", done, {once: true}));
          }
          const still = new CSSStyleSheet();
          still.replaceSync(`*, *::before, *::after {
            animation-duration: 0s !important; animation-delay: 0s !important;
            animation-iteration-count: 1 !important; animation-play-state: running !important;
            transition-duration: 0s !important; transition-delay: 0s !important;
            scroll-behavior: auto !important; caret-color: transparent !important;
          }`);
          document.adoptedStyleSheets = [...document.adoptedStyleSheets, still];
          const end = performance.now() + scene.waitMilliseconds;
          const conditionEnd = performance.now() + scene.conditionMilliseconds;
          try {
            while (!(await scene.wait())) {
              if (performance.now() > conditionEnd) return {state: "waiting", status};
              await new Promise((done) => setTimeout(done, 15));
            }
          } catch (error) {
            if (error?.isOfStory) return {state: "story-failed", status, reason: error.message};
            return {state: "failed", status, reason: "the function of `wait` threw " + String(error)};
          }
        """

    // What is loaded only when it comes into view is brought into view once, screen by screen.
    private static let measure = """
          const root = document.scrollingElement ?? document.documentElement;
          const isTooLarge = () =>
            innerWidth * root.scrollHeight * scene.scale * scene.scale > scene.pixelsMax;
          const tooLarge = () => ({state: "too-large", status,
            reason: `${Math.ceil(innerWidth * scene.scale)}×${Math.ceil(root.scrollHeight * scene.scale)}`});
          if (scene.fullPage) {
            for (let y = innerHeight; y < root.scrollHeight; y += innerHeight) {
              if (isTooLarge()) return tooLarge();
              scrollTo(0, y);
              await frames(1);
            }
            scrollTo(0, 0);
          }
          for (const image of document.images) {
            while (!image.complete && image.loading !== "lazy" && performance.now() < end) {
              await new Promise((done) => setTimeout(done, 15));
            }
          }
        \(PictureEdges.script)
          for (const animation of document.getAnimations()) {
            try { animation.finish(); } catch { animation.cancel(); }
          }
          await document.fonts.ready;
          await frames(2);
          // Focus by attribute comes with a later frame on a busy machine.
          const autofocus = document.querySelector("[autofocus]");
          for (let i = 0; autofocus && document.activeElement !== autofocus && i < 20; i++) {
            await frames(1);
          }
          const focused = document.activeElement;
          if (!scene.keepsFocus && ((focused && focused !== document.body) || getSelection()?.rangeCount)) {
            focused?.blur?.();
            getSelection()?.removeAllRanges();
            await frames(2);
          }
          const selected = (selector) => {
            try { return [...document.querySelectorAll(selector)]; } catch (error) {
              throw new Error("the selector " + JSON.stringify(selector) + " is not valid");
            }
          };
          try {
            const element = scene.element === null ? null : selected(scene.element)[0];
            if (element) element.scrollIntoView({block: "nearest", inline: "nearest"});
            const boxes = scene.mask.flatMap((selector) =>
              selected(selector).flatMap((item) => [...item.getClientRects()]));
            for (const box of boxes) {
              const cover = document.createElement("div");
              cover.style.cssText = `all: initial; position: absolute; background: #7f7f7f;
                left: ${box.left + scrollX}px; top: ${box.top + scrollY}px;
                width: ${box.width}px; height: ${box.height}px; z-index: 2147483647;`;
              document.documentElement.append(cover);
            }
            if (boxes.length > 0 || element) await frames(2);
            if (scene.fullPage && isTooLarge()) return tooLarge();
            if (scene.fullPage) {
              const height = Math.max(root.scrollHeight, innerHeight);
              return {state: "ready", status, box: {
                x: 0, y: 0, width: innerWidth, height, isBeyond: height > innerHeight,
              }};
            }
            const below = root.scrollHeight - scrollY - innerHeight;
            if (scene.element === null) return {state: "ready", status, below};
            const box = element?.getBoundingClientRect();
            if (!box || box.width === 0 || box.height === 0) return {state: "no-element", status};
            const down = (value) => Math.floor(value * scene.scale + 0.001) / scene.scale;
            const up = (value) => Math.ceil(value * scene.scale - 0.001) / scene.scale;
            const x = down(box.left + scrollX), y = down(box.top + scrollY);
            return {state: "ready", status, box: {
              x, y, width: up(box.right + scrollX) - x, height: up(box.bottom + scrollY) - y,
              isBeyond: box.left < 0 || box.top < 0 || box.right > innerWidth
                || box.bottom > innerHeight,
            }};
          } catch (error) {
            return {state: "failed", status, reason: error.message};
          }
        """
}
