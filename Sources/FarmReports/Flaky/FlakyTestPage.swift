// The page of one flaky test: its rate, its last runs, and what was recorded of each bad one.
import FarmCore

extension FlakyPages {
    /// Returns the page of a test, or `nil` if no flaky test has this id.
    package func page(of id: String, in frame: RunsFrame) -> String? {
        tests.first { $0.id == id }.map {
            FlakyTestPage(test: $0, links: links).render(in: frame)
        }
    }
}

struct FlakyTestPage {
    /// The most pictures on a page.
    static let picturesMax = 12

    let test: FlakyTest
    let links: FlakyPages.Links

    func render(in frame: RunsFrame) -> String {
        let text = frame.text
        let shown = Set(FlakyPages.pictures(of: test))
        let wrong = test.evidence.filter { $0.verdict != .passed }
        return frame.page(
            title: FlakyPages.name(test),
            """
            <p><a href="\(links.list)">\(text.flakyTests)</a></p>
            <dl class="facts">
            \(fact(text.job, test.job.text))\(test.cell == .host ? "" : fact(text.runCell, test.cell.text))\
            \(fact(text.flakyRate, text.rate(test)))\(fact(text.cost, text.cost(test)))\
            \(fact(text.hosts, String(test.hosts)))</dl>
            <p class="standing">\(FlakyPages.since(test, text))</p>
            <h2>\(text.lastRuns)</h2>
            \(FlakyPages.strip(test, text))
            <h2>\(text.whatWasWrong)</h2>
            <div class="scroll list" tabindex="0" role="group" aria-label="\(text.whatWasWrong)">
            <table class="runs">
            <thead><tr><th scope="col">\(text.resultHead)</th><th scope="col">\(text.runHead)</th>\
            <th scope="col">\(text.workerHead)</th><th scope="col">\(text.whatWasWrong)</th></tr></thead>
            <tbody>
            \(wrong.map { row($0, text, shown) })</tbody>
            </table></div>
            """
        )
    }

    private func fact(_ name: String, _ value: String) -> HTML {
        "<div><dt>\(name)</dt><dd><bdi>\(LegalText.line(value))</bdi></dd></div>"
    }

    private func row(
        _ result: TestVerdicts.Result,
        _ text: PageText,
        _ shown: Set<String>
    ) -> HTML {
        let bad = result.attempts.filter { $0.ending != "passed" || $0.pictures != nil }
        let commit: HTML =
            result.commit.isEmpty
            ? ""
            : " <code>\(LegalText.line(String(result.commit.prefix(12))))</code>"
        let branch: HTML =
            result.branch.isEmpty
            ? ""
            : " <bdi>\(LegalText.clipped(LegalText.line(result.branch), to: 40))</bdi>"
        let retries: HTML =
            result.retrySeconds >= 0.05
            ? "<small>\(text.retries(result.retrySeconds))</small>" : ""
        let fault: HTML = result.fault.map { "<small><code>\($0)</code></small>" } ?? ""
        return """
            <tr><td><span class="badge \(result.verdict.rawValue)">\(text.verdict(result.verdict))</span></td>\
            <td>\(run(result.run))<small>\(RunsFrame.time(result.started))\(commit)\(branch)</small>\(fault)</td>\
            <td>\(bad.prefix(Self.attemptsMax).map { worker($0, text) })</td>\
            <td>\(Self.unlike(bad).map { words($0, shown) })\(retries)</td></tr>

            """
    }

    private static let attemptsMax = 5

    /// Returns the first attempts that say something that no earlier one says.
    private static func unlike(_ attempts: [AttemptNote]) -> ArraySlice<AttemptNote> {
        var said: Set<[String]> = []
        return attempts.filter { attempt in
            let pictures = (attempt.pictures ?? []).flatMap { [$0.snapshot, $0.words] }
            return said.insert([attempt.message] + pictures).inserted
        }.prefix(attemptsMax)
    }

    private func run(_ run: RunID) -> HTML {
        let name = LegalText.clipped(LegalText.line(run.text), to: 60)
        guard let address = links.run(run) else { return "<bdi>\(name)</bdi>" }
        return "<a href=\"\(address)\"><bdi>\(name)</bdi></a>"
    }

    private func worker(_ attempt: AttemptNote, _ text: PageText) -> HTML {
        let name = LegalText.clipped(LegalText.line(attempt.worker.text), to: 60)
        let load: HTML =
            attempt.load.map { load in
                "<small>\(text.hostLoad(Int((load * 100).rounded())))</small>"
            } ?? ""
        return "<div><bdi>\(name)</bdi>\(load)</div>"
    }

    /// Returns the first words about a bad attempt, and its pictures with their differences.
    private func words(_ attempt: AttemptNote, _ shown: Set<String>) -> HTML {
        let message = LegalText.clipped(LegalText.line(attempt.message), to: 160)
        let pictures = (attempt.pictures ?? []).map { picture -> HTML in
            let words = LegalText.line("\(picture.snapshot): \(picture.words)")
            guard let capture = picture.capture, shown.contains(capture),
                let address = links.picture(capture)
            else { return "<p>\(words)</p>" }
            return """
                <p>\(words)</p><a class="thumb" href="\(address)">\
                <img src="\(address)" alt="\(LegalText.line(picture.snapshot))" loading="lazy"></a>
                """
        }
        return "\(message.isEmpty ? "" : "<p>\(message)</p>" as HTML)\(pictures)"
    }
}
