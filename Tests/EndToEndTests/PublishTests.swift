// Tests of approvals that others can use at once: the set is at its host before a pin names it, and
// a comment can commit the pin to a branch.
import FarmCore
import FarmReferences
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("Publishing an approval", .serialized)
    struct PublishTests {
        @Test("a host that refuses the set leaves the pin, and the next try ends as if it had not")
        func refusedSet() throws {
            let red = try RedRun()
            let pin = red.pin
            try red.hook("store.git", "pre-receive", "echo 'the disk is full' >&2; exit 1\n")
            let refused = try red.clone.snapfarm(["approve", "--from", red.output])
            #expect(refused.status == ExitCode.configuration.rawValue, "\(refused.said)")
            #expect(refused.errors.contains("The pin was not moved."), "\(refused.said)")
            #expect(red.pin == pin)
            #expect(try red.team.setsOfStore() == 1)
            try red.hook("store.git", "pre-receive", nil)
            let approved = try red.clone.snapfarm(["approve", "--from", red.output])
            #expect(approved.status == 0, "\(approved.said)")
            #expect(red.pin != pin)
            #expect(try red.isAvailable(red.pin))
            #expect(try red.team.setsOfStore() == 2)
            #expect(try red.clone.snapfarm(["run", "app.yaml"]).status == 0)
        }

        @Test("killed by SIGKILL at any time no pin names what the host lacks, and again it ends")
        func killed() throws {
            var random = SeededGenerator.announced("approve")
            let red = try RedRun()
            let (old, path) = (red.pin, red.clone.path)
            let spare = red.team.folder.file("spare")
            try FileManager.default.copyItem(atPath: path, toPath: spare)
            let words = ["approve", "--from", red.output]
            let clock = ContinuousClock()
            let start = clock.now
            #expect(try red.clone.snapfarm(words).status == 0)
            let seconds = (clock.now - start) / .seconds(1)
            let new = red.pin
            let set = try ReferencePin(parsing: Data(new.utf8), file: "pin").setID
            var landed = 0
            for number in 0..<8 {
                try FileManager.default.removeItem(atPath: path)
                try FileManager.default.copyItem(atPath: spare, toPath: path)
                let name = "refs/snapfarm/sets/\(set)"
                try SharedProject.git(
                    ["-C", "store.git", "update-ref", "-d", name],
                    in: red.team.folder.path
                )
                let running = try Program(folder: path).start(words)
                usleep(UInt32(seconds * .random(in: 0.2..<1, using: &random) * 1e6))
                kill(running.pid, SIGKILL)
                if running.ending(within: 10).status == 128 + SIGKILL { landed += 1 }
                #expect([old, new].contains(red.pin), "kill \(number)")
                #expect(try red.isAvailable(red.pin), "kill \(number)")
                let again = try red.clone.snapfarm(words)
                #expect(again.status == 0, "kill \(number): \(again.said)")
                #expect(red.pin == new)
                #expect(try red.isAvailable(new))
            }
            print("approve: \(landed) of 8 kills landed")
            #expect(landed > 0)
            #expect(try red.team.storeIsSound())
        }

        @Test("a commit of the branch changes the pin alone, and the work tree stays as it is")
        func commit() throws {
            let red = try RedRun()
            let (pin, before) = (red.pin, try red.main("rev-parse", "main"))
            let words = ["approve", "--from", red.output, "--commit", "main", "--reason", "blue"]
            let approved = try red.clone.snapfarm(words)
            #expect(approved.status == 0, "\(approved.said)")
            #expect(red.pin == pin)
            #expect(try red.main("diff", "--name-only", before, "main") == "snapfarm.refs")
            #expect(try red.main("rev-parse", "main^") == before)
            let message = try red.main("log", "-1", "--format=%B", "main")
            #expect(message.contains("Snapfarm-Reason: blue"), "\(message)")
            #expect(try red.isAvailable(red.main("show", "main:snapfarm.refs") + "\n"))
            let fresh = try red.team.clone("fresh")
            #expect(try fresh.snapfarm(["run", "app.yaml"]).status == 0)
            // The same again from the clone, which is behind now: nothing is left to do.
            let after = try red.main("rev-parse", "main")
            let again = try red.clone.snapfarm(words)
            #expect(again.status == 0, "\(again.said)")
            #expect(try red.main("rev-parse", "main") == after)
        }

        @Test("a branch whose pin moved while we pushed gets both; the same picture is refused")
        func moved() throws {
            let red = try RedRun()
            let other = try red.team.clone("other")
            // Another clone has already approved a different picture of the same suite.
            #expect(try other.snapfarm(["approve", "--from", red.output, "--dry-run"]).status == 0)
            let theirs = ["--from", red.output, "--select", "snapshot=*/two"]
            #expect(try other.snapfarm(["approve"] + theirs).status == 0)
            try SharedProject.git(["commit", "-qam", "theirs"], in: other.path)
            try SharedProject.git(["push", "-q", "origin", "HEAD:theirs"], in: other.path)
            // The branch moves after it was read and before our commit is pushed.
            let script = """
                test -e moved && exit 0
                touch moved
                git update-ref refs/heads/main refs/heads/theirs

                """
            try red.hook("main.git", "update", script)
            let ours = ["--from", red.output, "--select", "snapshot=*/one", "--commit", "main"]
            let approved = try red.clone.snapfarm(["approve"] + ours)
            #expect(approved.status == 0, "\(approved.said)")
            #expect(try red.main("rev-parse", "main^") == red.main("rev-parse", "theirs"))
            let fresh = try red.team.clone("fresh")
            #expect(try fresh.snapfarm(["run", "app.yaml"]).status == 0)
            #expect(try red.team.storeIsSound())
        }

        @Test("the same picture changed on the branch meanwhile is refused with its name")
        func conflict() throws {
            let red = try RedRun()
            let other = try red.team.clone("other")
            try other.draw("one", shade: 99)
            #expect(try other.snapfarm(["run", "app.yaml", "--mode", "record"]).status == 0)
            #expect(try other.snapfarm(["refs", "push"]).status == 0)
            try SharedProject.git(["commit", "-qam", "theirs"], in: other.path)
            try SharedProject.git(["push", "-q", "origin", "HEAD:theirs"], in: other.path)
            try red.hook(
                "main.git",
                "update",
                "test -e moved && exit 0\ntouch moved\n"
                    + "git update-ref refs/heads/main refs/heads/theirs\n"
            )
            let words = ["approve", "--from", red.output, "--commit", "main"]
            let refused = try red.clone.snapfarm(words)
            #expect(refused.status == ExitCode.differences.rawValue, "\(refused.said)")
            #expect(refused.errors.contains("A/Suite/one"), "\(refused.said)")
            #expect(try red.main("rev-parse", "main") == red.main("rev-parse", "theirs"))
        }

        @Test("a patch is what an approval would have written")
        func patch() throws {
            let red = try RedRun()
            let pin = red.pin
            let made = try red.clone.snapfarm(["approve", "--from", red.output, "--patch"])
            #expect(made.status == 0, "\(made.said)")
            #expect(red.pin == pin)
            let patch = try red.team.folder.write("pin.patch", made.output)
            try SharedProject.git(["apply", "--check", patch], in: red.clone.path)
            try SharedProject.git(["apply", patch], in: red.clone.path)
            #expect(red.pin != pin)
            #expect(try red.isAvailable(red.pin))
            #expect(try red.clone.snapfarm(["run", "app.yaml"]).status == 0)
        }

        @Test(
            "a comment accepts and rejects exactly its changes; a stale or edited one does nothing"
        )
        func comment() throws {
            let red = try RedRun()
            let (one, two) = (try red.change("A/Suite/one"), try red.change("A/Suite/two"))
            let run = red.summary.run.id
            let answer = red.team.folder.file("answer.md")
            func decide(_ text: String) throws -> (ProcessEnding, answer: String) {
                let file = try red.team.folder.write("comment", text)
                let ending = try red.clone.snapfarm([
                    "approve", "--from", red.output, "--comment", file, "--answer", answer,
                    "--commit", "main",
                ])
                return (ending, (try? String(contentsOfFile: answer, encoding: .utf8)) ?? "")
            }
            let before = try red.main("rev-parse", "main")
            for text in [
                "/snapfarm accept 20200101-000000-aaaa\n\(one)\n",
                "/snapfarm accept \(run)\n\(one)\nffffffffffff words\n",
                "/snapfarm accept \(run)\n\(one)\n$(touch \(red.team.folder.file("owned")))\n",
            ] {
                let (refused, answer) = try decide(text)
                #expect(refused.status == ExitCode.invalidInput.rawValue, "\(refused.said)")
                #expect(answer.contains("Nothing was decided."), "\(answer)")
            }
            #expect(!FileManager.default.fileExists(atPath: red.team.folder.file("owned")))
            #expect(try red.main("rev-parse", "main") == before)
            #expect(try red.team.setsOfStore() == 1)

            let (done, words) = try decide(
                "/snapfarm accept \(run)\r\n\(one) the title\r\n"
                    + "/snapfarm reject \(run): too dark\r\n\(two)\r\n"
            )
            #expect(done.status == 0, "\(done.said)")
            #expect(
                words.contains("Approved 2 changed") && words.contains("Rejected 2"),
                "\(words)"
            )
            #expect(try red.main("diff", "--name-only", before, "main") == "snapfarm.refs")
            let fresh = try red.team.clone("fresh")
            #expect(try fresh.snapfarm(["run", "app.yaml", "--json"]).status == 1)
            let left = try fresh.snapfarm(["approve", "--run", "latest", "--dry-run"])
            #expect(left.output.contains("Would approve 2 changed"), "\(left.output)")
        }

        @Test("the new commit's status says what a run of it would say", arguments: [true, false])
        func status(isAll: Bool) throws {
            let hub = try GitHubServer()
            let red = try RedRun(["GITHUB_ACTIONS": "true", "GITHUB_REPOSITORY": "o/r"])
            try hub.start(showing: red.team.folder.file("main.git"))
            let words = isAll ? [] : ["--select", "snapshot=*/one"]
            let program = Program(
                folder: red.clone.path,
                environment: [
                    "GITHUB_ACTIONS": "true", "GITHUB_REPOSITORY": "o/r",
                    "GITHUB_SHA": String(repeating: "0", count: 40),
                    "GITHUB_API_URL": "http://127.0.0.1:\(hub.port)",
                    "SNAPFARM_GITHUB_TOKEN": "good",
                ]
            )
            let approved = try program.run(
                ["approve", "--from", red.output, "--commit", "main"] + words
            )
            #expect(approved.status == 0, "\(approved.said)")
            let status = try #require(try hub.statuses().last, "\(approved.said)")
            let head = try red.main("rev-parse", "main")
            #expect(status["sha"] == head)
            #expect(status["state"] == (isAll ? "success" : "failure"), "\(status)")
            let fresh = try red.team.clone("fresh")
            #expect(try fresh.snapfarm(["run", "app.yaml"]).status == (isAll ? 0 : 1))
        }
    }
}
