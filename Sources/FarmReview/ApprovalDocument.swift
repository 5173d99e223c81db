// What an approval says: to people what became of each suite and what to commit, to scripts one
// document.
import FarmCore
import Foundation

/// `approve --json`, version 1.
struct ApprovalDocument: Encodable {
    struct Picture: Encodable {
        var snapshot: String
        var job: String
        var test: String
        var verdict: Verdict
        /// Empty where it was taken.
        var reason: String
    }
    struct Suite: Encodable {
        var cell: String
        var suite: String
        var changed = 0
        var new = 0
        var moved = 0
        var removed = 0
    }

    var schemaVersion = 1
    var run: String
    var dryRun: Bool
    /// The new reference set; empty where none was made.
    var set: String
    /// The pin file, absolute.
    var pinFile: String
    var pinMoved: Bool
    var suites: [Suite]
    var approved: [Picture]
    var removed: [Picture]
    /// Of the approved ones, those that were references already.
    var alreadyApproved: Int
    var left: [Picture]
    /// What to run next, as a shell takes it; empty where there is nothing to commit.
    var commit: String
}

extension ApprovalDocument {
    init(_ result: ApprovalResult, _ session: ReviewSession) {
        let choice = result.plan.choice
        run = session.run.manifest.run.id
        dryRun = session.request.isDryRun
        set = result.set?.hex ?? ""
        pinFile = session.place.pinPath
        pinMoved = result.movedPin
        suites = Self.suites(result.plan)
        approved = choice.accepted.map { Picture($0, reason: "") }
        removed = choice.removed.map { Picture($0, reason: "") }
        alreadyApproved = result.plan.present.count
        left = choice.left.map { Picture($0.picture, reason: $0.bar.words) }
        commit = ""
        guard result.movedPin else { return }
        // A submodule's new set is staged already; `git add` would put the old one back.
        let isStaged = (try? session.place.gitlink()) != nil
        commit = GitWords.commit(pinFile, "Approve \(counts)", isStaged: isStaged)
        // Others cannot use a pin before the remote has its set.
        if session.place.isRemote { commit = "snapfarm refs push && " + commit }
    }

    /// By cell and suite, sorted; what was a reference already is left out.
    private static func suites(_ plan: ApprovalPlan) -> [Suite] {
        var suites: [[String]: Suite] = [:]
        let taken = plan.choice.accepted.filter { !plan.present.contains($0.id) }
        for picture in taken + plan.choice.removed {
            let key = [picture.id.cell.text, picture.id.suite]
            var suite = suites[key] ?? Suite(cell: key[0], suite: key[1])
            switch picture.verdict {
            case .new: suite.new += 1
            case .moved: suite.moved += 1
            case .missing: suite.removed += 1
            default: suite.changed += 1
            }
            suites[key] = suite
        }
        return suites.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
    }

    /// `12 changed, 3 new`.
    var counts: String {
        suites.reduce(into: Suite(cell: "", suite: "")) { sum, suite in
            sum.changed += suite.changed
            sum.new += suite.new
            sum.moved += suite.moved
            sum.removed += suite.removed
        }.words
    }

    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
    }

    /// For a terminal.
    var lines: [String] {
        var lines: [String] = []
        if suites.isEmpty {
            lines.append(
                alreadyApproved > 0
                    ? "Already approved: \(alreadyApproved) pictures of run \(run)."
                    : "Nothing to approve: every picture of run \(run) is as expected."
            )
        } else {
            lines.append("\(dryRun ? "Would approve" : "Approved") \(counts) of run \(run):")
            lines += suites.map { "  \($0.cell)/\($0.suite): \($0.words)" }
        }
        if !left.isEmpty {
            lines.append("Left as they are:")
            lines += left.prefix(Self.leftMax).map { "  \($0.snapshot) — \($0.reason)" }
            if left.count > Self.leftMax { lines.append("  … \(left.count - Self.leftMax) more") }
        }
        if !set.isEmpty { lines.append("Reference set \(set)") }
        if pinMoved {
            lines.append("The pin \(pinFile) names it. Commit it:")
            lines.append("  " + commit)
        }
        return lines
    }

    /// Lines a person reads before the rest is only counted.
    private static let leftMax = 20
}

extension ApprovalDocument.Picture {
    init(_ picture: ReviewPicture, reason: String) {
        snapshot = picture.id.text
        job = picture.job.text
        test = picture.test?.text ?? ""
        verdict = picture.verdict
        self.reason = reason
    }
}

extension ApprovalDocument.Suite {
    fileprivate var words: String {
        [(changed, "changed"), (new, "new"), (moved, "moved"), (removed, "removed")]
            .filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    }
}

/// Commands to copy into a shell.
enum GitWords {
    /// Commits one file; the path is relative where it lies below the working folder.
    static func commit(_ path: String, _ message: String, isStaged: Bool) -> String {
        let working = FileManager.default.currentDirectoryPath + "/"
        let near = path.hasPrefix(working) ? String(path.dropFirst(working.count)) : path
        let file = quoted(near)
        let place = near.hasPrefix("/") ? " -C \(quoted(folder(of: near)))" : ""
        if isStaged { return "git\(place) commit -m \(quoted(message))" }
        return "git\(place) add \(file) && git\(place) commit -m \(quoted(message)) -- \(file)"
    }

    private static func folder(of path: String) -> String {
        (path as NSString).deletingLastPathComponent
    }

    /// One word of a POSIX shell.
    static func quoted(_ word: String) -> String {
        let plain = word.utf8.allSatisfy {
            (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0)
                || [45, 46, 47, 95].contains($0)
        }
        if plain, !word.isEmpty, !word.hasPrefix("-") { return word }
        return "'" + word.replacing("'", with: "'\\''") + "'"
    }
}
