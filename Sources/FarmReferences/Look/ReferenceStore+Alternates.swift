// The alternates of a pin's references: which there are, who accepted each, and the next set without
// those that have no use.
import FarmCore
import FarmGit

/// One alternate of a reference.
package struct AlternateListing: Hashable, Sendable, Encodable {
    package var id: SnapshotID
    package var alternate: ObjectID
    /// The journal's entry of its acceptance, or `nil` if the journal does not have it.
    package var accepted: LogEntry?
    /// The uses in the runs of a history, or `nil` if the history does not know the alternate.
    package var use: AlternateUse?
    /// Whether captures are compared with it: a merge may give a reference more alternates than
    /// are allowed.
    package var isCompared: Bool

    /// The alternate as one line for a terminal.
    package var line: String {
        let who = accepted.map { entry in
            let reason = entry.reason.map { ": \($0)" } ?? ""
            return "accepted by \(entry.recorder ?? "an unknown person") "
                + "on \(entry.time.prefix(10))\(reason)"
        }
        let bounds = isCompared ? nil : "not compared: the picture has too many"
        return (["\(id) \(alternate.short)"] + [who, use?.words, bounds].compactMap(\.self))
            .joined(separator: " · ")
    }
}

extension AlternateUse {
    /// The uses in words; runs in which the picture did not pass do not count.
    fileprivate var words: String {
        let all = uses == 0 ? "not used in \(Self.runs(idle))" : "used in \(Self.runs(uses))"
        return uses == 0 || idle == 0 ? all : "\(all), not in the \(idle) since"
    }

    fileprivate static func runs(_ count: Int) -> String {
        count == 1 ? "1 run" : "\(count) runs"
    }
}

/// A plan to leave alternates without use out of the next set.
package struct AlternatesPlan: Sendable, Encodable {
    /// The alternates that go, sorted.
    package let unused: [AlternateListing]
    /// The number of runs without use after which an alternate goes.
    package let runs: Int
    /// The number of alternates in the pin.
    package let alternates: Int
    let pin: ReferencePin

    enum CodingKeys: String, CodingKey {
        case unused
        case runs
        case alternates
    }

    package var isEmpty: Bool { unused.isEmpty }

    /// The plan as text for people, with line ends.
    package var text: String {
        let lines = unused.map { "unused \($0.line)" }
        let all = alternates == 1 ? "1 alternate" : "\(alternates) alternates"
        let end = "\(unused.count) of \(all) unused for \(AlternateUse.runs(runs))"
        return (lines + [end]).joined(separator: "\n") + "\n"
    }
}

extension ReferenceStore {
    /// Returns all alternates of a pin, sorted, with their uses.
    package func alternates(
        of pin: ReferencePin,
        uses: AlternateUses = AlternateUses()
    ) throws -> [AlternateListing] {
        let repository = try openRepository()
        let several = try references(pin).filter { !$0.alternates.isEmpty }
        guard !several.isEmpty else { return [] }
        let journal = JournalIndex(try repository.log(limit: Self.logEntriesMax))
        return try several.flatMap { reference in
            try reference.alternates.enumerated().map { place, alternate in
                var walk = PictureWalk(
                    repository: repository,
                    journal: journal,
                    id: reference.id,
                    alternate: alternate,
                    limit: Self.logEntriesMax
                )
                try walk.go(from: pin)
                return AlternateListing(
                    id: reference.id,
                    alternate: alternate,
                    accepted: walk.events.first { $0.change == .added }?.entry,
                    use: uses[reference.id, alternate],
                    isCompared: place < FarmLimits.alternatesPerPictureMax
                )
            }
        }
    }

    /// Finds the alternates of a pin that were not used in the last `runs` runs in which their
    /// pictures passed.
    ///
    /// Writes nothing. An alternate that the history does not know stays.
    package func alternatesPlan(
        of pin: ReferencePin,
        uses: AlternateUses,
        runs: Int
    ) throws -> AlternatesPlan {
        try check(pin)
        let all = try alternates(of: pin, uses: uses)
        return AlternatesPlan(
            unused: all.filter { ($0.use?.idle ?? 0) >= runs },
            runs: runs,
            alternates: all.count,
            pin: pin
        )
    }

    /// Writes the next set, which lacks the alternates of a plan, and makes it visible.
    ///
    /// - Throws: `PruneError.planOutdated` if the work tree's pin is no longer that of the plan.
    package func removeAlternates(
        _ plan: AlternatesPlan,
        from pin: ReferencePin
    ) throws -> (pin: ReferencePin, set: ObjectID) {
        try rewrite(pin, planned: plan.pin) { repository, next in
            for (place, gone) in Dictionary(grouping: plan.unused, by: \.id.place) {
                guard let place, let subtree = pin[place] else { continue }
                var suite = try repository.suite(place, in: subtree)
                for one in gone { suite.alternates[one.id]?.removeAll { $0 == one.alternate } }
                next[place] = try repository.write(suite, at: place)
            }
        }
    }
}

extension SnapshotID {
    /// The pin's entry that has the picture, or `nil` if no pin can name it.
    fileprivate var place: SubtreePath? { SubtreePath(cell: cell, folder: firstFolder) }
}
