// The pins of a main repository: those of its branches, tags, pull requests and recent commits. A
// prune keeps their sets, so anything that might hide a pin is an error here.
import FarmCore
import FarmGit
import Foundation

/// A place of a pin: a path in a commit of a Git reference.
package struct PinSource: Hashable, Sendable, Encodable {
    package enum Kind: String, Hashable, Sendable, Encodable {
        case branch
        case tag
        case pullRequest
        /// A reference that the request names, `HEAD`, or another of Git's references (a stash).
        case named
        /// A recent commit that is not the newest of its branch.
        case recent

        /// The word for one place of this kind, for people.
        var word: String {
            switch self {
            case .branch: "branch"
            case .tag: "tag"
            case .pullRequest: "pull request"
            case .named: "other reference"
            case .recent: "recent commit"
            }
        }
    }

    package var kind: Kind
    /// The Git reference; for a recent commit, the reference that the walk started from.
    package var reference: String
    package var commit: ObjectID
    /// The pin's path in the commit.
    package var path: String

    /// The place as text for people: `main:snapfarm.refs`, `1a2b3c4d5e of main:snapfarm.refs`.
    package var text: String {
        let prefixes = ["refs/heads/", "refs/remotes/", "refs/"]
        let prefix = prefixes.first(where: reference.hasPrefix) ?? ""
        let place = "\(reference.dropFirst(prefix.count)):\(path)"
        return kind == .recent ? "\(commit.hex.prefix(10)) of \(place)" : place
    }
}

/// One distinct pin with its places.
package struct PinRoot: Hashable, Sendable {
    package enum Target: Hashable, Sendable {
        /// A pin in text form: the id of its blob and the parsed pin.
        case pin(ObjectID, ReferencePin)
        /// A pin in submodule form: the id of its set.
        case set(ObjectID)
    }

    package var target: Target
    /// The places of the pin, at most `placesMax`: first those in present branches and tags, then
    /// those in recent history.
    package var sources: [PinSource]
    /// The number of all places of the pin, also of those that `sources` lacks.
    package var sourceCount: Int
    /// Whether only recent history names this pin.
    package var onlyRecent: Bool

    static let placesMax = 5

    /// The id of the pin's blob, or, for a submodule, the id of its set.
    package var object: ObjectID {
        switch target {
        case .pin(let blob, _): blob
        case .set(let set): set
        }
    }
}

/// The input of `PinRoots.init(reading:)`: a main repository and the pins that are wanted.
package struct PinRootsRequest: Hashable, Sendable {
    /// The path of a work tree, its `.git`, or a bare repository.
    package var repository: String
    /// The present and past paths of pins, relative to the top: files or submodules.
    package var paths: [String]
    /// References that must exist, as a full name (`refs/pull/7/head`) or a branch's name.
    package var references: [String]
    package var policy: PrunePolicy
    /// The current time.
    ///
    /// Recent commits are counted back from here.
    package var now: Date

    package init(
        repository: String,
        paths: [String] = ["snapfarm.refs"],
        references: [String] = [],
        policy: PrunePolicy = PrunePolicy(),
        now: Date
    ) {
        self.repository = repository
        self.paths = paths
        self.references = references
        self.policy = policy
        self.now = now
    }
}

/// All pins that a main repository still needs.
package struct PinRoots: Hashable, Sendable {
    /// The repository's path, as the caller gave it.
    package let repository: String
    /// The distinct pins with their places, sorted by `object`.
    package let roots: [PinRoot]
    /// The number of references that were followed, by kind; for `.recent`, the number of commits.
    package let counts: [String: Int]

    /// Reads the pins of a main repository.
    ///
    /// - Throws: `PruneError` for a shallow, narrow or partial clone, a reference that is missing,
    ///   a pin that cannot be read, and if there is no pin at all.
    package init(reading request: PinRootsRequest) throws {
        let repository = try PinningRepository(opening: request.repository)
        try repository.refusePartialHistory()
        var collector = PinCollector(repository, request)
        for reference in try repository.wanted(by: request) {
            try collector.add(reference)
        }
        guard !collector.roots.isEmpty else {
            throw PruneError.noPins(paths: request.paths, repository: request.repository)
        }
        self.repository = request.repository
        roots = collector.roots.values.sorted { $0.object < $1.object }
        counts = collector.counts
    }

    /// Returns the pins that an earlier reading lacks.
    ///
    /// A plan made from that reading would drop their sets.
    func added(since earlier: PinRoots) -> [PinRoot] {
        let known = Set(earlier.roots.map(\.object))
        return roots.filter { !known.contains($0.object) }
    }
}

