import FarmCore
import FarmTesting
import Foundation
import Testing

extension ManyMachines {
    @Suite(
        "A worker that isolates its tests",
        .serialized,
        .enabled(if: TestBubblewrap.isUsable, Comment(rawValue: TestBubblewrap.absence))
    )
    struct IsolatedWorkerTests {
        /// A fleet on a machine with something to be had, and a run with all tries.
        private final class Prey {
            let fleet: Fleet
            let tag: String
            let tries: [IsolationTry]
            private let id = "prey"

            init() throws {
                fleet = try Fleet()
                tag = "snapfarm-\(UUID().uuidString.prefix(8))"
                tries = IsolationTry.all(tag: tag)
                let project = fleet.project.folder
                try project.write(
                    "app.yaml",
                    """
                    version: 1
                    name: app
                    jobs:
                      tries:
                        kind: unit
                        driver: command
                        discover: cat names
                        run: exec sh try.sh {tests}
                        bundle: [try.sh, "tries/**"]
                        timeout: {test: 20s, shard: 10m}

                    """
                )
                try project.write("names", tries.map { $0.name + "\n" }.joined())
                for attempt in tries {
                    try project.write("tries/\(attempt.name)", attempt.script + "\n")
                }
                try project.write("tries/victim", "")
                try project.write(
                    "try.sh",
                    IsolationTry.program(
                        worker: folder,
                        project: project.path,
                        port: fleet.port,
                        tag: tag
                    )
                )
                for (path, text) in [
                    ("token", "token"), ("home/.ssh/id", "key"),
                    ("scratch/other/L1/lease/secret", "secret"), ("scratch/doomed/file", ""),
                    ("beside.py", IsolationTry.beside(tag: tag)),
                ] { try fleet.place.write("worker-\(id)/\(path)", text) }
                try "".write(toFile: "/dev/shm/\(tag)-shared", atomically: false, encoding: .utf8)
                chmod("/dev/shm/\(tag)-shared", 0o644)
                try fleet.serve()
            }

            deinit {
                for path in ["/dev/shm/\(tag)-shared", planted] { unlink(path) }
            }

            var folder: String { fleet.place.file("worker-\(id)") }
            private var planted: String { "/var/tmp/\(tag)-planted" }

            func start(_ options: [String]) throws -> TestProcess {
                try fleet.startSupervised(
                    id,
                    options: options,
                    beside: "BESIDE=\(tag)-secret exec python3 beside.py"
                )
            }

            /// Runs all tries; returns the verdict of each.
            func run(_ output: String) throws -> [String: Verdict?] {
                let ending = try fleet.run(["--output", output])
                #expect([0, 1, 2].contains(ending.status), "\(ending.said)")
                let tests = try fleet.project.summary(output).tests
                return Dictionary(tests.map { ($0.test, $0.verdict) }) { first, _ in first }
            }

            /// Returns the changes that the tries have made on the machine.
            func harm() -> [String] {
                let files = FileManager.default
                let scratch = (try? files.subpathsOfDirectory(atPath: folder + "/scratch")) ?? []
                let changes: [(String, Bool)] = [
                    ("planted in /var/tmp", files.fileExists(atPath: planted)),
                    ("settings", files.fileExists(atPath: "\(folder)/home" + "/.gitconfig")),
                    ("removed", !files.fileExists(atPath: folder + "/scratch/doomed/file")),
                    ("planted a link", scratch.contains { $0.hasSuffix("L999") }),
                    (
                        "planted in the cache",
                        files.fileExists(atPath: folder + "/cache/snapfarm/bundles/planted")
                    ),
                ]
                return changes.filter(\.1).map(\.0)
            }

            func table(_ verdicts: [String: Verdict?]) -> String {
                tries.map { "  \($0.name): \(verdicts[$0.name] == .passed ? "nothing" : "GOT IT")" }
                    .joined(separator: "\n")
            }
        }

        @Test(
            "gives hostile tests nothing, and without it they get what they try",
            .enabled(if: Fleet.canSupervise),
            .timeLimit(.minutes(15))
        )
        func tries() throws {
            let prey = try Prey()
            for network in ["host", "none"] {
                let worker = try prey.start(["--isolate", "--isolate-network", network])
                let verdicts = try prey.run("isolated-\(network)")
                print("isolated, network \(network):\n\(prey.table(verdicts))")
                for attempt in prey.tries {
                    let expected = attempt.isNetwork && network == "host"
                    #expect(
                        (verdicts[attempt.name] != .passed) == expected,
                        "\(attempt.name), network \(network)"
                    )
                }
                #expect(prey.harm().isEmpty)
                // The supervisor starts it again whenever it ends.
                let starts = worker.errors.components(separatedBy: " offers ").count - 1
                #expect(starts == 1, "\(worker.errors)")
                worker.kill()
            }
            let worker = try prey.start([])
            let verdicts = try prey.run("free")
            print("free:\n\(prey.table(verdicts))")
            for attempt in prey.tries where attempt.free != .either {
                let gain = verdicts[attempt.name] != .passed
                #expect(gain == (attempt.free == .something), "\(attempt.name)\n\(worker.errors)")
            }
            #expect(prey.harm().count >= 3, "\(prey.harm())")
        }

