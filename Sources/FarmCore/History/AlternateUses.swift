// The uses of alternates in earlier runs, folded run by run: from the ledger, from a folder of
// summaries, or kept in the history's file. An alternate that its picture has not matched for many
// runs can go.

/// The uses of one alternate.
package struct AlternateUse: Hashable, Sendable, Codable {
    /// The number of runs in which the picture passed because of the alternate.
    package var uses: Int
    /// The number of runs since the last of these, or since the alternate was first known, in which
    /// the picture passed without it.
    package var idle: Int

    package init(uses: Int = 0, idle: Int = 0) {
        self.uses = uses
        self.idle = idle
    }
}

/// The uses of the alternates of all pictures.
package struct AlternateUses: Hashable, Sendable {
    package private(set) var pictures: [SnapshotID: [ObjectID: AlternateUse]]

    package init(_ pictures: [SnapshotID: [ObjectID: AlternateUse]] = [:]) {
        self.pictures = pictures
    }

    package subscript(id: SnapshotID, alternate: ObjectID) -> AlternateUse? {
        pictures[id]?[alternate]
    }

    /// Adds the next run; runs must come in the order of time.
    ///
    /// Counts the pictures that passed. A run that did not know an alternate says nothing about it,
    /// and one that is known no more is forgotten.
    package mutating func add(_ summary: RunSummary) {
        guard summary.run.mode == .verify else { return }
        for snapshot in summary.snapshots where snapshot.verdict == .passed {
            let known = (snapshot.alternates ?? []).compactMap { ObjectID($0) }
            guard let id = SnapshotID(exactly: snapshot.id), !known.isEmpty || pictures[id] != nil
            else { continue }
            let matched = snapshot.alternate.flatMap { ObjectID($0) }
            var uses: [ObjectID: AlternateUse] = [:]
            for alternate in known.prefix(FarmLimits.alternatesPerPictureMax) {
                let old = pictures[id]?[alternate] ?? AlternateUse()
                uses[alternate] =
                    alternate == matched
                    ? AlternateUse(uses: old.uses + 1, idle: 0)
                    : AlternateUse(uses: old.uses, idle: old.idle + 1)
            }
            pictures[id] = uses.isEmpty ? nil : uses
        }
        shrink()
    }

    /// The most bytes that the uses take in the history's file.
    var bytes: Int {
        pictures.reduce(0) { $0 + 2 * $1.key.text.utf8.count + 120 * $1.value.count + 16 }
    }

    /// Drops the pictures at the end of their order that are over the limit.
    private mutating func shrink() {
        guard pictures.count > FarmLimits.historyAlternatesMax else { return }
        for id in pictures.keys.sorted().dropFirst(FarmLimits.historyAlternatesMax) {
            pictures[id] = nil
        }
    }
}
