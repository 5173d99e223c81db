// Initialising: a remote becomes a store by two references, first the journal's first page, then
// the format. The abilities of the Git host are tried, not guessed, because hosts differ and
// change.
import CFarmShims
import FarmCore
import FarmGit
import Foundation

/// The abilities of a remote, tried with a real push and fetch.
package struct RemoteAbilities: Hashable, Sendable, Codable {
    /// Whether references under `refs/snapfarm/` are allowed; if not, tags under `snapfarm/` are
    /// used.
    package var customReferences: Bool
    /// Whether references can be deleted, so that a prune can drop sets.
    package var deletes: Bool
    /// Whether any object can be fetched by its id.
    package var wantByObject: Bool
    /// Whether folders can be fetched without their pictures (`uploadpack.allowFilter`).
    package var filter: Bool

    /// A sentence for each missing ability, with its consequence.
    package var fallbacks: [String] {
        var lines: [String] = []
        if !customReferences {
            lines.append(
                "The host takes no references of its own kind: sets are "
                    + "tags, snapfarm/…."
            )
        }
        if !deletes {
            lines.append("The host deletes no references: prune cannot drop sets there.")
        }
        if !wantByObject {
            lines.append("The host gives no object by its id: whole sets are fetched.")
        }
        if !filter {
            lines.append(
                "The host knows no filters (uploadpack.allowFilter): "
                    + "changed suites are fetched whole."
            )
        }
        return lines
    }
}

/// The result of `initialise`.
package struct RemoteStart: Hashable, Sendable, Codable {
    /// Whether the remote became a store now; `false` if it was one already.
    package var isNew: Bool
    package var abilities: RemoteAbilities
}

extension RemoteStore {
    /// Makes an empty remote a store, or recognises one, and tries its abilities.
    ///
    /// If the location is a local folder that does not exist, creates the repository too. `nonce`
    /// is a few letters and digits that distinguish concurrent probes.
    ///
    /// - Throws: `RemoteError`, or `RemoteStoreError` if the repository contains something else.
    package func initialise(nonce: String) throws -> RemoteStart {
        try GitProgram.check(access)
        var isNew = false
        if let path = location.localPath, !FileManager.default.fileExists(atPath: path) {
            _ = try ReferenceStore.create(at: path)
            isNew = true
        }
        let lock = try remoteLock()
        defer { withExtendedLifetime(lock) {} }
        let repository = try clone.openRepository()
        let journal = try ReferenceStore.emptyJournal(in: repository)
        let references = try access.retrying { try git.references() }
        let layout = try RemoteLayout.of(references, remote: "\(location)")
        if layout == nil { try refuseForeign(references, journal: journal) }
        let (abilities, usable) = try tryAbilities(
            layouts: layout.map { [$0] } ?? RemoteLayout.allCases,
            nonce: nonce
        )
        guard layout == nil else { return RemoteStart(isNew: isNew, abilities: abilities) }
        let format = try repository.write(blob: Data(ReferenceStore.format.utf8))
        // The format comes last, because it makes the remote a store.
        try change(Journal.reference, to: journal)
        try change(usable.format, to: format)
        return RemoteStart(isNew: true, abilities: abilities)
    }

    /// Tries the abilities of a remote that is a store already.
    package func probe(nonce: String) throws -> RemoteAbilities {
        try GitProgram.check(access)
        let layout = try layout(of: try access.retrying { try git.references() })
        return try tryAbilities(layouts: [layout], nonce: nonce).abilities
    }

    private func refuseForeign(_ references: [String: ObjectID], journal: ObjectID) throws {
        let foreign = references.filter { name, object in
            name.hasPrefix("refs/") && (name, object) != (Journal.reference, journal)
                && !RemoteLayout.allCases.contains { name.hasPrefix($0.probe) }
        }
        guard let name = foreign.keys.min() else { return }
        throw RemoteStoreError.usedOtherwise(remote: "\(location)", reference: name)
    }

    // MARK: probing

    private func tryAbilities(
        layouts: [RemoteLayout],
        nonce: String
    ) throws -> (abilities: RemoteAbilities, layout: RemoteLayout) {
        let scratch = try ScratchRepository(naming: location)
        let git = GitProgram(access: access, location: location, folder: scratch.path)
        let repository = try GitRepository(opening: scratch.path)
        let blob = try repository.write(blob: Data("probe \(nonce)\n".utf8))
        let folder = TreeFolder(children: ["probe": .file(blob)])
        let tree = try repository.write(folder, what: "probe")
        let commit = try repository.commit(
            tree: tree,
            parents: [],
            message: "probe \(nonce)\n",
            seconds: 0
        )
        var reason = ""
        for layout in layouts {
            let name = layout.probe + nonce
            let pushed = try access.retrying { try git.push(["+\(commit):\(name)"]) }
            if let refusal = pushed.refusal {
                reason = refusal
                continue
            }
            var abilities = RemoteAbilities(
                customReferences: layout == .custom,
                deletes: false,
                wantByObject: false,
                filter: false
            )
            try tryFetch(of: tree, without: blob, name: name, into: &abilities)
            abilities.deletes = try git.push([":\(name)"]).refusal == nil
            return (abilities, layout)
        }
        throw RemoteStoreError.refused(
            remote: "\(location)",
            reference: layouts.map { "\($0.probe)\(nonce)" }.joined(separator: ", "),
            reason: reason
        )
    }

    private func tryFetch(
        of tree: ObjectID,
        without blob: ObjectID,
        name: String,
        into abilities: inout RemoteAbilities
    ) throws {
        let scratch = try ScratchRepository(naming: location)
        let git = GitProgram(access: access, location: location, folder: scratch.path)
        let answer = try access.retrying {
            try git.fetch([tree.hex], filter: .noBlobs, doing: "fetching")
        }
        switch answer {
        case .done(let ignoredFilter):
            abilities.wantByObject = true
            abilities.filter = !ignoredFilter
        case .refused:
            let named = try access.retrying {
                try git.fetch([name], filter: .noBlobs, doing: "fetching")
            }
            if case .done(ignoredFilter: false) = named { abilities.filter = true }
        }
        if try GitRepository(opening: scratch.path).holds(blob) { abilities.filter = false }
    }
}

/// A store in the temporary folder that names the remote; it is removed with this value.
final class ScratchRepository {
    var path: String { folder + "/store.git" }
    private let folder: String
    /// The descriptor of the lock that is held while the folder is used; negative if there is none.
    ///
    /// The next start of a run removes a folder whose process was killed.
    private let owner: Int32

    init(naming location: StoreLocation) throws {
        let parent = FileManager.default.temporaryDirectory.path
        var template = Array("\(parent)/snapfarm-remote-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw GitError.system(
                doing: "make a folder in \(parent)",
                reason: String(cString: strerror(errno))
            )
        }
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        owner = farm_own_folder(folder)
        _ = try ReferenceStore.create(at: path)
        try GitRepository(opening: path).configure([
            ("remote.\(GitProgram.remote).url", location.url)
        ])
    }

    /// Removes the folder; runs also if `init` throws after it created the folder.
    deinit {
        // Removes the owner's mark last: without it, a removal that was cut off could not be
        // finished.
        try? FileManager.default.removeItem(atPath: path)
        try? FileManager.default.removeItem(atPath: folder)
        if owner >= 0 { farm_leave_folder(owner) }
    }
}
