// The findings of axe-core on a page, as a list of lines, and the boxes of their elements. The script
// is that of the user's own package; snapfarm fetches none.
import FarmCore
import Foundation

/// A finding of axe-core on a page.
struct AxeReport: Decodable, Sendable {
    struct Finding: Decodable, Sendable {
        var rule: String
        var impact: String
        var help: String
        /// The CSS selector of the element.
        var element: String
        /// The box of what is shown of the element, or `nil` if nothing is.
        var box: PageReport.Box?
    }

    var findings: [Finding]

    /// The most findings of a page.
    private static let findingsMax = 500

    /// Returns the text of axe-core's own script, or `nil` if the settings name none.
    static func script(of settings: WebDriverSettings, workTree: String) throws -> String? {
        guard let axe = settings.axe else { return nil }
        let path = workTree + "/" + axe
        guard let file = FileHandle(forReadingAtPath: path),
            let data = try? file.read(upToCount: FarmLimits.axeBytesMax + 1),
            data.count <= FarmLimits.axeBytesMax
        else { throw WebDriverError.axeUnreadable(path: axe) }
        return String(decoding: data, as: UTF8.self)
    }

    /// Returns the script that runs axe-core on the page; `axe` is the package's own script.
    static func question(_ axe: String) -> String {
        """
        (async () => {
          const script = \(JSONValue.literal(axe));
          // axe-core asks its own copies in the frames; those of another origin cannot get one.
          const load = (page) => {
            if (!page.axe) { page.eval(script); }
            if (typeof page.axe?.run !== "function") { throw new Error("it is no axe-core"); }
            for (const {contentWindow: inner} of page.document.querySelectorAll("iframe, frame")) {
              try { if (inner.document.body) load(inner); } catch { continue; }
            }
          };
          load(window);
          const found = await window.axe.run(document,
            {resultTypes: ["violations"], elementRef: true});
          const box = (item) => {
            if (!item?.checkVisibility({visibilityProperty: true})) return null;
            let {left, top, right, bottom} = item.getBoundingClientRect();
            const isCut = (outer) => outer && outer !== document.body;
            for (let outer = item.parentElement; isCut(outer); outer = outer.parentElement) {
              if (getComputedStyle(outer).overflow === "visible") continue;
              const shown = outer.getBoundingClientRect();
              [left, top] = [Math.max(left, shown.left), Math.max(top, shown.top)];
              [right, bottom] = [Math.min(right, shown.right), Math.min(bottom, shown.bottom)];
            }
            return right <= left || bottom <= top ? null : {x: left + scrollX, y: top + scrollY,
              width: right - left, height: bottom - top, isBeyond: false};
          };
          return {findings: found.violations.flatMap((rule) => rule.nodes.map((node) => ({
            rule: rule.id, impact: node.impact ?? rule.impact ?? "", help: rule.help,
            element: node.target.flat().join(" "), box: box(node.element)
          }))).slice(0, \(findingsMax))};
        })()
        """
    }

    /// Returns one line for each finding, in alphabetical order.
    func text() -> String {
        Set(findings.map(\.line)).sorted().map { $0 + "\n" }.joined()
    }

    /// Returns the boxes of the elements that each line names.
    func boxes() -> [String: [PageReport.Box]] {
        Dictionary(grouping: findings, by: \.line).mapValues { $0.compactMap(\.box) }
    }
}

extension AxeReport.Finding {
    fileprivate var line: String {
        "- \(rule) (\(impact)): \(element): \(help)".replacing("\n", with: " ")
    }
}
