// Tests of `snapfarm doctor` as people call it: it names every problem with a remedy, and changes
// nothing.
import FarmCore
import FarmTesting
import Foundation
import ReferenceTesting
import Testing

extension ManyMachines {
    @Suite("The doctor")
    struct DoctorTests {
        /// Returns the line of a subject and the line below it.
        private func lines(_ subject: String, _ ending: ProcessEnding) -> [String] {
            let lines = ending.output.split(separator: "\n").map(String.init)
            guard let index = lines.firstIndex(where: { $0.dropFirst(6).hasPrefix(subject + " ") })
            else { return [] }
            return Array(lines[index...].prefix(2))
        }

        private func expect(
            _ ending: ProcessEnding,
            _ status: Int32,
            _ subject: String,
            _ fact: String,
            _ remedy: String
        ) {
            #expect(ending.status == status, "\(ending.said)")
            #expect(ending.output.hasPrefix("FAIL: 1 of "), "\(ending.output)")
            let found = lines(subject, ending)
            #expect(found.first?.hasPrefix("FAIL") == true, "\(ending.output)")
            #expect(found.first?.contains(fact) == true, "\(ending.output)")
            #expect(found.joined().contains(remedy), "\(ending.output)")
        }

        private func files(_ folder: String) -> [String] {
            let all = FileManager.default.enumerator(atPath: folder)?.allObjects ?? []
            return all.compactMap { $0 as? String }.sorted()
        }

