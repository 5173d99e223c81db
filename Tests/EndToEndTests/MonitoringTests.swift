// Tests of a coordinator's metrics, and of the alerts and dashboard in deploy/monitoring that use
// them. `promtool`, Prometheus' own parser, checks all three.
import FarmTesting
import Foundation
import Testing

extension ManyMachines {
    @Suite("Monitoring", .serialized)
    struct MonitoringTests {
        private static let folder =
            URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .path

        private func text(_ file: String) throws -> String {
            try String(contentsOfFile: "\(Self.folder)/\(file)", encoding: .utf8)
        }

        private func names(_ pattern: Regex<(Substring, Substring)>, in text: String) -> Set<String>
        {
            Set(text.matches(of: pattern).map { String($0.output.1) })
        }

        @Test("monitors see runs, workers, what waits where, answers, the disk and the last backup")
        func metrics() throws {
            let fleet = try Fleet()
            #expect(try fleet.project.run(["--mode", "record"]).status == 0)
            fleet.configuration += "\nretention: {days: 2, runs: 1}"
            try fleet.serve()
            let backup = ["backup", "--config", "farm.yaml", "--to", "backups"]
            #expect(try fleet.program.run(backup).status == 0)
            let running = try fleet.submitting().start(
                ["run", "app.yaml", "--coordinator", fleet.url]
            )
            #expect(running.wait(seconds: 40) { running.errors.contains("tests on") })
            let read = try fleet.token("read")
            expect(
                [
                    "snapfarm_runs{state=\"running\"} 1", "snapfarm_test_cases_waiting 7\n",
                    "snapfarm_cell_test_cases_waiting{pipeline=\"app\",cell=\"host\"} 3",
                    "snapfarm_cell_test_cases_waiting{pipeline=\"app\",cell=\"A\"} 2",
                    "snapfarm_workers{state=\"able\"} 0",
                ],
                in: try #require(try fleet.call("GET", "/metrics", token: read)?.text)
            )
            _ = try fleet.startWorker("far")
            #expect(running.ending(within: 60).status == 0, "\(running.said)")
            let text = try #require(try fleet.call("GET", "/metrics", token: read)?.text)
            expect(
                [
                    "snapfarm_runs{state=\"passed\"} 1", "snapfarm_leases_live 0",
                    "snapfarm_test_cases_waiting 0", "snapfarm_workers{state=\"able\"} 1",
                    "snapfarm_workers{state=\"lost\"} 0",
                    "# TYPE snapfarm_ledger_commit_seconds histogram",
                    "snapfarm_requests_total{status=\"200\"} ",
                    "snapfarm_backup_last_success_timestamp_seconds 1",
                    "snapfarm_retention_last_success_timestamp_seconds 1",
                ],
                in: text
            )
            let served = names(/(?m)^# TYPE (\S+)/, in: text)
            try expectServed(served)
            try expectReadable(text, fleet)
            let runs = try fleet.call("GET", "/api/v1/runs?limit=5", token: read)
            #expect(runs?.text.contains("\"state\":\"passed\"") == true, "\(runs?.text ?? "-")")
            let workers = try fleet.call("GET", "/api/v1/workers", token: read)
            #expect(workers?.text.contains("\"far\"") == true)
            for line in fleet.log.split(separator: "\n") {
                let object =
                    try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String]
                #expect(object?["event"] != nil && object?["time"] != nil, "\(line)")
            }
            #expect(!fleet.log.contains(read))
        }

        private func expect(_ lines: [String], in text: String) {
            for line in lines where !text.contains(line) { Issue.record("no \(line) in \(text)") }
        }

        /// Checks that alerts and dashboard use only metrics that a coordinator serves.
        private func expectServed(_ served: Set<String>) throws {
            for file in ["snapfarm.rules.yaml", "grafana.json"] {
                let asked = names(
                    /(?m)[^\w.](snapfarm_\w+)/,
                    in: try text("deploy/monitoring/\(file)")
                )
                #expect(asked.count > 5)
                for name in asked {
                    let plain = name.replacing(/_(bucket|sum|count)$/, with: "")
                    #expect(served.contains(plain) || served.contains(name), "\(file): \(name)")
                }
            }
        }

        private func expectReadable(_ text: String, _ fleet: Fleet) throws {
            try fleet.place.write("metrics", text)
            let script = """
                promtool check metrics < metrics && cd '\(Self.folder)/deploy/monitoring' \
                && promtool check rules snapfarm.rules.yaml \
                && promtool check config --syntax-only prometheus.yaml \
                && promtool test rules snapfarm.rules.test.yaml
                """
            #if os(Linux)
            let read = try TestProcess.run(["sh", "-c", script], in: fleet.place.path)
            #expect(read.status == 0, "\(read.said)")
            #endif
        }

        @Test("every alert is tried, and names a part of the documents that is there")
        func alerts() throws {
            let rules = try text("deploy/monitoring/snapfarm.rules.yaml")
            let alerts = names(/- alert: (\w+)/, in: rules)
            let tried = names(
                /alertname: (\w+)/,
                in: try text("deploy/monitoring/snapfarm.rules.test.yaml")
            )
            #expect(alerts.count > 10 && alerts == tried)
            for place in names(/runbook: (\S+)/, in: rules) {
                let parts = place.split(separator: "#").map(String.init)
                let headings = try text(parts[0]).split(separator: "\n")
                    .filter { $0.hasPrefix("#") }
                    .map { line in
                        line.drop { $0 == "#" || $0 == " " }.lowercased().filter {
                            $0.isLetter || $0.isNumber || " -".contains($0)
                        }.replacing(" ", with: "-")
                    }
                #expect(parts.count == 1 || headings.contains(parts[1]), "\(place)")
            }
        }
    }
}
