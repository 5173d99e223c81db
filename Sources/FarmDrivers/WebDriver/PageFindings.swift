// The findings of axe-core on a page, as a list of lines. The script is that of the user's own
// package; snapfarm fetches none.
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
          if (!window.axe) { (0, eval)(\(JSONValue.literal(axe))); }
          const found = await window.axe.run(document, {resultTypes: ["violations"]});
          return {findings: found.violations.flatMap((rule) => rule.nodes.map((node) => ({
            rule: rule.id, impact: node.impact ?? rule.impact ?? "", help: rule.help,
            element: node.target.flat().join(" ") }))).slice(0, \(findingsMax))};
        })()
        """
    }

    /// Returns one line for each finding, in alphabetical order.
    func text() -> String {
        let lines = findings.map { finding in
            "- \(finding.rule) (\(finding.impact)): \(finding.element): \(finding.help)"
                .replacing("\n", with: " ")
        }
        return Set(lines).sorted().map { $0 + "\n" }.joined()
    }
}
