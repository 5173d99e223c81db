// The part of the main repository that a prune reads: references, commits, and the pin's path in
// their trees. Nothing is written.
import FarmCore
import FarmGit
import Foundation

/// A Git reference whose pins are wanted.
struct MainReference {
    var name: String
    var kind: PinSource.Kind
    var object: ObjectID
}

final class PinningRepository {
    private let repository: GitRepository
    var path: String { repository.path }

    init(opening path: String) throws {
        do {
            repository = try GitRepository(at: path)
        } catch GitError.notARepository {
            throw PruneError.notARepository(path: path)
        }
    }

    // MARK: partial clones

    /// Throws unless the clone has all branches with their whole history.
    func refusePartialHistory() throws {
        guard !repository.isShallow else { throw PruneError.shallow(repository: path) }
        for (name, fetched) in try repository.remotes() where !Self.namesAllBranches(fetched) {
            throw PruneError.narrow(repository: path, remote: name)
        }
    }

    /// Whether a remote's refspecs fetch all branches; `git clone --single-branch` names one only.
    private static func namesAllBranches(_ fetched: [String]) -> Bool {
        // A remote that is only pushed to hides nothing.
        guard !fetched.isEmpty else { return true }
        return fetched.contains { spec in
            let source = spec.drop { $0 == "+" }.prefix { $0 != ":" }
            return source == "refs/heads/*" || source == "refs/*"
        }
    }

    // MARK: references

    /// Returns the references that a prune reads, branches first, tags last.
    ///
    /// These are the references that the request names, those that its policy keeps, a detached
    /// HEAD, and all that are no branch, tag or pull request.
    ///
    /// - Throws: `PruneError.referenceMissing` if the request names a missing reference.
    func wanted(by request: PinRootsRequest) throws -> [MainReference] {
        var found: [MainReference] = []
        for (name, object) in try repository.allReferences() {
            guard let kind = kind(of: name, request.policy) else { continue }
            found.append(MainReference(name: name, kind: kind, object: object))
        }
        if repository.isHeadDetached, let head = try repository.target(of: "HEAD") {
            found.append(MainReference(name: "HEAD", kind: .named, object: head))
        }
        for name in request.references {
            let candidates = [name, "refs/heads/\(name)", "refs/remotes/\(name)"]
            guard
                let full = candidates.first(where: {
                    (try? repository.target(of: $0)) ?? nil != nil
                }),
                let object = try repository.target(of: full)
            else { throw PruneError.referenceMissing(name, repository: path) }
            found.append(MainReference(name: full, kind: .named, object: object))
        }
        let order: [PinSource.Kind] = [.branch, .named, .pullRequest, .tag, .recent]
        return found.sorted {
            let left = order.firstIndex(of: $0.kind) ?? 0
            let right = order.firstIndex(of: $1.kind) ?? 0
            return (left, $0.name) < (right, $1.name)
        }
    }

    private func kind(of name: String, _ policy: PrunePolicy) -> PinSource.Kind? {
        func kept(_ short: some StringProtocol, _ patterns: [String]) -> Bool {
            patterns.contains { Glob($0, mode: .text).matches(String(short)) }
        }
        let parts = name.split(separator: "/")
        if name.hasPrefix("refs/tags/") {
            return kept(name.dropFirst(10), policy.tags) ? .tag : nil
        }
        if let requests = parts.firstIndex(where: { $0 == "pull" || $0 == "merge-requests" }),
            requests + 2 < parts.count, parts[requests + 2] == "head" || parts.last == "head",
            !name.hasPrefix("refs/heads/")
        {
            return kept(parts[requests + 1], policy.pullRequests) ? .pullRequest : nil
        }
        if name.hasPrefix("refs/heads/") {
            return kept(name.dropFirst(11), policy.branches) ? .branch : nil
        }
        if name.hasPrefix("refs/remotes/") {
            let short = parts.dropFirst(3).joined(separator: "/")
            return kept(short, policy.branches) ? .branch : nil
        }
        return .named
    }

    // MARK: commits

    /// Returns the commit that a reference leads to, or `nil` if it leads to another kind of
    /// object.
    func commit(of reference: MainReference) throws -> GitCommit? {
        do {
            return try repository.peeledCommit(reference.object)
        } catch {
            throw missing(reference.name, error)
        }
    }

    func commit(_ id: ObjectID, of reference: String) throws -> GitCommit {
        let what = "\(id), a commit of \(reference)"
        do {
            if let commit = try repository.peeledCommit(id) { return commit }
        } catch {
            throw missing(what, error)
        }
        throw PruneError.historyMissing(what: what, repository: path, reason: "it is no commit")
    }

    /// Returns the entry at a path of a commit's tree, or `nil` if there is none.
    func entry(_ place: String, of commit: GitCommit) throws -> TreeEntry? {
        do {
            if let entry = try repository.entry(at: place, of: commit.tree) { return entry }
        } catch {
            throw missing("\(place) of \(commit.id)", error)
        }
        // Git reports a folder whose tree is missing like an entry that does not exist.
        try refuseMissingFolder(on: place, of: commit)
        return nil
    }

    private func refuseMissingFolder(on place: String, of commit: GitCommit) throws {
        guard place.contains("/"), let first = place.split(separator: "/").first.map(String.init)
        else { return }
        do {
            guard let entry = try repository.entry(at: first, of: commit.tree),
                entry.kind == .folder
            else { return }
            _ = try repository.entries(of: entry.object, what: first)
        } catch {
            throw missing("\(first) of \(commit.id)", error)
        }
    }

    /// Reads the bytes of a pin.
    func pin(_ object: ObjectID, _ source: PinSource) throws -> Data {
        do {
            let bytes = try repository.header(of: object)?.bytes ?? 0
            guard bytes <= ReferencePin.bytesMax else {
                throw PruneError.pinUnreadable(place: source.text, reason: "it has \(bytes) bytes.")
            }
            return try repository.blob(object, bytesMax: ReferencePin.bytesMax, what: source.text)
        } catch let error as GitError {
            throw missing(source.text, error)
        }
    }

    private func missing(_ what: String, _ error: GitError) -> PruneError {
        .historyMissing(what: what, repository: path, reason: error.reason)
    }
}