/// Follows references to commits, and commits to pins.
private struct PinCollector {
    private static let secondsPerDay = 86_400.0
    /// The number of commits in a row that are too old after which a walk ends.
    ///
    /// Git allows the same slack for wrong clocks.
    private static let olderMax = 16
    /// The largest number of commits that a prune reads; more means a mistaken `recentDays`.
    private static let commitsMax = 1_000_000

    let repository: PinningRepository
    let request: PinRootsRequest
    private(set) var roots: [ObjectID: PinRoot] = [:]
    private(set) var counts: [String: Int] = [:]
    private var read: Set<ObjectID> = []
    private var walked: Set<ObjectID> = []

    init(_ repository: PinningRepository, _ request: PinRootsRequest) {
        self.repository = repository
        self.request = request
    }

    mutating func add(_ reference: MainReference) throws {
        guard let tip = try repository.commit(of: reference) else { return }
        counts[reference.kind.rawValue, default: 0] += 1
        try addPins(of: tip, kind: reference.kind, reference: reference.name)
        // Tags do not move: the commits before a tag are the history of some branch.
        guard request.policy.recentDays > 0, reference.kind != .tag else { return }
        let start =
            request.now.timeIntervalSince1970 - Double(request.policy.recentDays)
            * Self.secondsPerDay
        var next = tip.parents.first
        var older = 0
        while let id = next, older < Self.olderMax, walked.insert(id).inserted {
            guard walked.count <= Self.commitsMax else {
                throw PruneError.historyMissing(
                    what: reference.name,
                    repository: request.repository,
                    reason: "more than \(Self.commitsMax) recent commits"
                )
            }
            let commit = try repository.commit(id, of: reference.name)
            next = commit.parents.first
            guard Double(commit.seconds) >= start else {
                older += 1
                continue
            }
            older = 0
            guard read.insert(id).inserted else { continue }
            counts[PinSource.Kind.recent.rawValue, default: 0] += 1
            try addPins(of: commit, kind: .recent, reference: reference.name)
        }
    }

    private mutating func addPins(
        of commit: GitCommit,
        kind: PinSource.Kind,
        reference: String
    ) throws {
        for path in request.paths {
            guard let entry = try repository.entry(path, of: commit) else { continue }
            let source = PinSource(
                kind: kind,
                reference: reference,
                commit: commit.id,
                path: path
            )
            let object = entry.object
            var root: PinRoot
            if let known = roots[object] {
                root = known
            } else {
                root = PinRoot(
                    target: try target(entry, source),
                    sources: [],
                    sourceCount: 0,
                    onlyRecent: true
                )
            }
            root.sourceCount += 1
            if kind != .recent { root.onlyRecent = false }
            if root.sources.count < PinRoot.placesMax { root.sources.append(source) }
            roots[object] = root
        }
    }

    private func target(_ entry: TreeEntry, _ source: PinSource) throws -> PinRoot.Target {
        switch entry.kind {
        case .submodule: return .set(entry.object)
        case .folder:
            throw PruneError.pinUnreadable(place: source.text, reason: "it is a folder.")
        case .file, .other:
            let bytes = try repository.pin(entry.object, source)
            do {
                return .pin(entry.object, try ReferencePin(parsing: bytes, file: source.path))
            } catch {
                throw PruneError.pinUnreadable(place: source.text, reason: error.message)
            }
        }
    }
}
