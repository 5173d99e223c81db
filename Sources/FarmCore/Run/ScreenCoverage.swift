// The coverage of an app's screens by pictures. A pipeline may list the screens that should have
// pictures; reports name those without.

/// The number of listed screens, and the screens among them that have no picture.
package struct ScreenCoverage: Hashable, Sendable, Codable {
    /// The most screens that one sentence names.
    private static let namedMax = 20

    package var wanted: Int
    /// The listed screens without pictures, in the order of the list.
    package var without: [String]

    /// Finds the listed screens that have no picture in a run.
    ///
    /// A screen is named by its title (`Cart/testEmpty`) or by `<suite>/<name>`. A picture on one
    /// cell is enough.
    package init(of screens: [String], in summary: RunSummary) {
        let titles = RunTitles(summary)
        var shown: Set<String> = []
        for picture in summary.snapshots where picture.verdict != .missing {
            shown.insert(titles.title(of: picture))
            shown.insert("\(picture.suite)/\(picture.name)")
        }
        wanted = screens.count
        without = screens.filter { !shown.contains($0) }
    }

    package var covered: Int { wanted - without.count }

    /// The coverage in words: `10 of 100 screens have pictures; without: Cart/testEmpty, … and 70
    /// more`.
    package var words: String {
        let all = wanted == 1 ? "1 screen" : "\(wanted) screens"
        let verb = covered == 1 ? "has a picture" : "have pictures"
        guard !without.isEmpty else { return "\(covered) of \(all) \(verb)" }
        let named = without.prefix(Self.namedMax).joined(separator: ", ")
        let rest = without.count - min(without.count, Self.namedMax)
        return "\(covered) of \(all) \(verb); without: \(named)"
            + (rest > 0 ? " and \(rest) more" : "")
    }
}
