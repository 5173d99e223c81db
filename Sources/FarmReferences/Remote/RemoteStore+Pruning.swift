// Prune of a remote: a mirror with everything it has is pruned as any store, and the remote's
// references follow. The host frees the bytes when it collects garbage.
//
// Invariants
//   - The remote gives up references only after the plan was made with all that it has, and was
//     carried out here; a prune that dies between the two is repeated from the start.
//   - Additions (tombstones, sets that a merge made) arrive before anything is removed.
//   - The remote's journal is replaced only where it still is what was brought here.
import FarmCore
import FarmGit
import Foundation

/// What a remote had when it was mirrored.
package struct RemoteMirror: Sendable {
    fileprivate let layout: RemoteLayout
    /// By the remote's names.
    fileprivate let references: [String: ObjectID]

    fileprivate var journal: ObjectID? { references[Journal.reference] }
}

/// What the remote did after a prune.
package struct RemotePruned: Hashable, Sendable, Codable {
    /// References made and removed.
    package var made = 0
    package var removed = 0
    /// Somebody wrote the journal meanwhile, or may not replace it; the next prune shortens it.
    package var journalStays = false
}

extension RemoteStore {
    /// References of one push, so that its command line stays short.
    private static let specsMax = 200

    /// Refspecs as many pushes take them.
    static func parts(of specs: [String]) -> [[String]] {
        stride(from: 0, to: specs.count, by: specsMax).map {
            Array(specs[$0..<min($0 + specsMax, specs.count)])
        }
    }

    /// Makes the clone a mirror: all sets, tombstones and the journal of the remote with everything
    /// they hold, and no set that the remote does not have.
    ///
    /// Not for a clone that others record into: what was never pushed is no longer visible in it.
    ///
    /// - Throws: `RemoteError`, also where the remote lacks part of what it names.
    package func mirror() throws -> RemoteMirror {
        try GitProgram.check(access)
        let lock = try StoreLock(sharing: clone.path)
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
        // What the remote gave up since the last time.
        let present = Set(references.keys.compactMap { layout.local($0) })
        let gone = try repository.allReferences().map(\.name)
            .filter { StoreContents.isSetOrTombstone($0) && !present.contains($0) }
        try repository.change(gone.map { ReferenceEdit(name: $0, object: nil) })
        return mirror
    }

    /// Brings the remote's note of pruned sets into the clone, so that a pin of one of them can be
    /// explained.
    package func fetchPrunedNote() throws {
        let references = try access.retrying { try git.references() }
        let note = StoreContents.noteReference
        guard let name = try RemoteLayout.of(references, remote: "\(location)")?.remote(note),
            references[name] != nil
        else { return }
        _ = try git.fetch(["+\(name):\(note)"], filter: .none, doing: "fetching the note")
    }

    /// Makes the remote's references those of the clone, of which `plan` was carried out.
    ///
    /// - Throws: `RemoteStoreError.refused` where the remote refuses to give up a set.
    package func push(pruned plan: PrunePlan, since mirror: RemoteMirror) throws -> RemotePruned {
        let repository = try clone.openRepository()
        var result = RemotePruned()
        var made: [String] = []
        var removed: [String] = []
        for edit in plan.referenceEdits {
            let name = mirror.layout.remote(edit.name)
            // Of a set that was never pushed the remote knows nothing, and needs no tombstone.
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
        result.journalStays = try git.push([spec], options: [lease]).refusal != nil
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
    /// The store's name of a remote's reference; nil for what a prune does not touch.
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

    /// The remote's name of a store's reference.
    fileprivate func remote(_ name: String) -> String {
        guard self == .tags, name.hasPrefix("refs/snapfarm/") else { return name }
        let rest = name.dropFirst("refs/snapfarm/".count)
        return "\(family)/" + (rest.hasPrefix("sets/") ? rest.dropFirst("sets/".count) : rest)
    }
}
