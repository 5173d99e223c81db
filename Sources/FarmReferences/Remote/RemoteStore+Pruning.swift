// Pruning a remote: the clone becomes a mirror of the remote and is pruned as any store, then the
// remote's references follow. The Git host frees the bytes when it collects garbage.
//
// Invariants
//   - References of the remote are removed only after the plan was made with all of its sets and
//     was carried out in the clone. A prune that dies in between is repeated from the start.
//   - Additions (tombstones, sets that a merge made) arrive before anything is removed.
//   - The remote's journal is replaced only if it has not changed since it was mirrored.
import FarmCore
import FarmGit
import Foundation

/// The references of a remote when it was mirrored.
package struct RemoteMirror: Sendable {
    fileprivate let layout: RemoteLayout
    /// The objects of the references, by the references' names at the remote.
    fileprivate let references: [String: ObjectID]

    fileprivate var journal: ObjectID? { references[Journal.reference] }
}

/// The result of a prune at the remote.
package struct RemotePruned: Hashable, Sendable, Codable {
    /// The number of references that were created at the remote.
    package var made = 0
    package var removed = 0
    /// Whether the journal was not replaced: another process wrote it meanwhile, or the remote
    /// refused.
    ///
    /// The next prune shortens it.
    package var journalNotReplaced = false
}

extension RemoteStore {
    /// The largest number of references in one push, so that its command line stays short.
    private static let specsMax = 200

    /// Splits refspecs into parts for several pushes.
    static func parts(of specs: [String]) -> [[String]] {
        stride(from: 0, to: specs.count, by: specsMax).map {
            Array(specs[$0..<min($0 + specsMax, specs.count)])
        }
    }

    /// Makes the clone a mirror of the remote: it gets all sets, tombstones and the journal with
    /// all their objects, and loses the sets that the remote does not have.
    ///
    /// Not for a clone that other processes record into: sets that were never pushed lose their
    /// references.
    ///
    /// - Throws: `RemoteError`, or `RemoteStoreError` if the remote lacks objects of a reference.
    package func mirror() throws -> RemoteMirror {
        try GitProgram.check(access)
        let lock = try StoreLock(shared: clone.path)
        defer { withExtendedLifetime(lock) {} }
        let repository = try clone.openRepository()
        let references = try access.retrying { try git.references() }
        guard let layout = try RemoteLayout.of(references, remote: "\(location)") else {
            throw RemoteStoreError.notAStore(remote: "\(location)", fact: "it has no format marker")
        }
        let mirror = RemoteMirror(layout: layout, references: references)
        let specs = references.keys.sorted().compactMap { name in
            layout.local(name).map { "+\(name):\($0)" }
        }
        let answer = try access.retrying {
            try git.fetch(specs, filter: .none, negotiating: true, doing: "fetching all sets")
        }
        if case .refused(let object, _) = answer {
            throw RemoteStoreError.incomplete(what: "a set", object: object, remote: "\(location)")
        }
        // References that the remote has dropped since the last mirroring.
        let present = Set(references.keys.compactMap { layout.local($0) })
        let gone = try repository.allReferences().map(\.name)
            .filter { StoreContents.isSetOrTombstone($0) && !present.contains($0) }
        try repository.change(gone.map { ReferenceEdit(name: $0, object: nil) })
        return mirror
    }

    /// Fetches the remote's note of pruned sets into the clone, so that messages can explain a pin
    /// of such a set.
    package func fetchPrunedNote() throws {
        let references = try access.retrying { try git.references() }
        let note = StoreContents.noteReference
        guard let name = try RemoteLayout.of(references, remote: "\(location)")?.remote(note),
            references[name] != nil
        else { return }
        _ = try git.fetch(["+\(name):\(note)"], filter: .none, doing: "fetching the note")
    }

    /// Gives the remote the references of the clone, in which `plan` was carried out.
    ///
    /// - Throws: `RemoteStoreError.refused` if the remote refuses a change.
    package func push(pruned plan: PrunePlan, since mirror: RemoteMirror) throws -> RemotePruned {
        let repository = try clone.openRepository()
        var result = RemotePruned()
        var made: [String] = []
        var removed: [String] = []
        for edit in plan.referenceEdits {
            let name = mirror.layout.remote(edit.name)
            // The remote needs no tombstone for a set that was never pushed to it.
            if let object = edit.object {
                guard mirror.references.values.contains(object) || plan.published.contains(object)
                else { continue }
                made.append("\(edit.name):\(name)")
            } else if mirror.references[name] != nil {
                removed.append(":\(name)")
            }
        }
        let note = StoreContents.noteReference
        if try repository.target(of: note) != nil {
            made.append("+\(note):\(mirror.layout.remote(note))")
        }
        try send(made)
        try send(removed)
        (result.made, result.removed) = (made.count, removed.count)
        guard let old = mirror.journal, try repository.target(of: Journal.reference) != old else {
            return result
        }
        let spec = "+\(Journal.reference):\(Journal.reference)"
        let lease = "--force-with-lease=\(Journal.reference):\(old)"
        result.journalNotReplaced = try git.push([spec], options: [lease]).refusal != nil
        return result
    }

    private func send(_ specs: [String]) throws {
        for part in Self.parts(of: specs) {
            let pushed = try access.retrying { try git.push(part, options: ["--atomic"]) }
            guard let reason = pushed.refusal else { continue }
            throw RemoteStoreError.refused(
                remote: "\(location)",
                reference: part.count == 1 ? part[0] : "one of \(part.count) references",
                reason: reason
            )
        }
    }
}

extension RemoteLayout {
    /// Returns the store's name for a remote's reference, or `nil` if a prune does not touch it.
    fileprivate func local(_ name: String) -> String? {
        if name == Journal.reference { return name }
        switch self {
        case .custom:
            let kept = ["sets/", "trash/", "keep/", "pruned"].map { "\(family)/\($0)" }
            return kept.contains { name.hasPrefix($0) } ? name : nil
        case .tags:
            guard name.hasPrefix("\(family)/") else { return nil }
            let rest = name.dropFirst(family.count + 1)
            if ObjectID(String(rest)) != nil { return "refs/snapfarm/sets/\(rest)" }
            let isKept = rest == "pruned" || rest.hasPrefix("trash/") || rest.hasPrefix("keep/")
            return isKept ? "refs/snapfarm/\(rest)" : nil
        }
    }

    /// Returns the remote's name for a store's reference.
    fileprivate func remote(_ name: String) -> String {
        guard self == .tags, name.hasPrefix("refs/snapfarm/") else { return name }
        let rest = name.dropFirst("refs/snapfarm/".count)
        return "\(family)/" + (rest.hasPrefix("sets/") ? rest.dropFirst("sets/".count) : rest)
    }
}