        @Test("a project that is ready is fine, and nothing in it is changed")
        func ready() throws {
            let project = try Project()
            #expect(try project.run(["--mode", "record"]).status == 0)
            let before = files(project.folder.path)
            let fine = try project.program().run(["doctor"])
            #expect(fine.status == 0, "\(fine.said)")
            #expect(fine.output.hasPrefix("ok: nothing that a run needs is missing"))
            #expect(lines("pin", fine).first?.contains("2 suites") == true, "\(fine.output)")
            #expect(files(project.folder.path) == before)
            let json = try project.program().run(["doctor", "--json"])
            let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8))
            #expect((object as? [String: Any])?["exitCode"] as? Int == 0)
            let quiet = try project.program().run(["doctor", "--quiet"])
            #expect(quiet.output.split(separator: "\n").count == 1, "\(quiet.output)")
        }

        @Test("an empty folder is told what comes next; a file with mistakes what they are")
        func empty() throws {
            let folder = try TemporaryFolder("doctor")
            let program = Program(folder: folder.path)
            let none = try program.run(["doctor"])
            #expect(none.status == 0 && none.output.contains("snapfarm init"), "\(none.output)")
            try folder.write("snapfarm.yaml", "version: 1\njobs:\n  a: {kind: unt}\n")
            let typo = try program.run(["doctor"])
            expect(typo, 65, "pipeline", "snapfarm.yaml:3: unknown kind", "Did you mean \"unit\"?")
            let gone = try program.run(["doctor", "gone.yaml"])
            expect(gone, 65, "pipeline", "gone.yaml: cannot be read", "--pipeline FILE")
        }

        @Test("a browser that is missing is named with its package")
        func browser() throws {
            let folder = try TemporaryFolder("doctor")
            try folder.write("page.html", "<p>hello")
            try folder.write("scenes.yaml", "scenes: [{suite: S, name: a, file: page.html}]\n")
            try folder.write(
                "snapfarm.yaml",
                """
                version: 1
                devices: [{name: A, width: 8, height: 8, scale: 1}]
                jobs:
                  web: {kind: unit, driver: webdriver, scenes: scenes.yaml}
                """
            )
            let program = Program(
                folder: folder.path,
                environment: ["SNAPFARM_CHROMIUM": folder.file("no-browser")]
            )
            let ending = try program.run(["doctor"])
            expect(ending, 78, "browser", "no-browser is not installed", "apt-get install")
        }

        @Test("a store that does not answer, and one that is not there yet")
        func store() throws {
            let project = try Project()
            let none = try project.program().run(["doctor"])
            expect(none, 78, "store", "there is no reference store at", "snapfarm refs init")
            let port = try TestPort.reserved()
            let text = project.text("app.yaml").replacing(
                "store.git",
                with: "https://127.0.0.1:\(port)/store.git"
            )
            try project.folder.write("app.yaml", text)
            let away = try project.program().run(["doctor"])
            expect(away, 75, "store", "127.0.0.1:\(port)/store.git: connecting", "network")
            #expect(!project.exists(".snapfarm"), "it made a data folder")
        }

        @Test("a store on a host is asked whether it has the pin, and whether a push would do")
        func host() throws {
            let project = try Project()
            #expect(try project.run(["--mode", "record"]).status == 0)
            let host = try StoreHost(.https)
            try host.makeStore("app")
            let before = try host.git("app", "for-each-ref")
            let text = project.text("app.yaml")
                .replacing("store.git", with: try host.location("app").url)
            try project.folder.write("app.yaml", text)
            let program = project.program(try host.environment())
            let stale = try program.run(["doctor"])
            expect(stale, 78, "pin", "2 of 2 suites that it names are not in", "refs push")
            #expect(lines("store's rights", stale).first?.hasPrefix("ok") == true)
            try FileManager.default.removeItem(atPath: project.folder.file("snapfarm.refs"))
            try host.git("app", "config", "http.receivepack", "false")
            let readOnly = try program.run(["doctor"])
            #expect(readOnly.status == 0, "\(readOnly.output)")
            #expect(lines("pin", readOnly).first?.hasPrefix("warn") == true, "\(readOnly.output)")
            let rights = lines("store's rights", readOnly).joined()
            #expect(rights.hasPrefix("warn") && rights.contains("refused"), "\(readOnly.output)")
            #expect(try host.git("app", "for-each-ref") == before)
        }

        @Test("a pin that is not there is named by run, approve and doctor")
        func missingPin() throws {
            let project = try Project()
            #expect(try !project.run(["--mode", "record"]).errors.contains("there is no pin"))
            let text = project.text("app.yaml").replacing("pin: snapfarm", with: "pin: snapfram")
            try project.folder.write("app.yaml", text)
            let fact = "there is no pin at \(project.folder.path)/snapfram.refs"
            let run = try project.run()
            #expect(run.status == 1 && run.errors.contains(fact), "\(run.said)")
            let approve = try project.program().run(["approve", "--run", "latest", "--dry-run"])
            #expect(approve.status == 0 && approve.errors.contains(fact), "\(approve.said)")
            let doctor = try project.program().run(["doctor"])
            let pin = lines("pin", doctor).joined()
            #expect(pin.contains(fact) && pin.contains("references.pin"), "\(doctor.output)")
        }

        @Test("a pin that names what the store does not have")
        func stalePin() throws {
            let project = try ReferencesProject.imported()
            #expect(try Program(folder: project.main).run(["doctor"]).status == 0)
            let pin = try String(contentsOfFile: project.main + "/snapfarm.refs", encoding: .utf8)
            let stale = pin.replacing(/[0-9a-f]{40}/) { String($0.output.reversed()) }
            #expect(stale != pin)
            try project.folder.write("main/snapfarm.refs", stale)
            let ending = try Program(folder: project.main).run(["doctor"])
            expect(ending, 78, "pin", "which is not in the store", "references.store")
        }

        @Test("a coordinator that is down, a token it does not know, and one that may not hand in")
        func coordinator() throws {
            let project = try Project()
            #expect(try project.run(["--mode", "record"]).status == 0)
            let fleet = try Fleet(project)
            func look(_ token: String?, _ more: [String: String] = [:]) throws -> ProcessEnding {
                var environment = more
                environment["SNAPFARM_TOKEN"] = token
                return try project.program(environment)
                    .run(["doctor", "--coordinator", fleet.url])
            }
            expect(try look("x"), 69, "coordinator", "does not answer", "Check that it runs")
            try fleet.serve()
            expect(try look(nil), 64, "token", "SNAPFARM_TOKEN is not set", "tokens create")
            expect(try look("wrong"), 64, "token", "does not know this token", "SNAPFARM_TOKEN")
            let worker = try fleet.token("work")
            expect(try look(worker), 64, "token", "may not hand in runs", "--scope submit")
            let fine = try look(try fleet.token("submit"))
            #expect(fine.status == 0, "\(fine.output)")
            #expect(lines("clock", fine).first?.contains("within") == true, "\(fine.output)")
            #expect(lines("workers", fine).first?.hasPrefix("warn") == true, "\(fine.output)")
            #expect(fine.output.contains("is snapfarm 0."), "\(fine.output)")
        }
    }
}
