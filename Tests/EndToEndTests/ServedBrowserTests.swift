// Tests of a coordinator's pages as people use them, with a real Chromium, a real `serve`, and runs
// of real workers.
import FarmCore
import FarmLedger
import FarmTesting
import Foundation
import Testing

extension ManyMachines {
    @Suite(
        "A coordinator's pages in a browser",
        .serialized,
        .enabled(if: TestBrowser.isInstalled)
    )
    struct ServedBrowserTests {
        /// Returns a fleet with references; the pictures one and two have changed since.
        private func changed(limits: String = "") throws -> Fleet {
            let project = try Project(scenes: ["one", "two", "three"], units: 1)
            let fleet = try Fleet(project, limits: limits)
            let recorded = try project.run(["--mode", "record"])
            try #require(recorded.status == 0, "\(recorded.said)")
            try project.folder.write("pictures/one.png", Project.png(shade: 150))
            try project.folder.write("pictures/two.png", Project.png(shade: 200))
            try fleet.serve()
            return fleet
        }

        /// Returns such a fleet with a worker and a run that has ended.
        private func red() throws -> (fleet: Fleet, run: String) {
            let fleet = try changed()
            _ = try fleet.startWorker("far")
            let ending = try fleet.run(["--output", "red"])
            try #require(ending.status == 1, "\(ending.said)\n\(fleet.log)")
            return (fleet, try fleet.project.summary("red").run.id)
        }

        /// Makes the picture three wait until the returned closure is called.
        ///
        /// It then differs from its reference.
        private func gate(_ fleet: Fleet) throws -> () throws -> Void {
            let gate = fleet.place.file("gate")
            let folder = fleet.project.folder
            try folder.write(
                "act/three",
                """
                while [ ! -e '\(gate)' ]; do sleep 0.1; done
                mkdir -p "$SNAPFARM_CAPTURE_DIR/Suite"
                cp '\(gate)' "$SNAPFARM_CAPTURE_DIR/Suite/three.png"

                """
            )
            return { try fleet.place.write("gate", Project.png(shade: 250)) }
        }

        private func person(_ fleet: Fleet, _ scope: String, _ name: String) throws -> String {
            let words = ["tokens", "create", name, "--scope", scope, "--person", name]
            let made = try fleet.program.run(words + ["--data", "state"])
            return made.output.trimmingCharacters(in: .whitespacesAndNewlines)
        }

        /// Returns all decisions ever made, in order.
        private func decisions(_ fleet: Fleet) throws -> [Decision] {
            let ledger = fleet.place.file("state/ledger.sqlite")
            return try SQLiteLedger.decisions(of: "app", inFileAt: ledger).decisions
        }

        @Test("two people see each other's decisions at once, lose none, and publish")
        func together() throws {
            let (fleet, run) = try red()
            let ada = try PagePerson(fleet, token: try person(fleet, "review", "Ada"))
            let aiko = try PagePerson(fleet, invitedAs: "田中 愛子")
            for person in [ada, aiko] { try person.review(run) }
            try ada.browser.press("ja")
            #expect(try ada.sees("one", "accepted", "Ada"))
            #expect(try aiko.sees("one", "accepted", "Ada"))
            try aiko.browser.press("jjx")
            try aiko.browser.press("too pale" + TestBrowser.enter)
            #expect(try ada.sees("two", "rejected", "too pale"))
            #expect(try ada.sees("two", "rejected", "愛子"))
            try ada.browser.press("jc")
            try ada.browser.press("by design?" + TestBrowser.enter)
            #expect(try aiko.sees("two", "rejected", "by design?"))
            try aiko.browser.press("u")
            #expect(try ada.sees("two", "open"))

            // Both press at the same moment; the later decision counts, for both.
            let before = try decisions(fleet).count
            let rounds = 5
            for round in 1...rounds {
                let moment = Int64(Date().timeIntervalSince1970 * 1000) + 400
                try ada.decide("two", "accepted", "fine \(round)", at: moment)
                try aiko.decide("two", "rejected", "pale \(round)", at: moment)
                let isKept = aiko.waits(20) {
                    // A decision about a change on two devices counts as two.
                    (try? decisions(fleet).count) == before + 4 * round
                }
                let all = try decisions(fleet)
                #expect(isKept, "round \(round): \(all.count - before)")
                let last = try #require(all.last)
                for person in [ada, aiko] {
                    #expect(try person.sees("two", last.kind.rawValue, last.reason))
                }
            }
            try aiko.browser.press("x")
            try aiko.browser.press("too pale" + TestBrowser.enter)
            #expect(try ada.sees("two", "rejected", "too pale"))
            #expect(try ada.isSamePage && aiko.isSamePage, "nobody loaded the page again")

            try ada.browser.press("p" + TestBrowser.enter)
            #expect(try ada.reads("Published 2 pictures"))
            let notice = try ada.browser.text("document.querySelector('#notice').textContent")
            let set = try #require(notice.firstMatch(of: /pin move ([0-9a-f]{40})/), "\(notice)").1
            #expect(try aiko.sees("one", "published", "Ada"))
            try aiko.browser.press("ku")
            #expect(try aiko.reads("published"))
            #expect(try ada.sees("one", "published"))
            let program = fleet.project.program()
            let moved = try program.run(["refs", "pin", "move", String(set)])
            #expect(moved.status == 0, "\(moved.said)")
            #expect(try fleet.run(["--output", "next"]).status == 1)
            let left = try fleet.project.summary("next").snapshots.filter { $0.verdict != .passed }
            #expect(Set(left.map(\.name)) == ["two"])
        }

