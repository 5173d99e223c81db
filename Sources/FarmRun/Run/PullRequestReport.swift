// A result on the Git host: a section of the pull request's comment, and statuses of the commit.
// Only for hosts whose token is in the environment. A failure is printed and changes no verdict.
import FarmCore
import FarmReports
import Foundation

struct PullRequestReport: Sendable {
    let environment: [String: String]
    let ci: CIEnvironment?
    /// The location of the reference store, or `nil` if it is unknown.
    var store: StoreLocation? = nil
    /// The address of the published report, or `nil` if there is none.
    var report: String? = nil

    /// The limit of a GitHub event's file, in bytes; a larger file is ignored.
    private static let eventBytesMax = 32 << 20

    /// Shows a run's result on the Git hosts whose tokens are set; does nothing without a token.
    func show(_ summary: RunSummary, rejected: RejectedPictures = RejectedPictures()) async {
        await speak { client, place in await show(summary, rejected, by: client, place) }
    }

    /// Shows the result of an earlier CI job's run again, with the decisions made since.
    func showAgain(_ summary: RunSummary, rejected: RejectedPictures) async {
        let change: (inout HostPlace) -> Void = { place in
            place.commit = summary.run.commit
            place.pipeline = nil
            place.page = summary.run.page
            place.artifacts = summary.run.page.map { $0 + "#artifacts" }
        }
        await speak(at: change) { client, place in
            await show(summary, rejected, by: client, place)
        }
    }

    private func show(
        _ summary: RunSummary,
        _ rejected: RejectedPictures,
        by client: HostClient,
        _ place: HostPlace
    ) async {
        let links = CommentSection.Links(
            page: place.page,
            report: report,
            artifacts: place.artifacts,
            zip: ci.zipName,
            pictures: pictures(summary, place),
            takesComments: environment["SNAPFARM_DECISIONS"] == "comments"
        )
        let section = PullRequestSection(summary.run) { bytesMax in
            CommentSection.render(
                summary,
                rejected: rejected,
                links: links,
                bytesMax: bytesMax
            )
        }
        // The status comes first, because the comment may have to wait for other jobs.
        await attempt { try await client.show(summary, rejected: rejected, page: report) }
        await attempt { try await client.put(section) }
    }

    /// Sets the status of a merge whose parts are not a whole run.
    ///
    /// The parts' comment sections stay.
    func show(_ error: ShareSetError, of facts: RunFacts) async {
        await speak { client, place in
            let status = CommitStatus(incomplete: facts, reason: error.message, page: place.page)
            await attempt { try await client.set(status) }
        }
    }

    /// Sets the status of a merge that can read no part.
    ///
    /// `pipeline` is the pipeline's name, or `nil` if it is unknown.
    func show(_ error: any ExplainedError, of pipeline: String?) async {
        await speak { client, place in
            guard let pipeline else {
                return Console.say(
                    "no status is set, because no pipeline file is here to say its name: add "
                        + "--pipeline FILE."
                )
            }
            let status = CommitStatus(
                incomplete: pipeline,
                reason: error.message,
                page: place.page
            )
            await attempt { try await client.set(status) }
        }
    }

    /// Sets a status of another commit than the run's; returns whether it was set.
    func show(_ status: CommitStatus, on commit: ObjectID) async -> Bool {
        var isSet = false
        let change: (inout HostPlace) -> Void = { place in
            place.commit = commit.hex
            // This pipeline belongs to the commit that was run.
            place.pipeline = nil
        }
        await speak(at: change) { client, _ in
            await attempt {
                try await client.set(status)
                isSet = true
            }
        }
        return isSet
    }

    /// Returns the URLs of the changed pictures by snapshot id; none unless SNAPFARM_PICTURES says
    /// that the job proposes the pictures.
    private func pictures(
        _ summary: RunSummary,
        _ place: HostPlace
    ) -> [String: CommentSection.Picture] {
        guard environment["SNAPFARM_PICTURES"] == "proposals", let store,
            let host = HostPictures(store: store, place: place)
        else { return [:] }
        let changed = summary.snapshots.filter { !$0.verdict.isAsExpected }.map { picture in
            let shown = CommentSection.Picture(
                reference: host.reference(picture, set: summary.run.set),
                now: host.proposed(picture)
            )
            return (picture.id, shown)
        }
        return Dictionary(changed) { first, _ in first }
    }

    /// Calls `words` with a client for each Git host whose token is in the environment; `change`
    /// edits the host's place first.
    private func speak(
        at change: (inout HostPlace) -> Void = { _ in },
        _ words: (HostClient, HostPlace) async -> Void
    ) async {
        for kind in GitHostKind.allCases {
            guard let token = environment[kind.tokenVariable], !token.isEmpty else { continue }
            guard var place = HostPlace.find(kind, environment, ci, event: event()) else {
                Console.say(
                    "\(kind.tokenVariable) is set, but the environment names no repository and "
                        + "commit on \(kind.rawValue); set \(kind.repositoryVariable)=owner/name."
                )
                continue
            }
            change(&place)
            let client = HostClient(
                place: place,
                token: token,
                now: { Date().timeIntervalSince1970 },
                pause: { try await Task.sleep(for: .seconds($0)) }
            )
            await words(client, place)
            await client.close()
        }
    }

    private func attempt(_ step: () async throws -> Void) async {
        do {
            try await step()
        } catch let error as any ExplainedError {
            Console.explain(error)
        } catch {
            Console.say("the pull request: \(error.inWords)")
        }
    }

    private func event() -> Data? {
        guard let path = environment["GITHUB_EVENT_PATH"],
            let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int,
            size <= Self.eventBytesMax
        else { return nil }
        return FileManager.default.contents(atPath: path)
    }
}
