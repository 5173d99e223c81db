// Takes the element tree of a page after its capture: one script, within limits. Elements below a
// mask are left out with their texts.
import FarmCore

/// Makes the script that returns the element tree of a page as JSON.
enum PageElements {
    /// The most elements of a page; a longer page is cut.
    private static let elementsMax = 2_000
    /// The most elements that the script looks at, visible or not.
    private static let looksMax = 20_000
    /// The most UTF-16 units of all texts of a page.
    private static let textsMax = 64 << 10

    /// The properties of style sheets that say what an element looks like.
    ///
    /// Those that follow from the sizes of others (`width`) are left out: a box says them.
    static let properties = [
        "align-items", "background-color", "background-image", "border-radius", "box-shadow",
        "color", "display", "flex-direction", "font-family", "font-size", "font-style",
        "font-weight", "gap", "justify-content", "letter-spacing", "line-height", "margin",
        "opacity", "padding", "position", "text-align", "text-decoration-line", "text-transform",
        "transform",
    ]

    /// Properties that the script reads where they are drawn.
    private static let conditional = [
        "border-color", "border-style", "border-width", "fill", "stroke", "src",
    ]

    /// Returns the script.
    ///
    /// `origin` is the page's point in the corner of the picture, `scale` the pixels per point,
    /// `size` the picture's; `masks` are the masked boxes in points of the page.
    static func text(
        origin: (x: Double, y: Double),
        scale: Double,
        size: PixelSize,
        masks: [PageReport.Box]
    ) -> String {
        let boxes = masks.map { "[\($0.x), \($0.y), \($0.width), \($0.height)]" }
        let names = properties + conditional
        return """
            (() => {
              const origin = [\(origin.x), \(origin.y)], scale = \(scale);
              const size = [\(size.width), \(size.height)];
              const masks = [\(boxes.joined(separator: ", "))];
              const plain = \(list(properties));
              const tree = {version: \(ElementTree.version), properties: \(list(names)),
                styles: [], elements: []};
            \(walking)
              return JSON.stringify(tree);
            })()
            """
    }

    private static func list(_ names: [String]) -> String {
        "[\(names.map(JSONValue.literal).joined(separator: ", "))]"
    }

    private static let walking = """
          const known = new Map();
          const none = ["", "", ""];
          // Only these draw a shape inside an `svg`.
          const shapes = new Set(["color", "display", "opacity", "transform"]);
          // Longhands are read faster; a border that is not drawn has no width.
          const sides = ["top", "right", "bottom", "left"].map((side) => `border-${side}-width`);
          let texts = 0, looks = 0;
          const cut = (text, most) => text.length <= most ? text
            : text.slice(0, most).replace(/[\\ud800-\\udbff]$/, "");
          const isMasked = (box) => masks.some(([x, y, width, height]) =>
            box.left + scrollX >= x - 1 && box.top + scrollY >= y - 1
              && box.right + scrollX <= x + width + 1 && box.bottom + scrollY <= y + height + 1);
          // Digits in a name mostly come from a tool, and differ after every change.
          const isStable = (name) => name.length < 5 || !/[0-9:]/.test(name);
          const testID = (item) => item.getAttribute("data-testid") ?? item.getAttribute("data-test-id")
            ?? item.getAttribute("data-test") ?? item.getAttribute("data-cy");
          const selector = (item, test) => {
            if (test) {
              const name = ["data-testid", "data-test-id", "data-test", "data-cy"].find((name) =>
                item.hasAttribute(name));
              return `[${name}=${test}]`;
            }
            if (item.id && isStable(item.id)) return "#" + item.id;
            const names = [...item.classList].filter(isStable).slice(0, 2);
            return names.length > 0 ? "." + names.join(".") : item.localName;
          };
          const ownText = (item) => {
            if (item.localName === "input" || item.localName === "textarea") {
              return item.type === "password" ? "" : item.value || item.placeholder || "";
            }
            let text = "";
            for (let node = item.firstChild; node; node = node.nextSibling) {
              if (node.nodeType === 3) text += node.data;
            }
            return text.replace(/\\s+/g, " ").trim();
          };
          const source = (item) => {
            const address = item.localName === "img" ? item.currentSrc || item.src || "" : "";
            return address.startsWith("data:") ? "data:" : address.split(/[?#]/)[0].split("/").pop();
          };
          const styled = (item, style) => {
            const isInside = Boolean(item.ownerSVGElement);
            const isDrawn = isInside || item.localName === "svg";
            const values = plain.map((name) =>
              isInside && !shapes.has(name) ? "" : cut(style.getPropertyValue(name), 200));
            const hasBorder = !isInside && sides.some((name) => style.getPropertyValue(name) !== "0px");
            values.push(...hasBorder ? [style.borderColor, style.borderStyle, style.borderWidth] : none,
              isDrawn ? cut(style.fill, 200) : "", isDrawn ? cut(style.stroke, 200) : "",
              cut(source(item), 200));
            const key = values.join("\\n");
            let place = known.get(key);
            if (place === undefined) {
              place = tree.styles.length;
              known.set(key, place);
              tree.styles.push(values);
            }
            return place;
          };
          const add = (item, style, outer, parent) => {
            const left = Math.max(0, Math.round((outer.left + scrollX - origin[0]) * scale));
            const top = Math.max(0, Math.round((outer.top + scrollY - origin[1]) * scale));
            const right = Math.min(size[0], Math.round((outer.right + scrollX - origin[0]) * scale));
            const bottom = Math.min(size[1], Math.round((outer.bottom + scrollY - origin[1]) * scale));
            if (right <= left || bottom <= top || isMasked(outer)) return parent;
            const test = testID(item);
            const element = {selector: cut(selector(item, test), 80),
              box: [left, top, right - left, bottom - top], style: styled(item, style)};
            const text = cut(ownText(item), 200);
            texts += text.length;
            if (test) element.testID = cut(test, 80);
            if (text) element.text = text;
            if (parent !== null) element.parent = parent;
            return tree.elements.push(element) - 1;
          };
          const walk = (item, parent) => {
            if (tree.elements.length >= \(elementsMax) || texts > \(textsMax)
              || ++looks > \(looksMax)) {
              tree.cut = true;
              return;
            }
            const style = getComputedStyle(item);
            if (style.display === "none" || style.opacity === "0") return;
            const isShown = style.visibility === "visible" && style.display !== "contents";
            const own = isShown ? add(item, style, item.getBoundingClientRect(), parent) : parent;
            const given = item.localName === "slot" ? item.assignedElements() : [];
            const inner = given.length > 0 ? given : (item.shadowRoot ?? item).children;
            for (const child of inner) walk(child, own);
          };
          walk(document.documentElement, null);
        """
}
