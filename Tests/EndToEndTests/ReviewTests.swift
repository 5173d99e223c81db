// Tests of `snapfarm review` as people use it: a run whose machine is gone, opened in a real
// Chromium, and a publication that dies at each of its steps.
import FarmCore
import FarmReports
import FarmRun
import FarmServer
import FarmTesting
import Foundation
import Testing

/// A process of `snapfarm review`.
final class RunningReview {
    struct NoAddress: Error {
        let errors: String
    }

    let process: TestProcess
    /// The one-time address.
    let address: String

    init(_ project: Project, _ words: [String], environment: [String: String] = [:]) throws {
        let process = try project.program(environment).start(["review"] + words)
        self.process = process
        guard process.wait(seconds: 60, until: { process.output.hasSuffix("\n") }) else {
            throw NoAddress(errors: process.errors)
        }
        address = process.output.trimmingCharacters(in: .newlines)
    }

    /// Stops the process like Ctrl-C.
    func interrupt() -> ProcessEnding {
        kill(process.pid, SIGINT)
        return process.ending(within: 30)
    }
}

/// The task of a process that will die during a publication.
private enum VictimTask {
    static let key = "SNAPFARM_TEST_PUBLISH_VICTIM"

    /// The project and the step, or `nil` in every process but the victim.
    static var given: [String]? {
        ProcessInfo.processInfo.environment[key].map { $0.components(separatedBy: "\n") }
    }

    /// Starts this test program again to run only the victim.
    static func run(_ project: String, until step: PublishStep) throws -> ProcessEnding {
        var words = CommandLine.arguments
        for option in ["--filter", "--skip"] {
            while let index = words.firstIndex(of: option) {
                words.removeSubrange(index..<min(index + 2, words.count))
            }
        }
        var environment = ProcessInfo.processInfo.environment
        environment[key] = "\(project)\n\(step.rawValue)"
        return try TestProcess.run(words + ["--filter", "PublishVictim"], environment: environment)
    }

    /// Returns a desk for the newest run of a project.
    static func desk(
        _ folder: String,
        place: ReviewRequest.Place = .run("latest"),
        before: @escaping @Sendable (PublishStep) -> Void = { _ in }
    ) async throws -> RunPage {
        var request = ReviewRequest(
            place,
            environment: ProcessInfo.processInfo.environment
        )
        request.file = folder + "/app.yaml"
        return try await RunPage.open(request, say: { _ in }, before: before)
    }
}

@Suite("A publication that is killed", .enabled(if: VictimTask.given != nil))
struct PublishVictim {
    @Test("publishes up to a step and dies")
    func die() async throws {
        let task = try #require(VictimTask.given)
        let desk = try await VictimTask.desk(task[0]) { step in
            if step.rawValue == task[1] { kill(getpid(), SIGKILL) }
        }
        _ = try await desk.publish(by: "ada", now: 1_700_000_000_000)
    }
}

extension EndToEnd {
    @Suite("Review on one's own machine", .serialized)
    struct ReviewTests {
        /// Returns a project and a verify run that found the pictures `changed` changed.
        private func red(
            _ changed: [String] = ["one", "two"],
            devices: [String] = ["A"],
            more: String = ""
        ) throws -> Project {
            let project = try Project(scenes: ["one", "two", "three"], devices: devices)
            try project.folder.write("app.yaml", project.text("app.yaml") + more)
            #expect(try project.run(["--mode", "record"]).status == 0)
            for (index, scene) in changed.enumerated() {
                let shade = UInt8(150 + 50 * index)
                try project.folder.write("pictures/\(scene).png", Project.png(shade: shade))
            }
            #expect(try project.run().status == 1)
            return project
        }

        @Test(
            "by keyboard one picture is accepted, one rejected, one decision undone, and published",
            .enabled(if: TestBrowser.isInstalled)
        )
        func byKeyboard() throws {
            let project = try red()
            let zip = project.folder.file("kept.zip")
            try FileManager.default.moveItem(
                atPath: project.folder.file("snapfarm-out/FailureDiffs.zip"),
                toPath: zip
            )
            // The machine of the run is gone.
            try FileManager.default.removeItem(atPath: project.folder.file(".snapfarm"))
            try FileManager.default.removeItem(atPath: project.folder.file("snapfarm-out"))
            let pin = project.text("snapfarm.refs")
            let review = try RunningReview(project, ["--from", zip, "--no-open"])
            let browser = try TestBrowser()
            try browser.open(review.address)
            #expect(try browser.text("document.querySelectorAll('.change').length") == "2")
            func decided(_ name: String) -> String {
                """
                [...document.querySelectorAll('.change')].find((card) =>
                  card.innerHTML.includes('failed_\(name)'))?.dataset.d
                """
            }
            try browser.press("j")
            let first = try browser.text("document.activeElement.innerHTML.includes('failed_one')")
            let names = first == "true" ? ["one", "two"] : ["two", "one"]
            try browser.press("a")
            #expect(try browser.waits(for: decided(names[0]) + " === 'accepted'"))
            try browser.press("jx")
            try browser.press("pale" + TestBrowser.enter)
            #expect(try browser.waits(for: decided(names[1]) + " === 'rejected'"))
            try browser.press("u")
            #expect(try browser.waits(for: decided(names[1]) + " === 'open'"))
            try browser.press("b")
            #expect(try browser.waits(for: decided(names[1]) + " === 'accepted'"))
            #expect(
                try browser.waits(
                    for: """
                        [...document.querySelectorAll('.decided')]
                          .some((place) => place.textContent.includes('as alternate'))
                        """
                )
            )
            try browser.press("u")
            #expect(try browser.waits(for: decided(names[1]) + " === 'open'"))
            try browser.press("x")
            try browser.press("too pale" + TestBrowser.enter)
            #expect(try browser.waits(for: decided(names[1]) + " === 'rejected'"))
            #expect(project.text("snapfarm.refs") == pin)
            try browser.press("p" + TestBrowser.enter)
            #expect(try browser.waits(for: decided(names[0]) + " === 'published'"))
            #expect(project.text("snapfarm.refs") != pin)
            #expect(
                try browser.text("document.querySelector('#notice').textContent").contains("git")
            )
            let ended = review.interrupt()
            #expect(ended.status == 0, "\(ended.said)")
            #expect(ended.errors.contains("Approved 1 changed"))
            #expect(ended.errors.contains("git add snapfarm.refs"))

