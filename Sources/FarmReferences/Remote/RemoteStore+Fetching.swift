// Fetching: first the pin's folders that the clone lacks, without pictures, then exactly the
// missing pictures in them. Git's own negotiation is not used: it compares ancestors, which sets do
// not have, and would send a whole set for one changed picture.
import FarmCore
import FarmGit
import Foundation

/// The result of a fetch.
package struct FetchResult: Hashable, Sendable, Codable {
    package enum Way: String, Sendable, Codable {
        /// Nothing was missing, and no request was made.
        case nothing
        /// The folders were fetched by id without pictures, then the missing pictures by id.
        case missingObjects
        /// The server supports no filters: folders were fetched by id with all their pictures.
        case wholeFolders
        /// The server sends no object by id: the whole set was fetched by its name.
        case wholeSet
    }

    package var objects = 0
    /// The size of the received packs in bytes, without the protocol around them.
    package var bytesReceived = 0
    package var way = Way.nothing
}

extension RemoteStore {
    /// The largest number of objects in one request; a connection that breaks costs at most this
    /// many pictures.
    private static let wantsMax = 5_000

    /// Fetches the objects of a pin that the clone lacks.
    ///
    /// `paths` limits the fetch to these subtrees.
    ///
    /// Afterwards the clone has every file below the subtrees. A whole pin becomes a set of the
    /// clone. A part of a pin gets no reference and may be pruned.
    ///
    /// - Throws: `RemoteStoreError.pinNotAtRemote` for a subtree that was pruned or never pushed.
    package func fetch(
        _ pin: ReferencePin,
        paths: Set<SubtreePath>? = nil
    ) throws -> FetchResult {
        let lock = try StoreLock(shared: clone.path)
        defer { withExtendedLifetime(lock) {} }
        let wanted = WantedPart(of: pin, paths: paths)
        let before = try Packs(of: clone.path)
        var way = FetchResult.Way.nothing
        try access.retrying { try fetchOnce(wanted, way: &way) }
        let repository = try clone.openRepository()
        if let (place, object) = try wanted.missingFiles(in: repository, max: 1).first {
            throw RemoteStoreError.incomplete(what: place, object: object, remote: "\(location)")
        }
        if paths == nil { try repository.publish(set: try repository.writeSet(of: pin)) }
        var result = try Packs(of: clone.path).gained(since: before)
        result.way = way
        return result
    }

    /// Fetches the folders of a set by the set's id alone, for the pin of a submodule.
    ///
    /// Makes no request if the clone has the set.
    ///
    /// - Throws: `RemoteStoreError.incomplete` for a set that was pruned or never pushed.
    package func fetchFolders(ofSet set: ObjectID) throws {
        let lock = try StoreLock(shared: clone.path)
        defer { withExtendedLifetime(lock) {} }
        guard !(try clone.openRepository().holds(set)) else { return }
        let answer = try access.retrying {
            try git.fetch([set.hex], filter: .noBlobs, doing: "fetching a set")
        }
        guard case .refused = answer else { return }
        throw RemoteStoreError.incomplete(what: "the set", object: set, remote: "\(location)")
    }

    /// Fetches the journal's commits and folders, without pictures; returns its newest commit.
    ///
    /// The clone's own journal is replaced by the remote's.
    package func fetchJournal() throws -> ObjectID? {
        let spec = "+\(Journal.reference):\(Journal.reference)"
        do {
            _ = try access.retrying {
                try git.fetch(
                    [spec],
                    filter: .noBlobs,
                    negotiating: true,
                    doing: "fetching the journal"
                )
            }
        } catch let error as RemoteError {
            // If the remote is not a store, throws that error instead: it says more.
            if let references = try? git.references() { _ = try layout(of: references) }
            throw error
        }
        return try clone.openRepository().target(of: Journal.reference)
    }

