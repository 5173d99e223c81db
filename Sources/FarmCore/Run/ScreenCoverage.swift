// How much of an app its pictures show. A pipeline may say which screens should have pictures; what
// has none is told wherever the pictures are.

/// Of the screens that should have pictures, those that have none.
package struct ScreenCoverage: Hashable, Sendable, Codable {
    /// Screens that one sentence names.
    private static let namedMax = 20

    package var wanted: Int
    /// In the order of the list.
    package var without: [String]

    /// Looks for the screens among a run's pictures.
    ///
    /// A screen is called as on every page (`Cart/testEmpty`), or `<suite>/<name>` as its files
    /// are. It has a picture where one cell has one.
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

    /// `10 of 100 screens have pictures; without: Cart/testEmpty, … and 70 more`.
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
