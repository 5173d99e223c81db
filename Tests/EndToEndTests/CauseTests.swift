// Tests that a fault of a project is reported before it makes tests end in errors.
import FarmCore
import FarmTesting
import Foundation
import Testing

extension ManyMachines {
    @Suite("A cause is said before a test is errored", .serialized)
    struct CauseTests {
        @Test("a picture that is gone from the store, by run and plan; recording brings it back")
        func pictureGone() throws {
            let project = try Project(devices: ["A"], units: 1)
            project.staysBroken = true
            #expect(try project.run(["--mode", "record"]).status == 0)
            let object = try picture("one", of: project)
            try FileManager.default.removeItem(atPath: project.folder.file(loose(object)))
            try project.folder.write("pictures/one.png", Project.png(shade: 99))
            let words = "A/Suite/one: the object \(object) is not in the store"
            let run = try project.run()
            #expect(run.status == 78 && run.errors.contains(words), "\(run.said)")
            #expect(!run.errors.contains("looking for tests"), "\(run.said)")
            let plan = try project.program().run(["plan", "app.yaml"])
            #expect(plan.status == 0 && plan.errors.contains(words), "\(plan.said)")
            let again = try project.run(["--mode", "record"])
            #expect(again.status == 0, "\(again.said)")
            #expect(try project.run().status == 0)
        }

        @Test(
            "a picture that went from a coordinator's store between two runs, as one is handed in"
        )
        func pictureGoneElsewhere() throws {
            let fleet = try Fleet(try Project(devices: ["A"], units: 1))
            let project = fleet.project
            project.staysBroken = true
            #expect(try project.run(["--mode", "record"]).status == 0)
            try fleet.serve()
            let worker = try fleet.startWorker("far")
            let first = try fleet.run()
            #expect(first.status == 0, "\(first.said)\n\(worker.errors)")
            let object = try picture("one", of: project)
            try FileManager.default.removeItem(atPath: project.folder.file(loose(object)))
            let refused = try fleet.run()
            #expect(refused.status == 78, "\(refused.said)")
            #expect(refused.errors.contains("A/Suite/one: the object \(object) is not in"))
            #expect(try fleet.stop().status == 0)
        }

        private func picture(_ scene: String, of project: Project) throws -> String {
            let file = URL(fileURLWithPath: project.folder.file("pictures/\(scene).png"))
            return ObjectID(ofBlob: try Data(contentsOf: file)).hex
        }

        private func loose(_ object: String) -> String {
            "store.git/objects/\(object.prefix(2))/\(object.dropFirst(2))"
        }

        @Test("a store that is not there, by plan as by run")
        func storeGone() throws {
            let project = try Project(devices: ["A"], units: 1)
            #expect(try project.run(["--mode", "record"]).status == 0)
            try FileManager.default.removeItem(atPath: project.folder.file("store.git"))
            let run = try project.run()
            #expect(run.status == 78 && run.errors.contains("there is no reference store at"))
            let plan = try project.program().run(["plan", "app.yaml"])
            #expect(plan.status == 0, "\(plan.said)")
            #expect(plan.errors.contains("there is no reference store at"), "\(plan.said)")
        }

        @Test("a page that is not there, by run and plan, with the file and what to do")
        func pageGone() throws {
            let project = try Project()
            try project.folder.write(
                "app.yaml",
                """
                version: 1
                name: app
                references: {store: store.git}
                devices: [{name: A, width: 80, height: 60, scale: 1}]
                jobs: {shots: {kind: snapshot, driver: webdriver, scenes: web/screens.yaml}}
                """
            )
            try project.folder.write(
                "web/screens.yaml",
                "scenes: [{suite: S, name: a, file: a.html}]"
            )
            let plan = try project.program().run(["plan", "app.yaml"])
            for ending in [try project.run(["--mode", "record"]), plan] {
                #expect(ending.status == 65, "\(ending.said)")
                #expect(
                    ending.errors.contains(
                        "job shots: a scene shows web/a.html (web/screens.yaml:1), which is not"
                    )
                )
                #expect(ending.errors.contains("Correct `file`"))
            }
            #expect(!project.exists("snapfarm-out/summary.json"))
        }
    }
}