    private func fetchOnce(_ wanted: WantedPart, way: inout FetchResult.Way) throws {
        var repository = try clone.openRepository()
        let folders = wanted.missingFolders(in: repository)
        if !folders.isEmpty {
            try GitProgram.check(access)
            switch try git.fetch(folders.map(\.hex), filter: .noBlobs, doing: "fetching folders") {
            case .done(let ignoredFilter): way = ignoredFilter ? .wholeFolders : .missingObjects
            case .refused(let object, _):
                way = .wholeSet
                try fetchSet(wanted, refused: object)
            }
            repository = try clone.openRepository()
        }
        let files = try wanted.missingFiles(in: repository, max: .max)
        guard !files.isEmpty else { return }
        if way == .nothing { way = .missingObjects }
        var rest = Array(Set(files.map(\.object))).sorted()[...]
        while !rest.isEmpty {
            let part = rest.prefix(Self.wantsMax)
            rest = rest.dropFirst(part.count)
            let answer = try git.fetch(part.map(\.hex), filter: .none, doing: "fetching pictures")
            guard case .refused(let object, _) = answer else { continue }
            let place = files.first { $0.object == object }?.place ?? "a picture"
            throw RemoteStoreError.incomplete(what: place, object: object, remote: "\(location)")
        }
    }

    /// Fetches the pin's whole set by name, from a server that sends no object by id.
    private func fetchSet(_ wanted: WantedPart, refused object: ObjectID) throws {
        let references = try git.references()
        let set = wanted.pin.setID
        let name = try layout(of: references).set(set)
        guard references[name] != nil else {
            throw wanted.error(for: object, remote: "\(location)")
        }
        // Also fetches the journal: it connects the clone's sets with the new one, so that Git's
        // negotiation finds the objects they share.
        var specs = ["+\(name):\(GitRepository.reference(ofSet: set))"]
        if references[Journal.reference] != nil {
            specs.append("+\(Journal.reference):\(Journal.reference)")
        }
        let answer = try git.fetch(
            specs,
            filter: .none,
            negotiating: true,
            doing: "fetching the set"
        )
        if case .refused(let object, _) = answer {
            throw wanted.error(for: object, remote: "\(location)")
        }
    }
}

/// The part of a pin that is fetched.
private struct WantedPart {
    let pin: ReferencePin
    /// The wanted subtrees, each with the number of its line in the pin.
    private let entries: [(path: SubtreePath, object: ObjectID, line: Int)]

    init(of pin: ReferencePin, paths: Set<SubtreePath>?) {
        self.pin = pin
        entries = pin.entries.enumerated().compactMap { index, entry in
            guard paths?.contains(entry.path) ?? true else { return nil }
            return (entry.path, entry.object, 2 * index + 1)
        }
    }

    func missingFolders(in repository: GitRepository) -> [ObjectID] {
        Array(Set(entries.map(\.object).filter { !repository.holds($0) })).sorted()
    }

    /// Returns the files below the wanted subtrees that the repository lacks, at most `max`.
    func missingFiles(
        in repository: GitRepository,
        max: Int
    ) throws -> [(place: String, object: ObjectID)] {
        var missing: [(place: String, object: ObjectID)] = []
        for (path, subtree, _) in entries where missing.count < max {
            try repository.walk(subtree, what: path.text) { folders, file in
                guard !repository.knows(file.object), missing.count < max else { return }
                let place = ([path.text] + folders + [file.name]).joined(separator: "/")
                missing.append((place, file.object))
            }
        }
        return missing
    }

    func error(for object: ObjectID, remote: String) -> RemoteStoreError {
        guard let entry = entries.first(where: { $0.object == object }) else {
            return .incomplete(what: "the set", object: object, remote: remote)
        }
        return .pinNotAtRemote(
            path: entry.path,
            object: object,
            line: entry.line,
            remote: remote
        )
    }
}

/// The packs of a store at one moment: packs that are new after a fetch were received by it.
private struct Packs {
    private var packs: [String: (objects: Int, bytes: Int)] = [:]

    init(of store: String) throws {
        let folder = store + "/objects/pack"
        for name in try FileManager.default.contentsOfDirectory(atPath: folder)
        where name.hasPrefix("pack-") && name.hasSuffix(".pack") {
            guard let file = FileHandle(forReadingAtPath: "\(folder)/\(name)") else { continue }
            // The header: signature, version, count, of four bytes each.
            let count = try file.read(upToCount: 12)?.suffix(4).reduce(0) { $0 << 8 | Int($1) }
            packs[name] = (count ?? 0, Int(try file.seekToEnd()))
        }
    }

    func gained(since before: Packs) throws -> FetchResult {
        var result = FetchResult()
        for (name, pack) in packs where before.packs[name] == nil {
            result.objects += pack.objects
            result.bytesReceived += pack.bytes
        }
        return result
    }
}
