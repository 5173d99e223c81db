// Tests of a coordinator that publishes into a store on a Git host and commits the pin to the run's
// branch.
import FarmCore
import FarmReferences
import FarmRun
import FarmTesting
import Foundation
import ReferenceTesting
import Synchronization
import Testing

extension ManyMachines {
    @Suite("Publishing at a coordinator", .serialized)
    struct ServedPublishingTests {
        static let kinds: [StoreLocation.Kind] = [.path, .git, .ssh, .https]

        @Test(
            "a fleet records into a store anywhere, a page commits the pin, and a moved pin is joined",
            arguments: kinds
        )
        func everywhere(kind: StoreLocation.Kind) throws {
            let team = try ServedTeam(kind)
            try team.makeRed()
            let recorded = try team.pin
            #expect(try team.isAvailable(recorded))
            // Another clone records another picture meanwhile, and pushes the pin to the branch.
            let other = team.project.folder.path + "-other"
            defer { try? FileManager.default.removeItem(atPath: other) }
            try team.git("clone", "-q", "-b", "work", team.host.path("main"), other)
            try Project.png(shade: 77).write(
                to: URL(fileURLWithPath: other + "/pictures/three.png")
            )
            for name in ["one", "two"] {
                // The other clone keeps the old versions of these two pictures.
                try team.git("checkout", "-q", "HEAD~1", "--", "pictures/\(name).png", in: other)
            }
            let theirs = Program(folder: other, environment: team.access)
            let record = try theirs.run(["run", "app.yaml", "--mode", "record"])
            try #require(record.status == 0, "\(record.said)")
            if kind != .path {
                let pushed = try theirs.run(["refs", "push", "--pipeline", "app.yaml"])
                try #require(pushed.status == 0, "\(pushed.said)")
            }
            for name in ["one", "two"] {
                try team.git("checkout", "-q", "HEAD", "--", "pictures/\(name).png", in: other)
            }
            try team.push("another picture", in: other)
            let moved = try team.pin
            #expect(moved != recorded)
            let before = try team.there("main", "rev-parse", "work")

            var visitor = try team.visitor()
            try team.expectReferences(of: recorded, by: visitor)
            try team.accept("one", "two", by: &visitor)
            let answer = try team.publish(by: &visitor)
            #expect(answer.status == 200, "\(answer.text)\(team.fleet.log)")
            #expect(answer.text.contains("Committed to work of"), "\(answer.text)")
            let after = try team.there("main", "rev-parse", "work")
            #expect(answer.text.contains(after))
            #expect(try team.there("main", "rev-parse", "work^") == before)
            let names = try team.there("main", "diff", "--name-only", before, after)
            #expect(names == "snapfarm.refs")
            let joined = try team.pin
            #expect(joined != moved && joined != recorded)
            #expect(try team.isAvailable(joined))
            #expect(try team.host.faults("store") == [])

            try team.git("pull", "-q", "--no-rebase", team.host.path("main"), "work")
            let green = try team.run(["--output", "green"])
            #expect(green.status == 0, "\(green.said)")
            // Published again: nothing is left to do.
            #expect(try team.publish(by: &visitor).status == 200)
            #expect(try team.there("main", "rev-parse", "work") == after)
        }

        @Test(
            "without a repository the page shows the pin as a patch, which makes the next run green"
        )
        func patch() throws {
            let team = try ServedTeam(.git, commits: false)
            try team.makeRed()
            var visitor = try team.visitor()
            #expect(try !visitor.get(team.page + "/").text.contains("refs pin move"))
            try team.accept("one", "two", by: &visitor)
            let answer = try team.publish(by: &visitor)
            #expect(answer.text.contains("snapfarm refs pin move"), "\(answer.text)")
            let page = try visitor.get(team.page + "/?lang=ja").text
            #expect(page.contains("snapfarm refs pin move"))
            let mark = try #require(page.range(of: "readonly aria-label=\"同じ内容"), "\(page)")
            let area = page[mark.upperBound...]
            let start = try #require(area.range(of: ">\n")?.upperBound)
            let text = String(area[start...].prefix { $0 != "<" })
                .replacing("&gt;", with: ">").replacing("&lt;", with: "<")
                .replacing("&quot;", with: "\"").replacing("&amp;", with: "&")
            let file = try team.fleet.place.write("pin.patch", text)
            try team.git("apply", file)
            let green = try team.run(["--output", "green"])
            #expect(green.status == 0, "\(green.said)\n\(text)")
        }