        @Test("a run that goes fills in by itself, and what still runs is not decided")
        func live() throws {
            let fleet = try changed()
            let open = try gate(fleet)
            let ada = try PagePerson(fleet, token: try person(fleet, "review", "Ada"))
            let page = ada.browser
            _ = try page.text("window.isSamePage = true")
            let running = try fleet.submitting().start([
                "run", "app.yaml", "--coordinator", fleet.url,
            ])
            defer { running.kill() }
            #expect(try page.waits(for: "document.querySelector('td .running')"))
            #expect(try ada.isSamePage)
            try page.click("tbody td:nth-child(2) a")
            func text(_ words: String) -> String {
                "document.querySelector('main').textContent.includes('\(words)')"
            }
            #expect(try page.waits(for: text("No worker calls")))
            #expect(try page.waits(for: text("0 / 7")))
            _ = try page.text("window.isSamePage = true")
            _ = try fleet.startWorker("far")
            #expect(try page.waits(for: text("5 / 7")))
            for words in ["1 worker", "left", "2 / 3", "4 not as expected", "A: 1 of 3 open"] {
                #expect(try page.waits(for: text(words)), "\(words)")
            }
            #expect(try ada.isSamePage)

            // Finished pictures can be decided about; a forged form cannot decide about unfinished
            // ones.
            let run = try page.text("location.pathname.split('/')[2]")
            try ada.review(run)
            #expect(try page.text("document.querySelector('#publish button').disabled") == "true")
            #expect(
                try page.text("document.querySelector('#why').textContent").contains("still goes")
            )
            let links = "[...document.querySelectorAll('.links a')].map((link) => link.pathname)"
            #expect(try page.text(links).contains("/runs/\(run)/progress"))
            try page.press("ja")
            #expect(try ada.sees("one", "accepted"))
            _ = try page.text(
                """
                (() => {
                  const form = (\(PagePerson.card("two"))).querySelector('form.decide');
                  const about = form.querySelector('input[type=hidden]');
                  [about.name, about.value] = ['snapshot', 'A/Suite/three'];
                  form.querySelector('[value=accepted]').click();
                })()
                """
            )
            #expect(try ada.reads("still runs"))
            let posted = "token=\(try ada.formToken())"
            let refused = try ada.post("publish", posted)
            #expect(refused.hasPrefix("409") && refused.contains("2 of 7 tests"), "\(refused)")

            try open()
            #expect(running.ending(within: 60).status == 1)
            #expect(try page.waits(for: "document.body.dataset.state === 'failed'"))
            #expect(try ada.sees("three", "open"))
            #expect(try ada.sees("one", "accepted", "Ada"))
            #expect(try page.text("document.querySelector('#publish button').disabled") == "false")
            #expect(try ada.isSamePage)
            #expect(try decisions(fleet).count == 2)
        }

