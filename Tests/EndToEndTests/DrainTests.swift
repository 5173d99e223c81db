import FarmCore
import FarmTesting
import Foundation
import Testing

extension ManyMachines {
    @Suite("A worker that drains", .serialized)
    struct DrainTests {
        @Test("SIGUSR1 lets a worker finish what it runs, and it leaves; nothing runs twice")
        func drains() throws {
            let fleet = try Fleet(try Project(units: 8))
            let project = fleet.project
            let gate = project.folder.file("gate")
            try project.folder.write(
                "act-unit",
                "echo $1 >>\(project.folder.file("begun")); while [ ! -e \(gate) ]; do sleep 0.05; done\n"
            )
            try fleet.serve()
            let worker = try fleet.startWorker("far")
            let units = ["--select", "job=unit_test"]
            let run = try fleet.submitting().start(
                ["run", "app.yaml", "--coordinator", fleet.url] + units
            )
            #expect(run.wait(seconds: 20) { project.exists("begun") })
            kill(worker.pid, SIGUSR1)
            #expect(worker.wait(seconds: 10) { worker.errors.contains("draining") })
            try project.folder.write("gate", "")
            #expect(worker.ending(within: 40).status == 0, "\(worker.errors)")
            let begun = project.text("begun").split(separator: "\n").count
            #expect((1...7).contains(begun), "its lease, and no other")
            // Another worker runs the remaining tests.
            _ = try fleet.startWorker("near")
            let ending = run.ending(within: 40)
            #expect(ending.status == 0, "\(ending.said)\n\(fleet.log)")
            #expect(project.text("begun").split(separator: "\n").count == 8)
        }
    }
}