        @Test("a branch without the commit that was run, a fork's say, gets no commit")
        func fork() throws {
            let team = try ServedTeam(.git)
            try team.makeRed()
            // The branch of the same name has another history.
            try team.git("checkout", "-q", "--orphan", "rebased")
            try team.git("commit", "-qm", "squashed")
            try team.git("push", "-qf", team.host.path("main"), "HEAD:work")
            let before = try team.there("main", "rev-parse", "work")
            var visitor = try team.visitor()
            try team.accept("one", by: &visitor)
            let answer = try team.publish(by: &visitor)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer.text.contains("does not have the commit"), "\(answer.text)")
            #expect(answer.text.contains("snapfarm refs pin move"), "\(answer.text)")
            #expect(try team.there("main", "rev-parse", "work") == before)
        }

        @Test("a host that refuses the commit is quoted, and publishing again does the rest")
        func refused() throws {
            let team = try ServedTeam(.git)
            try team.makeRed()
            let hook = team.host.path("main") + "/hooks/pre-receive"
            try "#!/bin/sh\necho 'pins are frozen' >&2\nexit 1\n"
                .write(toFile: hook, atomically: true, encoding: .utf8)
            chmod(hook, 0o755)
            var visitor = try team.visitor()
            try team.accept("one", by: &visitor)
            let refused = try team.publish(by: &visitor)
            #expect(refused.status >= 400 && refused.text.contains("pins are frozen"))
            #expect(refused.text.contains("refs pin move"), "\(refused.text)")
            let seen = try visitor.get(team.page + "/decisions", accepting: "application/json")
            #expect(seen.text.contains("Publish 1 picture"), "\(seen.text)")
            try FileManager.default.removeItem(atPath: hook)
            let done = try team.publish(by: &visitor)
            #expect(done.status == 200 && done.text.contains("Committed to work"), "\(done.text)")
        }

        @Test("a set that the host refuses is not recorded, and is once the host takes it")
        func recordRefused() throws {
            let team = try ServedTeam(.git)
            let hook = team.host.path("store") + "/hooks/pre-receive"
            try "#!/bin/sh\necho 'the disk is full' >&2\nexit 1\n"
                .write(toFile: hook, atomically: true, encoding: .utf8)
            chmod(hook, 0o755)
            _ = try team.fleet.startWorker("far")
            let program = try team.fleet.submitting()
            let running = try program.start(
                ["run", "app.yaml", "--coordinator", team.fleet.url, "--mode", "record"]
            )
            defer { running.kill() }
            let isRefused = running.wait(seconds: 60) {
                team.fleet.log.contains("a run cannot be judged")
            }
            #expect(isRefused, "\(team.fleet.log)")
            #expect(running.isRunning)
            #expect(team.project.text("snapfarm.refs") == "")
            try FileManager.default.removeItem(atPath: hook)
            #expect(running.ending(within: 60).status == 0, "\(team.fleet.log)")
            let pin = try ReferencePin(
                parsing: Data(team.project.text("snapfarm.refs").utf8),
                file: "pin"
            )
            #expect(try team.isAvailable(pin))
        }

