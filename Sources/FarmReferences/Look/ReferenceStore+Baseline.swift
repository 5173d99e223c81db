// The history of one reference picture. The journal shows the sets of all branches in the order in
// which they were recorded; the history of a picture goes from each set to the set that it was
// based on. Folders with equal ids are equal and are read once: among hundreds of sets, few change
// one suite.
import FarmCore
import FarmGit

extension ReferenceStore {
    /// Returns a picture's reference in a pin, and the picture's history.
    ///
    /// `rules` name the pictures that may stand in for one that the pin lacks. The history has at
    /// most `limit` events.
    ///
    /// - Throws: `GitError.objectMissing` if the store lacks the picture's folder.
    package func baseline(
        of id: SnapshotID,
        in pin: ReferencePin,
        rules: SuccessionRules = SuccessionRules(cells: []),
        limit: Int = logEntriesMax
    ) throws -> Baseline {
        let repository = try openRepository()
        var baseline = Baseline(id: id, set: pin.setID, reference: nil)
        var shown = id
        baseline.reference = try repository.picture(id, in: pin)
        if baseline.reference == nil {
            for older in rules.predecessors(of: id) {
                guard let object = try repository.picture(older, in: pin) else { continue }
                baseline.predecessor = older
                baseline.reference = object
                shown = older
                break
            }
        }
        // A clone that has no pictures yet lacks their records as well.
        if let record = try? suiteRecord(pin, cell: shown.cell, folder: shown.firstFolder) {
            baseline.test = record.test(of: shown)
            baseline.renderer = record.renderer
        }
        let journal = JournalIndex(try repository.log(limit: Self.logEntriesMax))
        var walk = PictureWalk(repository: repository, journal: journal, id: shown, limit: limit)
        try walk.go(from: pin)
        baseline.events = walk.events
        baseline.isCut = walk.isCut
        return baseline
    }
}
