// The page of a farm's operator: what needs a person, then the queue, the workers, the coordinator.
import FarmCore

/// Renders `/farm`.
package struct FarmPage: Sendable {
    package var farm: FarmOverview

    package init(_ farm: FarmOverview) { self.farm = farm }

    /// Returns the page; `events` is the path of its server-sent events.
    package func render(in frame: RunsFrame, events: String) -> String {
        let text = frame.text
        return frame.page(
            title: text.farm,
            events: events,
            """
            <p class="quiet"><a href="\(RunsFrame.runsPath)">\(text.runList)</a></p>
            <h2>\(text.needsYou)</h2>
            \(needs(frame))
            <h2>\(text.teamsHead)</h2>
            \(table(text.teamsHead, [text.team, text.openRuns, text.waitingTests, text.leasesHead, text.keptHead], teams(text)))
            \(queue(text))
            <h2>\(text.workersHead)</h2>
            \(table(text.workersHead, [text.stateHead, text.worker, text.doing], workers(text)))
            \(launchers(text))
            <h2>\(text.coordinatorHead)</h2>
            <ul class="reasons">\(facts(text).map { "<li>\($0)</li>\n" as HTML })</ul>
            """
        )
    }

    private func needs(_ frame: RunsFrame) -> HTML {
        guard !farm.needs.isEmpty else { return "<p>\(frame.text.nothingNeeded)</p>" }
        let items = farm.needs.map { problem -> HTML in
            let words = TranslatedProblem(problem, in: frame.language)
            return """
                <li><bdi>\(LegalText.line(words.message))</bdi> <bdi>\(LegalText.line(words.remedy))</bdi>\
                \(words.details(frame.language))</li>

                """
        }
        return "<ul class=\"reasons\" role=\"alert\">\(items)</ul>"
    }

    private func table(_ name: String, _ heads: [String], _ rows: [[HTML]]) -> HTML {
        guard !rows.isEmpty else { return "<p class=\"quiet\">–</p>" }
        let body = rows.map { row in
            "<tr>\(row.map { "<td>\($0)</td>" as HTML })</tr>\n" as HTML
        }
        return """
            <div class="scroll" tabindex="0" role="group" aria-label="\(name)">
            <table class="runs">
            <thead><tr>\(heads.map { "<th scope=\"col\">\($0)</th>" as HTML })</tr></thead>
            <tbody>
            \(body)</tbody>
            </table></div>
            """
    }

    private func name(_ text: String) -> HTML { "<bdi>\(LegalText.line(text))</bdi>" }

    private func teams(_ text: PageText) -> [[HTML]] {
        farm.teams.map { line in
            [
                name(line.team), "\(text.ofLimit(line.openRuns, line.quota?.runs))",
                "\(text.ofLimit(line.waiting, line.quota?.tests))", "\(line.leases.grouped)",
                "\(line.keptText ?? "–")",
            ]
        }
    }

    private func queue(_ text: PageText) -> HTML {
        guard !farm.queue.isEmpty else { return "" }
        let rows = farm.queue.map { line -> [HTML] in
            [name(line.pipeline), name(line.cell.text), "\(line.waiting.grouped)"]
        }
        return """
            <h2>\(text.queue(minutes: farm.oldestWaitingSeconds / 60))</h2>
            \(table(text.waitingTests, [text.pipeline, text.runCell, text.waitingTests], rows))
            """
    }

    private func workers(_ text: PageText) -> [[HTML]] {
        farm.workers.map { line in
            [name(line.state.rawValue), name(line.worker.text), doing(line, text)]
        }
    }

    private func doing(_ line: FarmOverview.WorkerLine, _ text: PageText) -> HTML {
        guard let lease = line.lease else {
            return name(line.problem?.message ?? line.seen)
        }
        let test: HTML = lease.test.map { "<br><small>\(name($0.text))</small>" } ?? ""
        let run = RunsFrame.runsPath + "/" + RelativePath.component(lease.run.text) + "/progress"
        return """
            <a href="\(run)">\(name(lease.pipeline))</a> \(name(lease.job.text)) \
            \(name(lease.cell.text)), \(text.sinceMinutes(lease.seconds / 60))\(test)
            """
    }

    private func launchers(_ text: PageText) -> HTML {
        guard !farm.launchers.isEmpty else { return "" }
        let rows = farm.launchers.map { line -> [HTML] in
            [name(line.launcher), "\(line.live)", "\(line.coming)", "\(line.failed)"]
        }
        let heads = [text.launcher, text.workersLive, text.workersComing, text.workersFailed]
        return "<h2>\(text.launcher)</h2>\n\(table(text.launcher, heads, rows))"
    }

    private func facts(_ text: PageText) -> [String] {
        let line = farm.coordinator
        var facts = [line.leads ? text.leads : text.follows(line.behindChanges)]
        if let free = line.diskFreeBytes, let all = line.diskBytes {
            facts.append(text.disk(free: free, all: all))
        }
        if let bytes = line.ledgerBytes { facts.append(text.ledger(bytes)) }
        facts.append(text.backup(line.lastBackup))
        return facts
    }
}
