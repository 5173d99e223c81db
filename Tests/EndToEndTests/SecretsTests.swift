// Tests that a run's tests, which are untrusted programs, find no secrets in /proc of the farm's
// processes.
import FarmCore
import FarmTesting
import Foundation
import Testing

/// Whether the system has /proc.
private let hasProcesses = FileManager.default.fileExists(atPath: "/proc/self/environ")

extension ManyMachines {
    @Suite("Secrets and private files", .serialized)
    struct SecretsTests {
        /// Fails if any process, starting with the test's parent, exposes the contents of a file.
        private func search(_ project: Project, for secret: String) throws {
            let file = try project.folder.write("secret.txt", secret)
            try project.folder.write(
                "act-unit",
                """
                grep -sqaFf \(file) /proc/$PPID/environ && exit 1
                grep -slaFf \(file) /proc/[0-9]*/environ | sed 's/^/found in /' | grep . && exit 1
                exit 0

                """
            )
        }

        private let units = ["--select", "job=unit_test"]

        @Test("no test finds a secret of a run in the environment of any process")
        func local() throws {
            let project = try Project(devices: ["A"])
            try search(project, for: "s3cret-\(UUID().uuidString)")
            let secret = project.text("secret.txt")
            let result = try project.run(
                units,
                environment: [
                    "SNAPFARM_TOKEN": secret, "SNAPFARM_GITHUB_TOKEN": secret,
                    "SNAPFARM_STORE_TOKEN": secret, "SNAPFARM_ARTIFACT_HEADER": "A: \(secret)",
                    "AWS_SECRET_ACCESS_KEY": secret, "https_proxy": "http://u:\(secret)@127.0.0.1",
                ]
            )
            #expect(result.status == 0, "\(result.said)")
        }

        @Test(
            "no process of a test's user reads the memory of its worker and of its run",
            .enabled(if: hasProcesses)
        )
        func memory() throws {
            let project = try Project(devices: ["A"], units: 1)
            try project.folder.write(
                "act-unit",
                """
                worker=$$
                while [ "$worker" -gt 1 ] && [ "$(cat /proc/$worker/comm)" != snapfarm ]
                do worker=$(cut -d ' ' -f 4 /proc/$worker/stat)
                done
                run=$(cut -d ' ' -f 4 /proc/$worker/stat)
                for process in $$ $worker $run
                do stat -c %u:%g /proc/$process/environ
                done >owners
                exit 0

                """
            )
            // Linux assigns the /proc files of a process with protected memory to root. For a
            // process of root, only the group shows it.
            let stranger = ["setpriv", "--regid", "65534", "--clear-groups"]
            let run = try project.program().start(
                ["run", "app.yaml"] + units,
                through: geteuid() == 0 ? stranger : []
            ).ending(within: 120)
            #expect(run.status == 0, "\(run.said)")
            let owners = project.text("owners").split(separator: "\n")
            #expect(owners.count == 3 && owners.first != "0:0", "the test's own: \(owners)")
            #expect(owners.dropFirst().allSatisfy { $0 == "0:0" }, "\(owners)")
        }

        @Test("no test finds the token of its fleet's worker or of who submitted the run")
        func fleet() throws {
            let fleet = try Fleet(try Project(devices: ["A"]))
            try fleet.serve()
            try search(fleet.project, for: try fleet.token("work") + "\n" + fleet.token("submit"))
            let worker = try fleet.startWorker("far")
            let result = try fleet.run(units)
            #expect(result.status == 0, "\(result.said)\(worker.errors)")
        }

        @Test("a data folder that a run makes is its user's alone, and its lock follows no link")
        func dataFolder() throws {
            let project = try Project(devices: ["A"])
            try project.folder.write("act-unit", "exit 0")
            #expect(try project.run(units).status == 0)
            let data = project.folder.file(".snapfarm")
            let attributes = try FileManager.default.attributesOfItem(atPath: data)
            #expect(attributes[.posixPermissions] as? Int == 0o700)
            let victim = try project.folder.write("victim", "mine")
            try FileManager.default.removeItem(atPath: data + "/lock")
            symlink(victim, data + "/lock")
            let result = try project.run(units)
            #expect(result.status == ExitCode.inputOutput.rawValue, "\(result.said)")
            #expect(project.text("victim") == "mine")
        }
    }
}