        @Test("runs the tests of a usual project with the verdicts of a free worker")
        func project() throws {
            let fleet = try Fleet()
            try fleet.serve()
            let program = try fleet.submitting()
            for (id, options) in [("free", []), ("isolated", ["--isolate"])] {
                let worker = try fleet.startWorker(id, options: options)
                let mode = id == "free" ? ["--mode", "record"] : []
                let ending = try program.run(
                    ["run", "app.yaml", "--coordinator", fleet.url, "--output", id] + mode
                )
                #expect(ending.status == 0, "\(ending.said)\n\(worker.errors)")
                kill(worker.pid, SIGTERM)
                #expect(worker.ending(within: 40).status == 0, "\(worker.errors)")
            }
            let (free, isolated) = (
                try fleet.project.summary("free"), try fleet.project.summary("isolated")
            )
            #expect(free.tests.map(\.test) == isolated.tests.map(\.test))
            #expect(isolated.tests.allSatisfy { $0.verdict == .passed })
            #expect(!isolated.snapshots.isEmpty)
            #expect(isolated.snapshots.allSatisfy { $0.verdict == .passed })
        }

        @Test(
            "gives a framework its references beside the sources, and notices when a test changes them",
            arguments: ["farm", "framework"]
        )
        func besideSources(judge: String) throws {
            let project = try Project(scenes: ["testA"], devices: ["A"], units: 0)
            try project.folder.write("Tests/AppTests/CartTests.swift", "// the source of the tests")
            try project.folder.write(
                "pf.sh",
                """
                folder=Tests/AppTests/__Snapshots__/CartTests file=$folder/testA.1.png
                mkdir -p $folder
                if [ "$SNAPSHOT_TESTING_RECORD" = all ]; then
                  rm -f $file; cp pictures/testA.png $file
                  echo "failed - Record mode is on. Automatically recorded snapshot: …"
                  exit 1
                fi
                cmp $file pictures/testA.png || exit 1
                [ ! -e act/change ] || { chmod u+w $file; echo x >>$file; }

                """
            )
            try project.folder.write("act/none", "")
            try project.folder.write(
                "app.yaml",
                """
                version: 1
                name: app
                references: {store: store.git, pin: snapfarm.refs}
                devices: [{name: A, width: 8, height: 8, scale: 1}]
                jobs:
                  snapshot_test:
                    kind: snapshot
                    driver: command
                    framework: swift-snapshot-testing
                    discover: echo AppTests.CartTests/testA
                    run: sh pf.sh {tests}
                    judge: \(judge)

                """
            )
            let fleet = try Fleet(project)
            let files = "bundle: [pf.sh, \"Tests/**\", \"pictures/**\", \"act/**\"]"
            let text = project.text("app.yaml").replacing(Fleet.bundle, with: files)
            try project.folder.write("app.yaml", text)
            try fleet.serve()
            let worker = try fleet.startWorker("w", options: ["--isolate"])
            for mode in ["record", "verify"] {
                let ending = try fleet.run(["--mode", mode])
                #expect(ending.status == 0, "\(mode): \(ending.said)\n\(worker.errors)")
            }
            guard judge == "framework" else { return }
            try project.folder.write("act/change", "")
            let changed = try fleet.run(["--output", "changed"])
            #expect(changed.status != 0, "\(changed.said)")
            let problems = try project.summary("changed").problems.map(\.code)
            #expect(problems.contains("references-written"), "\(problems)")
        }

        @Test("refuses to start where it cannot isolate, and says what to do")
        func refusals() throws {
            let folder = try TemporaryFolder("no-isolation")
            let words = "bwrap: no namespaces here"
            try folder.write("bin/bwrap", "#!/bin/sh\necho '\(words)' >&2\nexit 1\n")
            chmod(folder.file("bin/bwrap"), 0o755)
            let worker = ["worker", "--coordinator", "http://127.0.0.1:1", "--id", "w"]
            func run(_ options: [String], path: String? = nil) throws -> ProcessEnding {
                let environment = path.map { ["PATH": $0] } ?? [:]
                return try Program(folder: folder.path, environment: environment)
                    .run(worker + options)
            }
            let refused = try run(["--isolate"], path: folder.file("bin"))
            #expect(refused.status == 78 && refused.errors.contains(words), "\(refused.said)")
            #expect(refused.errors.contains("docs/fleet.md"), "\(refused.said)")
            let missing = try run(["--isolate"], path: folder.path)
            #expect(missing.status == 78 && missing.errors.contains("apt-get install bubblewrap"))
            let shown = try run(["--isolate", "--cache", "/usr/share/snapfarm-cache"])
            #expect(shown.status == 78 && shown.errors.contains("/usr/share/snapfarm-cache"))
            let alone = try run(["--isolate-network", "none"])
            #expect(alone.status == 64 && alone.errors.contains("need --isolate"), "\(alone.said)")
        }
    }
}