        @Test("an incomplete run is not published, and the page names what is missing")
        func incomplete() throws {
            let fleet = try changed(limits: "limits: {silence: 10s}")
            _ = try gate(fleet)
            // Two slots wait at the gate; the other worker runs the remaining leased tests.
            let workers = try ["far", "near"].map { try fleet.startWorker($0) }
            let running = try fleet.submitting().start([
                "run", "app.yaml", "--coordinator", fleet.url,
            ])
            defer { running.kill() }
            let ada = try PagePerson(fleet, token: try person(fleet, "review", "Ada"))
            let begun = "document.querySelector('main').textContent.includes('5 / 7')"
            let isBegun = try ada.browser.waits(for: begun)
            let shown = try ada.browser.text("document.querySelector('main').textContent")
            #expect(isBegun, "\(shown)\n\(running.said)")
            for worker in workers { kill(worker.pid, SIGTERM) }
            #expect(running.ending(within: 60).status == 2, "\(running.said)")
            try ada.review(try fleet.project.summary().run.id)
            try ada.browser.press("ja")
            #expect(try ada.sees("one", "accepted"))
            let why = try ada.browser.text("document.querySelector('#why').textContent")
            let words = ["is incomplete", "2 of 7 tests have no verdict", "A (1)", "B (1)"]
            for part in words { #expect(why.contains(part), "\(why)") }
            try ada.browser.press("p" + TestBrowser.enter)
            let refused = try ada.post("publish", "token=\(try ada.formToken())")
            #expect(refused.hasPrefix("409"), "\(refused)")
            for part in words { #expect(refused.contains(part), "\(refused)") }
            #expect(try decisions(fleet).allSatisfy { $0.kind == .accepted })
        }

        @Test("who may only look, other sites and forms of earlier logins change nothing")
        func strangers() throws {
            let (fleet, run) = try red()
            let page = "/runs/\(run)/"
            let reader = try PagePerson(fleet, token: try person(fleet, "read", "Rita"))
            try reader.review(run)
            #expect(try reader.browser.text(PagePerson.card("one")) != "undefined")
            let buttons = "document.querySelectorAll('main form.decide, #publish').length"
            #expect(try reader.browser.text(buttons) == "0")
            try reader.open("/runs")
            let token = try reader.formToken()
            let fields = "kind=accepted&snapshot=A/Suite/one&token="
            for address in [page + "decisions", page + "publish"] {
                let answer = try reader.post(address, fields + token)
                #expect(answer.hasPrefix("403") && answer.contains("may look"), "\(answer)")
            }

            // A page on another port of this machine is same-site, so its form sends the cookie.
            let ada = try PagePerson(fleet, token: try person(fleet, "review", "Ada"))
            try ada.review(run)
            let form = try ada.formToken()
            for (host, words) in [
                ("127.0.0.1", "does not come from the page"), ("localhost", "not logged in"),
            ] {
                let other = try OtherSite(
                    """
                    <form method="post" action="\(fleet.url)\(page)decisions">
                    <input name="token" value="\(form)"><input name="kind" value="accepted">
                    <input name="snapshot" value="A/Suite/one"></form>
                    <script>if (!location.search) document.forms[0].submit();</script>
                    """
                )
                try ada.browser.open("http://\(host):\(other.port)/")
                #expect(
                    try ada.browser.waits(
                        for: "document.body.textContent.includes('\(words)')"
                    ),
                    "\(host)"
                )
                try ada.browser.open("http://\(host):\(other.port)/?stay")
                _ = try ada.post(fleet.url + page + "decisions", fields + form)
            }

            // The user logs out and in again elsewhere while this page stays open.
            try ada.review(run)
            #expect(try ada.post("/logout", "token=\(form)").hasPrefix("200"))
            try ada.browser.press("ja")
            #expect(try ada.reads("not logged in"))
            let bob = try person(fleet, "review", "Bob")
            #expect(try ada.post("/login", "key=\(bob)").hasPrefix("200"))
            try ada.browser.press("a")
            #expect(try ada.reads("not of this visit"))
            #expect(try ada.isSamePage)
            #expect(try decisions(fleet).isEmpty)
            try ada.review(run)
            try ada.browser.press("ja")
            #expect(try ada.sees("one", "accepted", "Bob"))
        }
    }
}

/// A foreign web site on this machine, with one page.
private final class OtherSite {
    let port: Int
    private let folder: TemporaryFolder
    private let server: TestProcess

    init(_ body: String) throws {
        folder = try TemporaryFolder("site")
        try folder.write("index.html", "<!doctype html><body>\(body)</body>")
        port = try TestPort.reserved()
        server = try TestProcess(
            ["python3", "-m", "http.server", "\(port)", "--bind", "127.0.0.1"],
            in: folder.path
        )
        try TestPort.awaitListener(on: port)
    }
}

extension PagePerson {
    fileprivate func waits(_ seconds: Double, until condition: () -> Bool) -> Bool {
        let limit = ContinuousClock.now + .seconds(seconds)
        while !condition() {
            guard ContinuousClock.now < limit else { return false }
            usleep(50_000)
        }
        return true
    }
}
