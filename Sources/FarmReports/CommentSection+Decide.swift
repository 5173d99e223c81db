// The part of the comment that says how to accept and reject pictures: by commands, and by a
// `/snapfarm` comment in repositories whose workflow reads those.
import FarmCore

extension CommentSection {
    /// The verdicts of pictures that can become references.
    private static let canBeApproved: Set<Verdict> = [.changed, .new, .moved]

    /// The most changes for which the comment offers lines to copy; for more, the run's page offers
    /// the text.
    private static let offeredMax = 20
    /// The most Unicode scalars of a change's name in the line that accepts the change.
    private static let nameScalarsMax = 80

    /// Returns the commands that accept the run's pictures, and the text of a comment that does;
    /// empty if nothing can be accepted.
    static func ways(_ summary: RunSummary, _ links: Links, artifacts: String?) -> String {
        let run = summary.run
        let isRemoving = RunFindings(summary).hasRemovals(summary)
        guard summary.state == .failed, run.shard == nil, !run.id.isEmpty,
            isRemoving || summary.snapshots.contains(where: { canBeApproved.contains($0.verdict) })
        else { return "" }
        let removing = isRemoving ? " --remove-missing" : ""
        let place = artifacts.map { "[the job's artifacts](\($0))" } ?? "the job's artifacts"
        let zip = links.zip
        let take =
            zip == Links.ownZip
            ? "Take `\(zip)` from \(place)" : "Take \(place) as one zip, here `\(zip)`"
        let commands = """

            The new pictures are right? \(take):

            ```sh
            snapfarm review --from \(zip)   # look, accept, reject
            snapfarm approve --from \(zip)\(removing)  # run \(run.id): accept all
            ```
            On the machine that ran it: `snapfarm review --run \(run.id)` and \
            `snapfarm approve --run \(run.id)\(removing)`.

            """
        return links.takesComments ? commands + comment(summary) : commands
    }

    /// Returns the text of a comment that accepts all changes; its author shortens it.
    private static func comment(_ summary: RunSummary) -> String {
        let run = summary.run.id
        let ids = Set((summary.genuineChanges ?? []).map(\.id))
        let changes = ChangeFinding.all(of: summary) { canBeApproved.contains($0.verdict) }
            .filter { ids.contains($0.id) }
        let words = """

            Or in a comment here: `/snapfarm accept \(run)`, then a line for each change that is \
            right; `/snapfarm reject \(run): REASON` for one that is not.
            """
        guard (1...offeredMax).contains(changes.count) else {
            return words + " The report's page offers the text.\n"
        }
        let titles = RunFindings(summary).titles
        let lines = changes.map { change in
            let name = LegalText.line(titles.title(of: change.shown))
            return "\(change.id) \(LegalText.clipped(name, to: nameScalarsMax))"
        }
        let text = (["/snapfarm accept \(run)"] + lines).joined(separator: "\n")
        return words + "\n\n" + MarkdownText.fenced(text)
    }
}
