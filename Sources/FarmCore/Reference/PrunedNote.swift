// The note about removed sets, so that a command can explain an old pin. It is the blob at
// `refs/snapfarm/pruned`, newest first:
//
//     <set> <recorded, seconds since 1970> <dropped, yyyymmdd> <nearest kept set or -> <policy>
//
// Invariants
//   - At most `linesMax` lines; the oldest are dropped.
//   - The nearest kept set is one that every prune so far has kept.
import Foundation

/// The facts about a set that a prune removed.
package struct PrunedFact: Hashable, Sendable, Codable {
    package var set: ObjectID
    /// The time when the set was recorded, in seconds since 1970.
    package var recorded: Int
    package var dropped: PruneDay
    /// The kept set that is nearest in time to the pruned one, or `nil` if none was kept.
    package var nearest: ObjectID?
    /// The policy of the prune that removed the set, as `PrunePolicy.text`.
    package var policy: String

    package init(
        set: ObjectID,
        recorded: Int,
        dropped: PruneDay,
        nearest: ObjectID?,
        policy: String
    ) {
        self.set = set
        self.recorded = recorded
        self.dropped = dropped
        self.nearest = nearest
        self.policy = policy
    }
}

/// The note of a store about its pruned sets.
package struct PrunedNote: Hashable, Sendable {
    /// The most sets in a note: ten a day for over five years.
    package static let linesMax = 20_000
    /// The most bytes of a note: `linesMax` lines of 300 bytes.
    package static let bytesMax = linesMax * 300
    private static let policyCharactersMax = 160

    /// The facts about the pruned sets, newest first.
    package private(set) var facts: [PrunedFact] = []

    package init() {}

    /// Parses a note; an unreadable line is skipped, because its loss only costs an explanation.
    package init(parsing bytes: Data) {
        for line in bytes.prefix(Self.bytesMax).split(separator: UInt8(ascii: "\n")) {
            guard facts.count < Self.linesMax, let text = String(bytes: line, encoding: .utf8)
            else { continue }
            let words = text.split(separator: " ", maxSplits: 4).map(String.init)
            guard words.count == 5, let set = ObjectID(words[0]), let recorded = Int(words[1]),
                let dropped = PruneDay(words[2])
            else { continue }
            facts.append(
                PrunedFact(
                    set: set,
                    recorded: recorded,
                    dropped: dropped,
                    nearest: ObjectID(words[3]),
                    policy: words[4]
                )
            )
        }
    }

    package var text: String {
        facts.map { fact in
            "\(fact.set) \(fact.recorded) \(fact.dropped) \(fact.nearest?.hex ?? "-") "
                + "\(fact.policy)\n"
        }.joined()
    }

    package func fact(of set: ObjectID) -> PrunedFact? { facts.first { $0.set == set } }

    /// Adds sets that a prune removes now, and drops those that the store has (again): `present`.
    package mutating func add(_ new: [PrunedFact], present: Set<ObjectID>) {
        let replaced = Dictionary(new.map { ($0.set, $0) }, uniquingKeysWith: { first, _ in first })
        var all = new.map { fact in
            var fact = fact
            let line = fact.policy.filter { !$0.isNewline }
            fact.policy = String(line.prefix(Self.policyCharactersMax))
            return fact
        }
        for var fact in facts where replaced[fact.set] == nil {
            // If the nearest set is removed now, the set nearest to that one takes its place.
            if let nearest = fact.nearest, let gone = replaced[nearest] {
                fact.nearest = gone.nearest
            }
            all.append(fact)
        }
        facts = Array(all.filter { !present.contains($0.set) }.prefix(Self.linesMax))
    }
}
