// Masks match elements of the page, of its shadow roots and of its frames of the same origin. The
// browser does not draw these elements, and the worker paints over their boxes in the picture.
//
// Invariant: a capture is kept only if the boxes before and after it are equal.
import FarmCore
import Foundation

/// The boxes of a page's masked elements.
struct MaskReport: Decodable, Sendable, Equatable {
    /// The boxes of all masks in their order, in points of the page.
    var boxes: [PageReport.Box]
    /// The first selector that matches no element, or `nil` if all match.
    var absent: String?
    /// The names that a mask can have on the page (`.card`, `#total`, `main`) if a selector has no
    /// match, else `nil`.
    var names: [String]?
}

enum PageMasks {
    /// The most seconds that a mask waits for its elements, as long as a step does.
    static let secondsMax = 5
    /// The most names that are read from a page on which a mask has no match.
    private static let namesMax = 2_000

    /// Returns the script that finds the masks' boxes once more, after the capture.
    static func text(for selectors: [String]) -> String {
        """
        (() => {
        \(PageStillness.scopes)
        \(finding)
        return maskReport([\(list(selectors))]);
        })()
        """
    }

    static func list(_ selectors: [String]) -> String {
        selectors.map(JSONValue.literal).joined(separator: ", ")
    }

    /// A JavaScript function that returns style rules for a selector: they keep the browser from
    /// drawing masked elements, even those added later.
    ///
    /// An element without a box (`display: contents`) is drawn by its children alone.
    static let rules = """
        (selector) => `:is(${selector}), :is(${selector}) * {
          opacity: 0 !important; transition: none !important; }`
        """

    /// The JavaScript function `maskReport`, which returns the boxes of the elements that selectors
    /// match.
    ///
    /// A transformed frame is covered as a whole. An element without a box of its own (`display:
    /// contents`) has the boxes of its children.
    static let finding = """
          const isTurned = (item) => {
            for (; item; item = item.parentElement ?? item.getRootNode().host) {
              const style = getComputedStyle(item);
              if ([style.transform, style.rotate, style.scale, style.perspective]
                .some((value) => value !== "none") || style.zoom !== "1") return true;
            }
            return false;
          };
          const placed = (view, box) => {
            let {left, top, right, bottom} = box;
            for (let depth = 0; view !== window && depth < 100; depth++, view = view.parent) {
              const frame = view.frameElement;
              const outer = frame.getBoundingClientRect();
              if (isTurned(frame)) {
                ({left, top, right, bottom} = outer);
                continue;
              }
              const style = getComputedStyle(frame);
              const x = outer.left + frame.clientLeft + parseFloat(style.paddingLeft);
              const y = outer.top + frame.clientTop + parseFloat(style.paddingTop);
              [left, right] = [left + x, right + x].map((value) =>
                Math.min(Math.max(value, outer.left), outer.right));
              [top, bottom] = [top + y, bottom + y].map((value) =>
                Math.min(Math.max(value, outer.top), outer.bottom));
            }
            return {x: left + scrollX, y: top + scrollY, width: right - left, height: bottom - top,
              isBeyond: false};
          };
          const boxesOf = (item, view) => getComputedStyle(item).display === "contents"
            ? [...item.children, ...item.shadowRoot?.children ?? []].flatMap(
              (child) => boxesOf(child, view))
            : [...item.getClientRects()].map((box) => placed(view, box));
          const matches = (selector) => scopes().flatMap(({root, view}) => {
            try {
              return [...root.querySelectorAll(selector)].map((item) => ({item, view}));
            } catch {
              throw new Error("the selector " + JSON.stringify(selector) + " is not valid");
            }
          });
          const namesOfPage = () => {
            const names = new Set();
            for (const {root} of scopes()) {
              for (const item of root.querySelectorAll("*")) {
                if (names.size >= \(namesMax)) break;
                names.add(item.localName);
                if (item.id) names.add("#" + item.id);
                for (const name of item.classList) names.add("." + name);
              }
            }
            return [...names].map((name) => name.slice(0, 100));
          };
          const maskReport = (selectors) => {
            const found = selectors.map(matches);
            const place = found.findIndex((items) => items.length === 0);
            if (place >= 0) return {boxes: [], absent: selectors[place], names: namesOfPage()};
            const boxes = found.flat().flatMap(({item, view}) => boxesOf(item, view));
            const shown = boxes.filter((box) => box.width > 0 && box.height > 0);
            if (shown.length > \(FarmLimits.ignoredBoxesMax)) {
              throw new Error("`mask` covers \(FarmLimits.ignoredBoxesMax) boxes and more");
            }
            return {boxes: shown};
          };
        """

    /// Returns the name on the page that a selector probably meant, or `nil` if none is similar.
    static func near(_ selector: String, among names: [String]) -> String? {
        let known = Set(names)
        let parts = selector.matches(of: /[.#]?[A-Za-z_][A-Za-z0-9_-]*/).map { String($0.0) }
        for part in parts where !known.contains(part) {
            let isSame = { (name: String) in name.first.map { ".#".contains($0) ? $0 : " " } }
            let others = names.filter { isSame($0) == isSame(part) }
            if let name = nearest(part, among: others) { return name }
        }
        return nil
    }

    /// Returns the boxes in pixels of a picture, rounded outwards and clipped to the picture.
    ///
    /// `origin` is the page's point in the picture's corner, `scale` the pixels per point.
    static func pixels(
        of boxes: [PageReport.Box],
        origin: (x: Double, y: Double),
        scale: Double,
        in size: PixelSize
    ) -> [PixelBox] {
        boxes.compactMap { box in
            func clamped(_ value: Double, _ most: Int) -> Int {
                value.isFinite ? Int(min(max(0, value), Double(most))) : most
            }
            let left = clamped(((box.x - origin.x) * scale + 0.001).rounded(.down), size.width)
            let top = clamped(((box.y - origin.y) * scale + 0.001).rounded(.down), size.height)
            let right = clamped(
                ((box.x + box.width - origin.x) * scale - 0.001).rounded(.up),
                size.width
            )
            let bottom = clamped(
                ((box.y + box.height - origin.y) * scale - 0.001).rounded(.up),
                size.height
            )
            guard right > left, bottom > top else { return nil }
            return PixelBox(x: left, y: top, width: right - left, height: bottom - top)
        }
    }
}