        @Test("of several who publish at once one does it, and the others read who did")
        func atOnce() throws {
            let team = try ServedTeam(.path)
            try team.makeRed()
            var visitor = try team.visitor()
            try team.accept("one", "two", by: &visitor)
            let body = "token=\(try visitor.formToken())"
            let request = [
                "POST \(team.page)/publish HTTP/1.1", "Host: 127.0.0.1", "Connection: close",
                "Origin: http://127.0.0.1", "Cookie: \(visitor.cookie)",
                "Accept: application/json", "Content-Type: application/x-www-form-urlencoded",
                "Content-Length: \(body.utf8.count)", "", body,
            ].joined(separator: "\r\n")
            let port = team.fleet.port
            let texts = Mutex<[String]>([])
            DispatchQueue.concurrentPerform(iterations: 6) { _ in
                let connection = try? RawConnection(port: port)
                connection?.send(request)
                let answer = connection?.response(within: 60)
                texts.withLock { $0.append(answer?.text ?? "no answer") }
            }
            let (first, others) = texts.withLock { texts in
                (
                    texts.filter { $0.contains("Published 2 pictures") },
                    texts.filter { $0.contains("review has published them already (set") }
                )
            }
            #expect(first.count == 1 && others.count == 5, "\(texts.withLock { $0 })")
            let head = try team.there("main", "rev-parse", "work")
            #expect(first.first?.contains(head) == true)
        }

        @Test(
            "killed by SIGKILL before any step of a page's publication, the next try ends the same"
        )
        func killed() throws {
            let team = try ServedTeam(.path)
            try team.makeRed()
            let (old, head) = (try team.pin, try team.there("main", "rev-parse", "work"))
            var visitor = try team.visitor()
            try team.accept("one", by: &visitor)
            #expect(try team.fleet.stop().status == 0)
            for step in PublishStep.allCases {
                let victim = try team.fleet.serve(until: step)
                let form = try visitor.formToken()
                let answer = try team.fleet.call(
                    "POST",
                    team.page + "/publish",
                    version: nil,
                    headers: [
                        "Cookie: \(visitor.cookie)", "Origin: http://127.0.0.1",
                        "Content-Type: application/x-www-form-urlencoded",
                    ],
                    body: Data("token=\(form)".utf8)
                )
                #expect(answer == nil, "\(answer?.text ?? "")")
                #expect(victim.ending(within: 30).status == 128 + SIGKILL, "\(victim.said)")
                let pin = try team.pin
                #expect((pin == old) == (step != .decisions), "\(step)")
                #expect(try team.isAvailable(pin), "\(step)")
                #expect(try team.host.faults("store") == [], "\(step)")
            }
            try team.fleet.serve()
            let answer = try team.publish(by: &visitor)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer.text.contains("Published 1 picture"), "\(answer.text)")
            let commit = try team.there("main", "rev-parse", "work")
            #expect(answer.text.contains(commit))
            #expect(try team.there("main", "rev-list", "--count", "\(head)..work") == "1")
            #expect(try team.publish(by: &visitor).text.contains("Nothing new was published"))
            #expect(try team.there("main", "rev-parse", "work") == commit)
        }

        @Test(
            "killed by SIGKILL before any step of an approval's commit, the next try ends the same",
            arguments: PublishStep.allCases
        )
        func killedApproval(_ step: PublishStep) throws {
            let red = try RedRun()
            let (old, head) = (red.pin, try red.main("rev-parse", "main"))
            let victim = try KillTask.start(
                .approve,
                until: step,
                [red.clone.path + "/app.yaml", red.output, "main"],
                in: red.clone.path
            ).ending(within: 60)
            #expect(victim.status == 128 + SIGKILL, "\(victim.said)")
            let between = try red.main("show", "main:snapfarm.refs") + "\n"
            #expect((between == old) == (step != .decisions))
            #expect(try red.isAvailable(between))
            #expect(try red.team.storeIsSound())
            let words = ["approve", "--from", red.output, "--commit", "main", "--reason", "blue"]
            let again = try red.clone.snapfarm(words)
            #expect(again.status == 0, "\(again.said)")
            let pin = try red.main("show", "main:snapfarm.refs") + "\n"
            #expect(pin != old && red.pin == old)
            #expect(try red.isAvailable(pin))
            #expect(try red.main("rev-list", "--count", "\(head)..main") == "1")
            #expect(try red.team.storeIsSound())
        }
    }
}
