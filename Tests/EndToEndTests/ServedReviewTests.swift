import FarmCore
import FarmTesting
import Foundation
import Testing

extension ManyMachines {
    @Suite("Runs on a coordinator's pages", .serialized)
    struct ServedReviewTests {
        /// Returns a fleet with references; one picture has changed since.
        private func changed(_ serving: [String] = []) throws -> Fleet {
            let fleet = try Fleet()
            let recorded = try fleet.project.run(["--mode", "record"])
            try #require(recorded.status == 0, "\(recorded.said)")
            try fleet.project.folder.write("pictures/two.png", Project.png(shade: 200))
            try fleet.serve(serving)
            return fleet
        }

        @Test("what a person accepts on the page is published, and the next run is green")
        func publish() throws {
            let fleet = try changed()
            _ = try fleet.startWorker("far")
            #expect(try fleet.run(["--output", "red"]).status == 1, "\(fleet.log)")
            let red = try fleet.project.summary("red")
            let made = try fleet.program.run([
                "tokens", "create", "aiko", "--scope", "review", "--person", "Aiko Tanaka",
                "--data",
                "state",
            ])
            let token = made.output.trimmingCharacters(in: .whitespacesAndNewlines)
            var visitor = Visitor(fleet)
            try visitor.logIn(token)
            let list = try visitor.get("/runs?lang=ja").text
            #expect(list.contains("href=\"/runs/\(red.run.id)/\"") && list.contains("要確認"))
            #expect(list.contains("開始: submit"), "who handed it in")
            let path = "/runs/\(red.run.id)"
            #expect(try visitor.get(path + "/").status == 200)
            let differing = red.snapshots.filter { $0.verdict == .changed }
            #expect(differing.count == 2)
            for (role, file) in differing[0].files {
                let answer = try visitor.get("\(path)/files/\(file)")
                let here = FileManager.default.contents(
                    atPath: fleet.project.folder.file("red/\(file)")
                )
                #expect(answer.status == 200 && answer.body == here, "\(role)")
            }
            let form = try visitor.formToken()
            let decided = try visitor.post(
                path + "/decisions",
                [("token", form), ("kind", "accepted")] + differing.map { ("snapshot", $0.id) },
                accepting: "application/json"
            )
            #expect(decided.status == 200, "\(decided.text)")
            // A user with read access sees the author of a decision and decides nothing.
            var reader = Visitor(fleet)
            try reader.logIn(try fleet.token("read"))
            let seen = try reader.get(path + "/decisions", accepting: "application/json")
            #expect(seen.text.contains("Aiko Tanaka"), "\(seen.text)")
            let refused = try reader.post(
                path + "/publish",
                [("token", try reader.formToken())],
                accepting: "application/json"
            )
            #expect(refused.status == 403 && refused.text.contains("page-may-not-decide"))
            var sets: [String] = []
            for _ in 0..<2 {
                let published = try visitor.post(
                    path + "/publish",
                    [("token", form)],
                    accepting: "application/json"
                )
                #expect(published.status == 200, "\(published.text)\n\(fleet.log)")
                let set = published.text.firstMatch(of: /pin move ([0-9a-f]{40})/)
                sets.append(String(try #require(set, "\(published.text)").1))
            }
            #expect(sets[0] == sets[1], "twice is once")
            let moved = try fleet.project.program().run(["refs", "pin", "move", sets[0]])
            #expect(moved.status == 0, "\(moved.said)")
            let green = try fleet.run(["--output", "green"])
            #expect(green.status == 0, "\(green.said)")
            #expect(try storeLog(fleet).contains("Aiko Tanaka"))
        }

        private func storeLog(_ fleet: Fleet) throws -> String {
            try TestProcess.run(
                ["git", "-C", fleet.project.folder.file("store.git"), "log", "-1", "main"],
                in: fleet.place.path
            ).output
        }

        @Test("a run that goes shows how far it is and what it waits for, and is not published")
        func open() throws {
            let fleet = try changed()
            let program = try fleet.submitting()
            let running = try program.start(["run", "app.yaml", "--coordinator", fleet.url])
            defer { running.kill() }
            var visitor = Visitor(fleet)
            try visitor.logIn(try fleet.token("review"))
            var page = ""
            let isThere = running.wait(seconds: 60) {
                page = (try? visitor.get("/runs").text) ?? ""
                return page.contains("/progress\"")
            }
            #expect(isThere, "\(running.said)")
            let run = try #require(page.firstMatch(of: /\/runs\/([0-9a-z-]+)\/progress"/)).1
            let progress = try visitor.get("/runs/\(run)/progress").text
            #expect(progress.contains("No worker calls"), "\(progress)")
            #expect(progress.contains("unit_test") && progress.contains("0 / "))
            let japanese = try visitor.get("/runs/\(run)/progress?lang=ja").text
            #expect(japanese.contains("ワーカーがいません") && !japanese.contains("No worker"))
            let refused = try visitor.post(
                "/runs/\(run)/publish",
                [("token", try visitor.formToken())],
                accepting: "application/json"
            )
            #expect(refused.status == 409 && refused.text.contains("still goes"), "\(refused.text)")
            _ = try fleet.startWorker("far")
            #expect(running.ending(within: 60).status == 1)
            let ended = try visitor.get("/runs/\(run)/progress")
            #expect(ended.status == 303 && ended.headers["location"] == "/runs/\(run)/")
        }

        @Test("a page that listens hears of what changes")
        func events() throws {
            let fleet = try changed()
            var visitor = Visitor(fleet)
            try visitor.logIn(try fleet.token("read"))
            let listener = try TestProcess(
                [
                    "curl", "-sN", "--max-time", "300", "-H", "Cookie: \(visitor.cookie)",
                    fleet.url + "/runs/events",
                ],
                environment: ProcessInfo.processInfo.environment
            )
            defer { listener.kill() }
            #expect(listener.wait(seconds: 20) { listener.output.contains("event: changed") })
            let known = listener.output.count
            _ = try fleet.startWorker("far")
            #expect(try fleet.run(["--output", "red"]).status == 1)
            #expect(listener.wait(seconds: 20) { listener.output.count > known })
        }
    }
}
