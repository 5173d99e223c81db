// The script that runs in a page between its navigation and its capture: it waits until the page is
// ready, stops everything that moves, and measures the part to be captured.
import FarmCore
import Foundation

/// The result of the script that runs in a page before its capture.
struct PageReport: Decodable, Sendable {
    enum State: String, Decodable {
        case ready
        /// The browser shows its own page about an error.
        case errorPage = "error-page"
        /// The server answered with a status of 400 or more.
        case refused
        case waiting
        /// A selector, or the scene's condition, is wrong.
        case failed
        case noElement = "no-element"
        /// Storybook reports that the story threw an error.
        case storyFailed = "story-failed"
    }
    /// A box in points, relative to the page.
    struct Box: Decodable, Sendable, Equatable {
        var x: Double
        var y: Double
        var width: Double
        var height: Double
        /// Whether the box reaches beyond the screen.
        var isBeyond: Bool
    }
    /// The visible part of the page: its corner and its zoom.
    struct View: Decodable, Sendable {
        var x: Double
        var y: Double
        var scale: Double
    }
    var state: State
    /// The HTTP status, or 0 if there is none.
    var status: Int
    var reason: String?
    var box: Box?
    /// The height in points of the page below the screen, or `nil` if it was not measured.
    var below: Double?
    /// The height in points of a whole page that is cut off because it does not fit into a picture.
    var cut: Double?
    /// The first error of the page's scripts that nothing caught, or `nil` if there is none.
    var thrown: String?
    /// The first dialog that a script of the page opened, or `nil` if there is none.
    var dialog: String?
    var view: View?
    var masks: MaskReport?
    /// The addresses of pictures and requests that had not come in time.
    var absent: [String]?
    /// A text about a part of the page that scrolls by itself, so that a capture of the whole page
    /// lacks its end, or `nil`.
    var scroller: String?
    /// Whether the page may go on drawing.
    var isActive: Bool?
}

extension PageReport {
    /// Returns a note for a person who looks at the picture, on a screen of this scale, or `nil` if
    /// there is nothing to note.
    func note(scale: Double) -> String? {
        var notes: [String] = []
        if let box, let cut, cut > 0 {
            let whole = min((box.height + cut) * scale, Double(Int32.max))
            notes.append(
                "the page is cut at \(Int(box.height * scale)) of its \(Int(whole)) pixels of height: "
                    + "capture the rest by scenes with an `element`"
            )
        }
        if let absent, !absent.isEmpty {
            let named = absent.prefix(3).joined(separator: ", ")
            let rest = absent.count > 3 ? " and \(absent.count - 3) more" : ""
            notes.append("it was captured before this had come: \(named)\(rest)")
        }
        if let dialog { notes.append("its dialog was closed: \(dialog)") }
        if let scroller { notes.append(scroller) }
        return notes.isEmpty ? nil : notes.joined(separator: "; ") + "."
    }
}

/// The parameters of the script for one scene.
struct PageRequest {
    /// The part of the script that runs; a scene with steps needs two runs.
    enum Part {
        /// The whole script: waits, settles and measures.
        case whole
        /// The part before a scene's steps: waits until the page is ready for them.
        case ready
        /// The part after a scene's steps: settles, measures, and keeps the focus that the steps
        /// set.
        case settled
    }
    var part: Part
    /// The most seconds that the script waits for the scene's condition.
    var waitSeconds: Double
    /// The most seconds that the script waits if the condition is a selector.
    var selectorSeconds: Double
    /// The pixels per point; boxes are rounded outwards to whole pixels.
    var scale: Double
    var isFullPage: Bool
    /// The most pixels in the picture of a whole page; a longer page is cut.
    var pixelsMax: Int

    func conditionSeconds(_ wait: SceneWait?) -> Double {
        if case .selector? = wait { min(waitSeconds, selectorSeconds) } else { waitSeconds }
    }
}

/// Makes the script for one scene.
enum PageScript {
    /// Returns the script's text: one expression whose value is a ``PageReport``.
    static func text(for scene: Scene, _ request: PageRequest) -> String {
        """
        (async () => {
        const report = await (async () => {
          const scene = {
            wait: \(request.part == .settled ? "() => true" : condition(scene.wait)),
            waitMilliseconds: \(Int(request.waitSeconds * 1000)),
            conditionMilliseconds: \(Int(request.conditionSeconds(scene.wait) * 1000)),
            mask: [\(PageMasks.list(scene.mask))],
            element: \(scene.element.map(JSONValue.literal) ?? "null"),
            fullPage: \(request.isFullPage),
            scale: \(request.scale),
            pixelsMax: \(request.pixelsMax),
            keepsFocus: \(request.part == .settled),
            finishes: \(scene.animations == .finish),
          };
        \(PageStillness.scopes)
        \(PageStillness.finishing)
        \(PageStillness.sheets)
        \(ready)
        \(request.part == .ready ? "return {state: \"ready\", status};" : settled)
        })();
        return {...report, thrown: globalThis.\(PagePreloadScript.page)?.thrown ?? null,
          dialog: globalThis.\(PageDialogs.name) ?? null};
        })()
        """
    }

    private static var settled: String {
        [
            PageStillness.media, PageStillness.focus, PagePictures.waiting, PagePictures.scrolling,
            PageMasks.finding, steady, measure,
        ].joined(separator: "\n")
    }

