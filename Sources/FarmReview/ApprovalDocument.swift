// The output of an approval: for people the changes of each suite and the next command, for scripts
// one JSON document.
import FarmCore
import Foundation

/// The output of a review command.
package protocol ReviewDocument: Encodable {}

extension ReviewDocument {
    /// Returns the document as JSON, the output of `--json`.
    package func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
    }
}

/// The document of `approve --json`, version 1.
package struct ApprovalDocument: Sendable, ReviewDocument {
    /// One picture with the outcome of the approval.
    package struct Picture: Sendable, Encodable {
        package var snapshot: String
        package var job: String
        package var test: String
        package var verdict: Verdict
        /// The reason why the picture was left out, or empty if it was approved.
        package var reason: String
    }
    /// The numbers of pictures in one suite on one cell.
    package struct Suite: Sendable, Encodable {
        package var cell: String
        package var suite: String
        package var changed = 0
        package var new = 0
        package var moved = 0
        package var removed = 0
        /// The number of pictures that became alternates, or `nil` if there are none.
        package var alternates: Int?
    }

    package var schemaVersion = 1
    package var run: String
    package var dryRun: Bool
    /// The new reference set, or empty if none was made.
    package var set: String
    /// The location that the set was pushed to, without secrets; empty for a store that is a
    /// folder.
    package var pushedTo: String
    /// The absolute path of the pin file.
    package var pinFile: String
    /// Whether the pin of the work tree changed.
    package var pinMoved: Bool
    /// The checked-out references that are older than the new pin.
    package var stale: StaleReferences
    /// The branch that got the new pin, or empty if none was requested.
    package var branch: String
    /// The commit of the pin on that branch.
    package var branchCommit: String
    /// The change of the pin for `git apply`, or empty if none was requested.
    package var patch: String
    package var suites: [Suite]
    package var approved: [Picture]
    package var removed: [Picture]
    /// The pictures that became alternates, or `nil` if there are none.
    package var alternates: [Picture]?
    /// The number of approved pictures that were references before.
    package var alreadyApproved: Int
    package var left: [Picture]
    /// The next command for a shell, or empty if there is nothing to commit.
    package var commit: String
}

extension ApprovalDocument {
    /// Makes the document of a plan whose set is not written; `pinFile` is absolute.
    package init(_ plan: ApprovalPlan, run id: String, pinFile path: String, isDryRun: Bool) {
        let choice = plan.choice
        run = id
        dryRun = isDryRun
        set = ""
        pushedTo = ""
        pinFile = path
        pinMoved = false
        stale = StaleReferences()
        branch = ""
        branchCommit = ""
        patch = ""
        suites = Self.suites(plan)
        approved = choice.accepted.map { Picture($0, reason: "") }
        removed = choice.removed.map { Picture($0, reason: "") }
        let others = choice.alternates.map { Picture($0, reason: "") }
        alternates = others.isEmpty ? nil : others
        alreadyApproved = plan.present.count
        left = choice.left.map { Picture($0.picture, reason: $0.bar.words) }
        commit = ""
    }

    /// Returns the changes by cell and suite, sorted, without pictures that were references before.
    private static func suites(_ plan: ApprovalPlan) -> [Suite] {
        var suites: [[String]: Suite] = [:]
        let taken = plan.choice.taken.filter { !plan.present.contains($0.id) }
        let alternates = Set(plan.choice.alternates.map(\.id))
        for picture in taken + plan.choice.removed {
            let key = [picture.id.cell.text, picture.id.suite]
            var suite = suites[key] ?? Suite(cell: key[0], suite: key[1])
            switch picture.verdict {
            case _ where alternates.contains(picture.id):
                suite.alternates = (suite.alternates ?? 0) + 1
            case .new: suite.new += 1
            case .moved: suite.moved += 1
            case .missing: suite.removed += 1
            default: suite.changed += 1
            }
            suites[key] = suite
        }
        return suites.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
    }

    /// The numbers of changes of all suites together, such as `12 changed, 3 new`.
    package var counts: String {
        suites.reduce(into: Suite(cell: "", suite: "")) { sum, suite in
            sum.changed += suite.changed
            sum.new += suite.new
            sum.moved += suite.moved
            sum.removed += suite.removed
            if let more = suite.alternates { sum.alternates = (sum.alternates ?? 0) + more }
        }.words
    }

    /// The document as lines for a terminal.
    package var lines: [String] {
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
            if let leaving { lines.append(leaving) }
        }
        if !left.isEmpty {
            lines.append("Left as they are:")
            lines += left.prefix(Self.leftMax).map { "  \($0.snapshot) — \($0.reason)" }
            if left.count > Self.leftMax { lines.append("  … \(left.count - Self.leftMax) more") }
        }
        if !set.isEmpty { lines.append("Reference set \(set)") }
        if !pushedTo.isEmpty { lines.append("The set is in the store \(pushedTo).") }
        if !branch.isEmpty { lines.append("The branch \(branch) has its pin: \(branchCommit)") }
        lines += stale.lines
        if pinMoved {
            lines.append("The pin \(pinFile) names it. Commit it:")
            lines.append("  " + commit)
        }
        return lines
    }

    /// The sentence `3 pictures will leave the references.`, or `nil` for no picture.
    private var leaving: String? {
        switch removed.count {
        case 0: nil
        case 1: "1 picture will leave the references."
        default: "\(removed.count.grouped) pictures will leave the references."
        }
    }

    /// The largest number of lines about pictures that are left out; others are only counted.
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
        let others = alternates ?? 0
        return [
            (changed, "changed"), (new, "new"), (moved, "moved"), (removed, "removed"),
            (others, others == 1 ? "alternate" : "alternates"),
        ]
        .filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    }
}
