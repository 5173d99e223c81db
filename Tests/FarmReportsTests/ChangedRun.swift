// A run with one change on two cells, one new and one unstable picture, and decisions about it.
import FarmCore
import FarmReports
import Foundation
import Testing

enum ChangedRun {
    static let many = "0123456789ab"
    static let new = "ba9876543210"
    static let unstable = "aaaaaaaaaaaa"

    static func summary() -> RunSummary {
        var summary = Fixture.summary()
        func picture(_ verdict: Verdict) -> SnapshotSummary? {
            summary.snapshots.first { $0.verdict == verdict && $0.test != "" }
        }
        guard var dark = picture(.changed), let new = picture(.new) else { return summary }
        dark.reference = String(repeating: "1", count: 40)
        var light = dark
        light.cell = Fixture.light
        light.id = "\(light.cell)/Login/login_en"
        var flaky = new
        flaky.name = "unstable"
        flaky.id = "\(new.cell)/Login/unstable"
        flaky.verdict = .flaky
        summary.snapshots = [dark, light, new, flaky].sorted { $0.id < $1.id }
        summary.tests = []
        summary.changes = [
            change(many, [light, dark], "2 cells: 2 devices"), change(Self.new, [new], "iPhone 8"),
            change(unstable, [flaky], "iPhone 8"),
        ]
        return summary
    }

    private static func change(
        _ id: String,
        _ pictures: [SnapshotSummary],
        _ cells: String
    ) -> ChangeSummary {
        ChangeSummary(
            id: id,
            words: pictures[0].words,
            cells: cells,
            snapshots: pictures.map(\.id)
        )
    }

    /// Returns decisions about both pictures of the first change.
    static func decisions(_ kind: Decision.Kind, reason: String = "") -> [Decision] {
        let summary = summary()
        return summary.snapshots.filter { $0.verdict == .changed }.compactMap { picture in
            picture.subject.map { subject in
                Decision(
                    kind: kind,
                    pipeline: summary.run.pipeline,
                    snapshot: subject.snapshot,
                    capture: subject.capture,
                    reference: subject.reference,
                    reason: reason,
                    who: "<i>Aiko",
                    when: 1_795_601_520_000,
                    run: summary.run.id
                )
            }
        }
    }

    static func review(_ decisions: [[Decision]] = []) -> PageReview {
        PageReview(
            addresses: PageReview.Addresses(
                files: "/r/files/",
                decisions: "/r/decisions",
                publish: "/r/publish",
                events: "/r/events",
                style: "/r/style",
                script: "/r/script"
            ),
            decisions: DecisionBook(decisions.flatMap(\.self)),
            person: "<i>Aiko",
            mayDecide: true,
            formToken: "secret\"<"
        )
    }

    static func answer(_ summary: RunSummary, _ review: PageReview) throws -> [String: Any] {
        let json = HTMLReport.decisions(PageRun(summary), review: review, language: .english)
        let value = try JSONSerialization.jsonObject(with: Data(json.utf8))
        return try #require(value as? [String: Any])
    }

    /// Returns a run with so many changes on so many cells each, and with names as long as those of
    /// apps.
    static func wide(changes: Int, cells: Int) -> RunSummary {
        var summary = summary()
        let one = summary.snapshots.first { $0.verdict == .changed }
        guard let one, let cell = summary.cells.first else { return summary }
        summary.cells = (0..<max(cells, 24)).map { number in
            var other = cell
            other.id = "iPhone-8_13.1_light_\(number)"
            return other
        }
        summary.snapshots = []
        summary.changes = []
        for number in 0..<changes {
            let suite = "WalletScreenTests\(number / 20)"
            let pictures = (0..<cells).map { place in
                var picture = one
                picture.cell = summary.cells[cells == 1 ? number % 24 : place].id
                (picture.suite, picture.name) = (suite, "testScreen\(number)")
                picture.identifier = picture.name
                picture.id = "\(picture.cell)/\(suite)/\(picture.name)"
                picture.test = "\(suite)/\(picture.name)"
                let folder = "FailureDiffs/snapshot_test/\(picture.cell)/\(suite)"
                for kind in ["reference", "failed", "diff"] {
                    picture.files[kind] = "\(folder)/\(kind)_\(picture.name).png"
                }
                picture.files["capture"] = "captures/\(picture.id).png"
                return picture
            }
            summary.snapshots += pictures
            let id = String(0x1000_0000_0000 + number, radix: 16)
            summary.changes?.append(change(id, pictures, "\(cells) cells"))
        }
        return summary
    }
}
