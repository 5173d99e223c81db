// The files of a work tree as Git knows them: those that it tracks, and those that changed since a
// commit.
import FarmCore
import FarmDrivers
import Foundation

/// The files of a work tree that Git tracks.
struct GitRepositoryFiles {
    let root: String
    let environment: [String: String]

    /// The difference between a commit and the work tree.
    enum Change: Hashable {
        /// The first changed file, as a path below the root.
        case file(String)
        /// No file that Git tracks changed.
        case none
        /// The clone does not have the commit.
        case unknown
    }

    /// Returns the first tracked file at or below one of these paths, or `nil` if there is none;
    /// the first path if Git does not answer.
    func firstTracked(below paths: [String]) -> String? {
        let top = RunInputs.real(root)
        let inside = paths.compactMap { RunInputs.real($0).path(below: top) }
        guard !inside.isEmpty else { return nil }
        let git = GitCommand(folder: top, environment: environment)
        guard let listed = try? git.run(["ls-files", "--"] + inside), listed.status == 0 else {
            return inside[0]
        }
        return listed.output.split(whereSeparator: \.isNewline).first.map(String.init)
    }

    /// Returns the first file that differs from a commit's, without those that are left out.
    ///
    /// The commit's hash may come from a file that anyone wrote.
    func firstChanged(since commit: String, but leavesOut: (String) -> Bool) -> Change {
        guard commit.count >= 40, commit.allSatisfy(\.isHexDigit) else { return .unknown }
        // A partial clone would fetch a commit that it lacks.
        let own = environment.merging(["GIT_NO_LAZY_FETCH": "1"]) { _, new in new }
        let git = GitCommand(folder: RunInputs.real(root), environment: own)
        let known = try? git.line(["rev-parse", "--verify", "--quiet", "\(commit)^{commit}"])
        guard known != nil,
            let listed = try? git.run(["diff", "--name-only", "--no-renames", "-z", commit, "--"]),
            listed.status == 0
        else { return .unknown }
        let changed = listed.output.split(separator: "\0").map(String.init)
        return changed.first { !Self.above($0).contains(where: leavesOut) }.map { .file($0) }
            ?? .none
    }

    /// Returns the files that differ from a commit's, and those that Git neither tracks nor ignores,
    /// sorted; `nil` if the clone does not have the commit.
    func changed(since commit: String) -> Set<String>? {
        guard commit.count >= 40, commit.allSatisfy(\.isHexDigit) else { return nil }
        let own = environment.merging(["GIT_NO_LAZY_FETCH": "1"]) { _, new in new }
        let git = GitCommand(folder: RunInputs.real(root), environment: own)
        var changed: Set<String> = []
        for words in [
            ["diff", "--name-only", "--no-renames", "-z", commit, "--"],
            ["ls-files", "--others", "--exclude-standard", "-z"],
        ] {
            guard let listed = try? git.run(words), listed.status == 0 else { return nil }
            changed.formUnion(listed.output.split(separator: "\0").map(String.init))
        }
        return changed
    }

    /// Whether files differ from the checked-out commit, without those that are left out and those
    /// that Git ignores; `nil` if Git does not answer.
    func areModified(but leavesOut: (String) -> Bool) -> Bool? {
        let git = GitCommand(folder: RunInputs.real(root), environment: environment)
        let words = [
            "--no-optional-locks", "status", "--porcelain", "-z", "--no-renames",
            "--untracked-files=all",
        ]
        guard let listed = try? git.result(of: words).0, listed.status == 0 else { return nil }
        // An entry is two letters, a space and the path.
        let changed = listed.output.split(separator: "\0").map { String($0.dropFirst(3)) }
        return !changed.allSatisfy { Self.above($0).contains(where: leavesOut) }
    }

    /// Returns a path with the paths of the folders that it is in.
    private static func above(_ path: String) -> [String] {
        let parts = path.split(separator: "/")
        return parts.indices.map { parts[...$0].joined(separator: "/") }
    }
}

extension ProofMismatch {
    /// Returns the words for why the proof of a run does not hold.
    ///
    /// `change` finds the first difference between the run's commit and the work tree.
    func reason(
        of run: String,
        _ proof: RunProof,
        _ change: () -> GitRepositoryFiles.Change
    ) -> String {
        let earlier = "run \(run) of commit \(proof.commit.prefix(12))"
        switch self {
        case .sameCommit:
            return "\(earlier) is of this very commit; a run proves only other commits."
        case .parts: return "\(earlier) was divided into other parts."
        case .references(let now) where now == proof.count:
            return "the pin names \(now) pictures, and not exactly those of \(earlier)."
        case .references(let now):
            return "the pin names \(now) pictures, and \(earlier) has \(proof.count)."
        case .inputs: return "\(Self.fact(change())) since \(earlier)."
        }
    }

    private static func fact(_ change: GitRepositoryFiles.Change) -> String {
        switch change {
        case .file(let path): "\(path) has changed"
        case .none: "a file that Git does not track, or a program, has changed"
        case .unknown: "a file or a program has changed"
        }
    }
}
