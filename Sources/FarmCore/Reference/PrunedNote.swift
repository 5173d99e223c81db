// What a store remembers of sets that are gone, so that an old pin gets an answer. The blob at
// `refs/snapfarm/pruned`, newest first:
//
//     <set> <recorded, seconds since 1970> <dropped, yyyymmdd> <nearest kept set or -> <policy>
//
// Invariants
//   - At most `linesMax` lines; the oldest are forgotten.
//   - The nearest kept set is one that was kept by every prune so far.
import Foundation

/// What is known about a set that was pruned.
package struct PrunedFact: Hashable, Sendable, Codable {
    package var set: ObjectID
    /// Seconds since 1970.
    package var recorded: Int
    package var dropped: PruneDay
    /// The kept set nearest in time; nil where none was kept.
    package var nearest: ObjectID?
    /// `PrunePolicy.text` of the prune that dropped it.
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

/// All that a store remembers of pruned sets.
package struct PrunedNote: Hashable, Sendable {
    /// Sets remembered: ten a day for over five years.
    package static let linesMax = 20_000
    /// Bytes of the blob: `linesMax` lines of 300 bytes.
    package static let bytesMax = linesMax * 300
    private static let policyCharactersMax = 160

    /// Newest first.
    package private(set) var facts: [PrunedFact] = []

    package init() {}

    /// Reads the blob; a line that cannot be read is passed over: it only costs an explanation.
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

    /// Remembers sets that go now, and forgets those that are `present` (again).
    package mutating func add(_ new: [PrunedFact], present: Set<ObjectID>) {
        let replaced = Dictionary(new.map { ($0.set, $0) }, uniquingKeysWith: { first, _ in first })
        var all = new.map { fact in
            var fact = fact
            let line = fact.policy.filter { !$0.isNewline }
            fact.policy = String(line.prefix(Self.policyCharactersMax))
            return fact
        }
        for var fact in facts where replaced[fact.set] == nil {
            // What was nearest goes now: its own nearest is the answer.
            if let nearest = fact.nearest, let gone = replaced[nearest] {
                fact.nearest = gone.nearest
            }
            all.append(fact)
        }
        facts = Array(all.filter { !present.contains($0.set) }.prefix(Self.linesMax))
    }
}