    /// Returns the source of a function that returns whether the page is ready.
    ///
    /// The condition's source stands in the script itself: pages with a content security policy
    /// forbid `eval`, but not the script.
    static func condition(_ wait: SceneWait?) -> String {
        switch wait {
        case nil: "() => true"
        case .selector(let selector):
            "() => document.querySelector(\(JSONValue.literal(selector))) !== null"
        case .milliseconds(let time):
            "() => pause(\(time)).then(() => true)"
        case .network(let time):
            "() => globalThis.\(PagePreloadScript.page)?.isSilent(\(time)) ?? true"
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

    private static let ready = """
          const navigation = performance.getEntriesByType("navigation")[0];
          const status = navigation ? navigation.responseStatus : 0;
          if (location.protocol === "chrome-error:") return {state: "error-page", status};
          if (status >= 400) return {state: "refused", status};
          if (document.readyState !== "complete") {
            await new Promise((done) => addEventListener("load", done, {once: true}));
          }
          lookForRoots();
          calm();
          finishAlways();
          const end = performance.now() + scene.waitMilliseconds;
          const conditionEnd = performance.now() + scene.conditionMilliseconds;
          try {
            while (!(await scene.wait())) {
              if (performance.now() > conditionEnd) return {state: "waiting", status};
              await pause(15);
            }
          } catch (error) {
            if (error?.isOfStory) return {state: "story-failed", status, reason: error.message};
            return {state: "failed", status, reason: "the function of `wait` threw " + String(error)};
          }
        """

    // Pictures may load others, and an animation that ends may begin something: a page is steady
    // when two frames have brought nothing new. Endless animations are not waited for.
    private static let steady = """
          const isOver = () => performance.now() > end;
          const roundsMax = 40;
          let calmSince = Infinity;
          const steady = async () => {
            for (let round = 0, calm = 0; calm < 2 && !isOver(); round++) {
              const moves = scene.finishes ? finish() : 0;
              if (scene.finishes) stopMedia();
              if ((moves > 0 && round < roundsMax) || picturesToCome().length > 0) {
                calm = 0;
              } else {
                if (calm === 0) {
                  // A page is loaded when its style sheets' pictures are: only a change asks for more.
                  const isChanged = page.isChanged !== false || scene.keepsFocus;
                  if (isChanged || scopes().length > 1) askForBackgrounds();
                  calmSince = performance.now();
                }
                calm += picturesToCome().length === 0 ? 1 : 0;
                await Promise.race([document.fonts.ready, pause(Math.max(0, end - performance.now()))]);
              }
              await frames(1);
            }
          };
        """

    // Focus rings and text carets come late: two frames, blur, and two more frames if something had
    // the focus.
    private static let measure = """
        \(PageStillness.naming)
          const selected = (selector) => {
            try { return document.querySelector(selector); } catch {
              throw new Error("the selector " + JSON.stringify(selector) + " is not valid");
            }
          };
          try {
            let element = scene.element === null ? null : selected(scene.element);
            if (scene.fullPage) await scrollThrough();
            element?.scrollIntoView({block: "nearest", inline: "nearest"});
        \(PictureEdges.script)
            await steady();
            lookForRoots();
            calm();
            // Focus by attribute comes with a later frame on a busy machine.
            const autofocus = document.querySelector("[autofocus]");
            for (let i = 0; autofocus && document.activeElement !== autofocus && i < 20; i++) {
              await frames(1);
            }
            const focused = deepFocus();
            if (!scene.keepsFocus && ((focused && focused !== document.body) || getSelection()?.rangeCount)) {
              focused?.blur?.();
              getSelection()?.removeAllRanges();
              await frames(2);
            }
            if (element) {
              element = selected(scene.element);
              element?.scrollIntoView({block: "nearest", inline: "nearest"});
            }
            let masks = {boxes: []};
            if (scene.mask.length > 0) {
              const last = Math.min(end, performance.now() + \(PageMasks.secondsMax * 1000));
              while ((masks = maskReport(scene.mask)).absent && performance.now() < last) await pause(15);
              if (masks.absent) return {state: "ready", status, masks};
              addSheet(scene.mask.map(\(PageMasks.rules)).join("\\n"));
            }
            if (scene.mask.length > 0 || element) await frames(2);
            if (scene.mask.length > 0) masks = maskReport(scene.mask);
            const absent = [...new Set(picturesToCome().map(short))].slice(0, 1000);
            for (const item of hurried) item.loading = "lazy";
            const common = {state: "ready", status, masks, absent,
              isActive: page.isActive?.(calmSince) || scopes().some(({root}) => root.querySelector("canvas")
                || [...root.querySelectorAll("iframe")].some((frame) => !frame.contentDocument)),
              view: {x: visualViewport.pageLeft, y: visualViewport.pageTop, scale: visualViewport.scale}};
            if (scene.fullPage) {
              const whole = Math.max(root.scrollHeight, innerHeight);
              const height = Math.min(whole, heightMax);
              return {...common, scroller: innerScroller(), cut: whole - height, box: {
                x: 0, y: 0, width: innerWidth, height, isBeyond: height > innerHeight,
              }};
            }
            const below = root.scrollHeight - scrollY - innerHeight;
            if (scene.element === null) return {...common, below};
            const box = element?.getBoundingClientRect();
            if (!box || box.width === 0 || box.height === 0) {
              return {...common, state: "no-element"};
            }
            const down = (value) => Math.floor(value * scene.scale + 0.001) / scene.scale;
            const up = (value) => Math.ceil(value * scene.scale - 0.001) / scene.scale;
            const x = down(box.left + scrollX), y = down(box.top + scrollY);
            return {...common, box: {
              x, y, width: up(box.right + scrollX) - x, height: up(box.bottom + scrollY) - y,
              isBeyond: box.left < 0 || box.top < 0 || box.right > innerWidth
                || box.bottom > innerHeight,
            }};
          } catch (error) {
            return {state: "failed", status, reason: error.message};
          }
        """
}
