// The fixed run on a host's pages: decisions of two people, the list of runs, and a run in
// progress.
import FarmCore
import FarmReports

extension DogfoodRun {
    private static let sato = "佐藤"
    /// 2026-01-02 03:10 UTC.
    private static let decided: Int64 = 1_767_323_400_000

    var review: PageReview {
        PageReview(
            addresses: PageReview.Addresses(
                files: "../",
                decisions: "decisions",
                publish: "publish",
                events: "",
                style: "../assets/page.css",
                script: "../assets/page.js",
                runs: "../runs/index.html"
            ),
            decisions: DecisionBook(decisions),
            person: "Dana",
            mayDecide: true,
            formToken: "t",
            notice: ""
        )
    }

    private var decisions: [Decision] {
        let summary = summary
        return summary.snapshots.compactMap { picture in
            guard let subject = picture.subject else { return nil }
            let (kind, who, reason): (Decision.Kind, String, String) =
                switch picture.verdict {
                case .changed: (.accepted, "Dana", "")
                case .new: (.rejected, Self.sato, "文言が仕様と違います。")
                default: (.commented, "Dana", "Was this screen meant to go?")
                }
            guard picture.verdict != .passed else { return nil }
            return Decision(
                kind: kind,
                pipeline: summary.run.pipeline,
                snapshot: subject.snapshot,
                capture: subject.capture,
                reference: subject.reference,
                reason: reason,
                who: who,
                when: Self.decided,
                run: summary.run.id
            )
        }
    }

    var list: RunsPage {
        func row(_ number: Int, _ state: RunState, done: Int, bad: Int, _ branch: String)
            -> RunsPage.Row
        {
            RunsPage.Row(
                id: "2026010\(number)-030405-shop",
                pipeline: "shop",
                branch: branch,
                commit: summary.run.commit,
                pullRequest: branch == "main" ? "" : "412",
                state: state,
                started: "2026-01-0\(number)T03:04:05.000Z",
                planned: 25,
                done: done,
                bad: bad
            )
        }
        return RunsPage(
            rows: [
                row(6, .running, done: 11, bad: 1, "feature/new-button"),
                row(5, .failed, done: 25, bad: 13, "feature/new-button"),
                row(4, .passed, done: 25, bad: 0, "main"),
                row(3, .incomplete, done: 19, bad: 0, "main"),
                row(2, .cancelled, done: 3, bad: 0, "dependabot/npm_and_yarn/a-rather-long-name"),
            ],
            filter: [],
            next: "20260102-030405-shop",
            isNewest: true
        )
    }

    var progress: ProgressPage {
        let counts = [(6, 1), (5, 0), (0, 0), (0, 0)]
        return ProgressPage(
            run: "20260106-030405-shop",
            pipeline: "shop",
            branch: "feature/new-button",
            progress: RunProgress(
                state: .running,
                cells: zip(cells, counts).map { cell, count in
                    CellProgress(
                        job: JobName("screens"),
                        cell: cell.id,
                        planned: 6,
                        done: count.0,
                        bad: count.1,
                        unplaceable: count.0 == 0 ? "no worker has simulators" : nil
                    )
                },
                workers: 2
            ),
            reasons: [
                .problem(
                    Problem(
                        code: "launcher-unfitting",
                        message: "12 test cases on Tablet wait for a worker that has simulators.",
                        remedy: "Start such a worker."
                    )
                )
            ],
            seconds: 96
        )
    }
}
