// The acceptances of the differences between two sides, from the journal of the right side's store,
// and from the decisions in the data folder of this machine.
import FarmCore
import FarmLedger
import FarmReferences
import Foundation

extension ComparedSide {
    /// Returns the acceptance of each picture that differs from `left`, by path; empty if this side
    /// is no reference set.
    func acceptances(since left: ComparedSide) throws -> [PathBytes: Acceptance] {
        guard let references else { return [:] }
        let all = Set(paths ?? []).union(left.paths ?? [])
        let differing = all.filter { path in
            identities[path].map { $0 != left.identities[path] } ?? true
        }
        let ids = differing.compactMap { path in
            SnapshotID(exactly: String(path.text.dropLast(4))).map { ($0, path) }
        }
        // The journal of a store on a host may have entries of other machines.
        if references.place.isRemote { _ = try references.place.remote()?.fetchJournal() }
        var found = try references.store.acceptances(
            of: ids.map(\.0),
            in: references.pin,
            since: left.references?.pin ?? ReferencePin()
        )
        let decisions = try Self.decisions(references.place)
        for (id, path) in ids where found[id]?.isAccepted == false {
            found[id] = try decision(on: id, at: path, since: left, decisions) ?? found[id]
        }
        let paths = Dictionary(ids.map { ($0.0, $0.1) }) { first, _ in first }
        return Dictionary(
            found.compactMap { id, acceptance in paths[id].map { ($0, acceptance) } }
        ) { first, _ in first }
    }

    /// Returns the standing decisions of the data folder beside the pipeline file, by picture; none
    /// if this machine has none.
    private static func decisions(_ place: ReferencePlace) throws -> [SnapshotID: [Decision]] {
        guard let pipeline = place.pipeline?.name else { return [:] }
        let file = place.folder + "/.snapfarm/ledger.sqlite"
        let all = try SQLiteLedger.decisions(of: pipeline, inFileAt: file).decisions
        return Dictionary(grouping: DecisionBook(all).standing.values, by: \.snapshot)
    }

    /// Returns the newest decision that accepted a picture as it is on this side.
    private func decision(
        on id: SnapshotID,
        at path: PathBytes,
        since left: ComparedSide,
        _ decisions: [SnapshotID: [Decision]]
    ) throws -> Acceptance? {
        guard let own = decisions[id], case .kept(let read) = source else { return nil }
        let capture = identities[path] == nil ? nil : Digest(of: try read(path))
        let reference = left.identities[path]
        let newest = own.sorted { $0.when > $1.when }.lazy.filter { decision in
            decision.capture == capture && (capture != nil || decision.reference?.hex == reference)
        }
        return newest.compactMap { Acceptance($0) }.first
    }
}
