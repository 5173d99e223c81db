// A run whose pictures share made-up causes.
import FarmCore

package enum CausedRun {
    /// Returns the run with as many causes as `names` needs, and their ids.
    ///
    /// `names` has the numbers of the causes that each picture shows, by the picture's name.
    package static func summary(
        of run: RunSummary,
        _ names: [String: [Int]]
    ) -> (summary: RunSummary, ids: [String]) {
        var summary = run
        let count = (names.values.flatMap(\.self).max() ?? -1) + 1
        let causes = (0..<count).map { number in
            let own = summary.snapshots.filter { names[$0.name]?.contains(number) ?? false }
            return CauseSummary(
                words: "recoloured #00000\(number) → #b7410e",
                cells: "2 cells: light/dark",
                screens: Set(own.map(\.name)).count,
                shown: own.prefix(1).map(\.id),
                of: own
            )
        }
        for place in summary.snapshots.indices {
            let own = names[summary.snapshots[place].name]
            summary.snapshots[place].causes = own.map { $0.map { causes[$0].id } }
        }
        summary.causes = causes
        return (summary, causes.map(\.id))
    }
}