            #expect(try project.run().status == 1)
            let summary = try project.summary()
            let verdicts = summary.snapshots.filter { $0.verdict != .passed }
            #expect(verdicts.map(\.name) == [names[1]])
            // The command line knows the rejection, too.
            let approved = try project.program().run(["approve", "--run", summary.run.id])
            #expect(approved.errors.contains("rejected"), "\(approved.said)")
            #expect(try project.storeIsSound())
        }

        @Test("references that moved since the run are said before people decide, with both sets")
        func movedPin() async throws {
            let project = try red()
            let first = try project.summary().run
            let program = project.program()
            let own = ["approve", "--run", first.id, "--select", "snapshot=A/Suite/one"]
            #expect(try program.run(own).status == 0)
            func desk() async throws -> RunPage {
                try await VictimTask.desk(project.folder.path, place: .run(first.id))
            }
            #expect(try await desk().doubts.isEmpty, "its own approval moved the pin")
            try project.folder.write("pictures/two.png", Project.png(shade: 99))
            #expect(try project.run().status == 1)
            let second = try project.summary().run.id
            #expect(try program.run(["approve", "--run", second]).status == 0)

            let moved = try await desk()
            let doubt = try #require(moved.doubts.first)
            #expect(doubt.code == "review-other-pin" && doubt.message.contains("A/Suite/two"))
            #expect(doubt.message.contains(first.set.prefix(12)), "\(doubt)")
            #expect(try await moved.summary().problems.contains(doubt))
            let refused = try program.run(["approve", "--run", first.id])
            #expect(refused.status == 78 && refused.errors.contains(doubt.message))
        }

        @Test("where a prune took the set of a run, its page and its catalogue say so")
        func prunedSet() async throws {
            let project = try red(["one"])
            let run = try project.summary().run.id
            let program = project.program()
            #expect(try program.run(["approve", "--run", run]).status == 0)
            let commit = """
                git init -q && git add snapfarm.refs \
                  && git -c user.name=t -c user.email=t@t commit -qm pin
                """
            let folder = project.folder.path
            #expect(try TestProcess.run(["sh", "-c", commit], in: folder).status == 0)
            let days = ["--keep-days", "0", "--young-days", "0", "--grace-days", "0"]
            let pruned = try program.run(["refs", "prune", "--yes"] + days)
            #expect(pruned.status == 0, "\(pruned.said)")
            let zip = project.folder.file("snapfarm-out/FailureDiffs.zip")
            let desk = try await VictimTask.desk(folder, place: .from(zip))
            let catalogue = await #expect(throws: (any Error).self) {
                try await desk.catalogue(ofSet: nil)
            }
            #expect((catalogue as? any ExplainedError)?.code == "pin-pruned", "\(catalogue)")
            let opened = await #expect(throws: (any Error).self) {
                _ = try await VictimTask.desk(folder, place: .run(run))
            }
            #expect((opened as? any ExplainedError)?.code == "pin-pruned", "\(opened)")
        }

        @Test(
            "a card says why its reference is so, its cells are small pictures, and screens are found",
            .enabled(if: TestBrowser.isInstalled)
        )
        func history() throws {
            let screens = "\nscreens: [Suite/one, Suite/nowhere]\n"
            let project = try red(["one"], devices: ["A", "B"], more: screens)
            let review = try RunningReview(project, ["--no-open"])
            let browser = try TestBrowser()
            try browser.open(review.address)
            #expect(try browser.text("document.querySelectorAll('.change').length") == "1")
            try browser.press("jx")
            try browser.press("too pale" + TestBrowser.enter)
            #expect(try browser.waits(for: "document.querySelector('.change[data-d=rejected]')"))
            try browser.press("w")
            let told = "document.querySelector('details.why .history')?.textContent ?? ''"
            #expect(try browser.waits(for: "(\(told)).includes('too pale')"))
            #expect(try browser.text(told).contains("Added"))
            let loaded =
                "[...document.querySelectorAll('SELECTOR')].every((one) => one.naturalWidth)"
            func areLoaded(_ selector: String) throws -> Bool {
                try browser.text("document.querySelectorAll('\(selector)').length") != "0"
                    && browser.waits(for: loaded.replacing("SELECTOR", with: selector))
            }
            #expect(try areLoaded(".why img"))
            try browser.press("o")
            #expect(try browser.waits(for: "document.querySelector('.cells .show img')"))
            #expect(try areLoaded(".cells .show img"))
            #expect(
                try browser.text("document.querySelector('.cells img').src").contains("/thumbs/")
            )

            try browser.click(".links a[href*=catalogue]")
            #expect(try browser.waits(for: "document.querySelector('#shown')?.textContent"))
            #expect(try browser.text("document.body.textContent").contains("1 of 2 screens"))
            #expect(try browser.text("document.querySelectorAll('.shot').length") == "6")
            try browser.press("/")
            try browser.press("three")
            #expect(
                try browser.waits(for: "document.querySelector('#shown').textContent[0] === '2'")
            )
            #expect(try areLoaded(".place:not([hidden]) img"))
            #expect(try browser.text("document.querySelectorAll('.sets option').length") == "1")
            try browser.click(".links a[href*='../']")
            #expect(try browser.waits(for: "document.querySelector('.change')"))
            #expect(review.interrupt().status == 0)
        }

        @Test("a run of the data folder is shown, and another run goes on beside the page")
        func besideRuns() throws {
            let project = try red()
            let review = try RunningReview(project, ["--no-open"])
            // The page holds no lock.
            #expect(try project.run().status == 1)
            let entry = try #require(URL(string: review.address))
            let connection = try RawConnection(port: try #require(entry.port))
            connection.send(
                "GET \(entry.path) HTTP/1.1\r\nHost: 127.0.0.1:\(entry.port ?? 0)\r\n\r\n"
            )
            #expect(connection.response()?.status == 303)
            #expect(review.interrupt().status == 0)
        }

        @Test(
            "a desktop's browser is opened, and one that fails changes nothing",
            arguments: ["echo \"$1\" > opened", "exit 3"]
        )
        func desktop(_ script: String) throws {
            let project = try red()
            try project.folder.write("bin/xdg-open", "#!/bin/sh\n\(script)\n")
            let program = project.folder.file("bin/xdg-open")
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o755],
                ofItemAtPath: program
            )
            let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
            let review = try RunningReview(
                project,
                [],
                environment: ["DISPLAY": ":7", "PATH": project.folder.file("bin") + ":" + path]
            )
            if script.contains("opened") {
                #expect(
                    review.process.wait(seconds: 20) {
                        project.text("opened") == review.address + "\n"
                    }
                )
            }
            #expect(review.interrupt().status == 0)
        }

        @Test(
            "killed by SIGKILL before any step, pin and set agree, and the next try ends the same",
            arguments: PublishStep.allCases
        )
        func killed(_ step: PublishStep) async throws {
            let project = try red(["one", "two", "three"])
            let pin = project.text("snapfarm.refs")
            let folder = project.folder.path
            let desk = try await VictimTask.desk(folder)
            let summary = try await desk.summary()
            for (kind, name) in [("accepted", "one"), ("alternate", "three")] {
                let form = try DecisionForm(
                    kind: kind,
                    changes: [],
                    snapshots: ["A/Suite/\(name)"],
                    reason: "blue"
                )
                try await desk.add(
                    DecisionRules.decisions(
                        form,
                        about: summary,
                        after: DecisionBook(),
                        by: "ada",
                        now: 1_700_000_000_000
                    )
                )
            }
            let victim = try VictimTask.run(folder, until: step)
            #expect(victim.status == 128 + SIGKILL, "\(victim.output) \(victim.said)")
            #expect(try project.storeIsSound())
            #expect((project.text("snapfarm.refs") == pin) == (step != .decisions))
            #expect(try project.program().run(["refs", "check"]).status == 0)

            let said = try await desk.publish(by: "ada", now: 1_700_000_001_000)
            #expect(said.pictures == 2, "\(said)")
            let after = project.text("snapfarm.refs")
            #expect(after != pin)
            let again = try await desk.publish(by: "ada", now: 1_700_000_002_000)
            #expect(again.pictures == 0, "\(again)")
            #expect(project.text("snapfarm.refs") == after)
            let book = try await desk.decided().book
            #expect(book.standing.values.map(\.kind) == [.published, .published])
            #expect(book.alternates.map(\.snapshot.name) == ["three"])
            #expect(try project.run().status == 1)
            let left = try project.summary().snapshots.filter { $0.verdict != .passed }
            #expect(left.map(\.name) == ["two"])
            let matched = try project.summary().snapshots.filter { $0.alternate != nil }
            #expect(matched.map(\.name) == ["three"])
            #expect(try project.storeIsSound())
        }
    }
}
