// The words of a launcher's commands, and the scripts of `deploy/launchers` against stand-ins of what they
// call: each refuses a word that the real program would not take, and notes what others can see of it.
import FarmCore
import FarmLedger
import FarmServer
import FarmTesting
import Foundation
import Testing

@Suite("How schedulers are called")
struct LauncherCallsTests {
    private static func order(_ cell: String = "A", offers: [String] = ["lab"]) -> WorkerOrder {
        var offer = WorkerOffer()
        for word in offers { try? offer.add(word: word) }
        return WorkerOrder(
            name: LaunchedName(launcher: "l", second: 1_764_000_000, number: 7),
            cell: CellKey(job: JobName("pages"), cell: CellID(cell)),
            coordinator: "https://farm.example.org",
            token: "snapfarm_secret",
            offers: offer,
            idleSeconds: 60
        )
    }

    private static let templates = TemplateCalls(
        LauncherTemplates(
            start: ["ssh", "mac1", "start {name} {cell} {idle} {coordinator} {other} {"],
            list: ["list"],
            stop: ["stop", "{name}{name}"]
        )
    )

    @Test("placeholders are filled in once, and others stay")
    func filled() {
        #expect(
            Self.templates.start(Self.order()).words.last
                == "start l-1764000000-7 A 60 https://farm.example.org {other} {"
        )
        let stop = Self.templates.stop(Self.order().name)
        #expect(stop.words == ["stop", "l-1764000000-7l-1764000000-7"])
    }

    @Test(
        "a cell's name does nothing to a shell",
        arguments: [
            ("A; rm -rf /", "A__rm_-rf__"), ("$(id)", "__id_"),
            ("-oProxyCommand=x", "_oProxyCommand_x"),
            ("{coordinator}", "_coordinator_"), ("<script>\u{202E}", "_script____"),
            ("'\"`\n", "____"),
        ]
    )
    func harmless(cell: String, shown: String) {
        let words = Self.templates.start(Self.order(cell)).words
        #expect(words.last?.hasPrefix("start l-1764000000-7 \(shown) 60 ") == true, "\(words)")
    }

    @Test("the word {worker} becomes the worker's options, and is none within another word")
    func worker() {
        let calls = TemplateCalls(
            LauncherTemplates(start: ["go", "{worker}", "x{worker}"], list: ["a"], stop: ["b"])
        )
        let order = Self.order(offers: ["lab", "note=it's $HOME"])
        #expect(
            calls.start(order).words == [
                "go", "--id", "l-1764000000-7", "--idle-seconds", "60", "--offer", "lab", "--offer",
                "note=it's $HOME", "x{worker}",
            ]
        )
        #expect(calls.check(coordinator: "https://c", token: "t") == nil)
    }

    @Test("no token is among the words of any call, and start and check read it")
    func secrets() throws {
        let calls = TemplateCalls(
            LauncherTemplates(check: ["check"], start: ["{worker}"], list: ["a"], stop: ["b"])
        )
        let start = calls.start(Self.order())
        let check = try #require(calls.check(coordinator: "https://c", token: "snapfarm_secret"))
        let all = [start, check, calls.list(), calls.stop(Self.order().name)]
        #expect(all.allSatisfy { !$0.words.joined(separator: " ").contains("secret") })
        #expect(start.input == "https://farm.example.org\nsnapfarm_secret\n")
        #expect(check.input == "https://c\nsnapfarm_secret\n")
    }

    @Test("a list has a name a line, and says which ones wait")
    func listed() {
        #expect(
            Self.templates.listed("l-1-1\nl-1-2 pending\nl-1-3 since noon\n\n") == [
                ListedWorker("l-1-1"), ListedWorker("l-1-2", isPending: true),
                ListedWorker("l-1-3"),
            ]
        )
    }
}

/// A script of `deploy/launchers` in a folder, with programs that stand in for a scheduler's.
private struct Desk {
    static let deploy = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("deploy").path
    static let worker = ["--id", "l-1764000000-7", "--idle-seconds", "60", "--offer"]
    let script: String
    let folder: TemporaryFolder
    var variables: [String: String]

    init(_ script: String, _ variables: [String: String], programs: [String: String]) throws {
        self.script = Self.deploy + "/launchers/" + script
        self.variables = variables
        folder = try TemporaryFolder("desk")
        for (name, text) in programs {
            // Arguments and environment of it and of its caller, as other programs see them.
            let file = try folder.write(
                "bin/" + name,
                """
                #!/bin/sh
                set -eu
                { echo "$0 $*"; env; cat /proc/$PPID/cmdline /proc/$PPID/environ || true; } \
                  >>seen 2>/dev/null
                \(text)
                """
            )
            chmod(file, 0o755)
        }
    }

    /// Calls the script as a launcher does; `token` follows the coordinator's URL.
    func call(_ words: [String], token: String = "snapfarm_secret") throws -> ProcessEnding {
        try folder.write("told", "https://farm.example.org\n\(token)\n")
        var environment = variables
        environment["PATH"] = folder.file("bin") + ":/usr/bin:/bin"
        // The script has variables of these names.
        (environment["token"], environment["url"]) = ("a", "b")
        return try TestProcess.run(
            ["/bin/sh", "-c", "exec \"$0\" \"$@\" <told", script] + words,
            environment: environment,
            in: folder.path
        )
    }

    func text(_ file: String) -> String {
        FileManager.default.contents(atPath: folder.file(file))
            .map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}

@Suite("The script of Slurm")
struct SlurmScriptTests {
    private func desk(_ variables: [String: String] = [:]) throws -> Desk {
        try Desk(
            "slurm-worker",
            variables,
            programs: [
                "sbatch": """
                for word; do
                  case $word in
                  --parsable | --no-requeue | --ntasks=1 | --output=/dev/null | --mem=4G) ;;
                  --export=PATH,HOME,USER,LANG | --constraint=?* | --comment=* | --job-name=l-*) ;;
                  --partition=lab) ;;
                  --partition=*) echo "sbatch: error: invalid partition" >&2; exit 1 ;;
                  *) echo "sbatch: unrecognized option '$word'" >&2; exit 1 ;;
                  esac
                done
                printf '%s\n' "$@" >words
                cat >job
                """,
                "squeue": """
                [ "$*" = "--me --noheader --format=%T %j" ]
                cat queue
                """,
                "scancel": """
                [ "$*" = "--me --name=l-1-1" ]
                echo >>cancelled
                """,
            ]
        )
    }

    @Test("a job tells the worker its token, quotes what it offers, and shows nobody the token")
    func started() throws {
        let desk = try desk([
            "FARM_CONSTRAINT": "chromium-120&lab", "FARM_PARTITION": "lab",
            "FARM_PROGRAM": "/opt/it's/snapfarm",
        ])
        let words = ["start", "--mem=4G", "--comment=a b"] + Desk.worker + ["note=it's $HOME"]
        let ended = try desk.call(words)
        #expect(ended.status == 0, "\(ended.said)")
        let said = Set(desk.text("words").split(separator: "\n").map(String.init))
        #expect(
            said.isSuperset(of: [
                "--job-name=l-1764000000-7", "--constraint=chromium-120&lab", "--partition=lab",
                "--mem=4G", "--comment=a b", "--no-requeue", "--export=PATH,HOME,USER,LANG",
            ])
        )
        let job = desk.text("job")
        #expect(job.hasPrefix("#!/bin/sh\nexec '/opt/it'\\''s/snapfarm' worker "))
        // The worker prints its words, a line each, and what it reads.
        let worker = try desk.folder.write("worker", "printf '%s\\n' \"$@\"; cat\n")
        let file = try desk.folder.write(
            "run.sh",
            job.replacing("exec '/opt/it'\\''s/snapfarm'", with: "exec sh '\(worker)'")
        )
        let ran = try TestProcess.run(["sh", file])
        #expect(
            ran.output == """
                worker
                --coordinator
                -
                --id
                l-1764000000-7
                --idle-seconds
                60
                --offer
                note=it's $HOME
                https://farm.example.org
                snapfarm_secret

                """
        )
        #expect(!desk.text("seen").isEmpty && !desk.text("seen").contains("snapfarm_secret"))
    }

    @Test("jobs that complete are gone, pending ones wait, and no stranger is taken for a worker")
    func listed() throws {
        let desk = try desk()
        try desk.folder.write(
            "queue",
            "RUNNING l-1-1\nPENDING l-1-2\nCOMPLETING l-1-3\nRUNNING l-1-4 pending\nPENDING a b\n\n"
        )
        #expect(try desk.call(["list"]).output == "l-1-1\nl-1-2 pending\n")
        try desk.folder.write("queue", "")
        let none = try desk.call(["list"])
        #expect(none.status == 0 && none.said == "")
    }

    @Test("a failure of Slurm is the script's, in its words")
    func failed() throws {
        let desk = try desk(["FARM_PARTITION": "gpu"])
        let start = try desk.call(["start"] + Desk.worker + ["lab"])
        #expect(start.status == 1 && start.errors.contains("sbatch: error: invalid partition"))
        // There is no queue.
        #expect(try desk.call(["list"]).status != 0)
        #expect(try desk.call(["stop", "l-1-1"]).status == 0 && desk.text("cancelled") == "\n")
        #expect(try desk.call(["stop", "l-1-2"]).status != 0)
    }

    @Test("what nobody could mean is refused before Slurm is asked")
    func refused() throws {
        let missing = try desk().call(["check"], token: "")
        #expect(missing.status == 78 && missing.errors.contains("there is no token"))
        for words in [["check"], ["list"], ["start"] + Desk.worker + ["lab"]] {
            let desk = try desk(["FARM_PARTION": "gpu"])
            let ended = try desk.call(words)
            #expect(ended.status == 78 && ended.errors.contains("FARM_PARTION is none of"))
            #expect(desk.text("seen") == "")
        }
        let right = try desk(["FARM_PARTITION": "lab"])
        let ended = try right.call(["check"])
        #expect(ended.status == 0 && ended.said == "" && right.text("seen") == "")
        #expect(try right.call(["start", "--mem=4G"]).errors.contains("no --id NAME"))
        #expect(try right.call(["begin"]).status == 64)
    }
}

@Suite("The script of Kubernetes")
struct KubernetesScriptTests {
    private static let variables = [
        "FARM_IMAGE": "registry.example.org/snapfarm:1.0", "FARM_SECRET": "snapfarm-worker",
        "FARM_NAMESPACE": "snapfarm", "FARM_NODE_SELECTOR": "kubernetes.io/arch=amd64",
        "FARM_RESOURCES": "cpu=2,memory=4Gi",
    ]

    private func desk(_ more: [String: String] = [:]) throws -> Desk {
        try Desk(
            "kubernetes-worker",
            Self.variables.merging(more) { $1 },
            programs: [
                "kubectl": """
                case $* in
                "create --namespace snapfarm -f -") cat >job ;;
                "get jobs --namespace snapfarm -l app.kubernetes.io/name=snapfarm-worker -o jsonpath="*)
                  cat jobs ;;
                "delete job l-1-1 --namespace snapfarm --ignore-not-found --wait=false"*) ;;
                *) echo "error: unknown command $*" >&2; exit 1 ;;
                esac
                """
            ]
        )
    }

    @Test("the Job of deploy/kubernetes is the one that the script makes")
    func manifest() throws {
        let desk = try desk()
        let ended = try desk.call(["start"] + Desk.worker + ["lab"], token: "")
        #expect(ended.status == 0, "\(ended.said)")
        let file = Desk.deploy + "/kubernetes/job.json"
        if ProcessInfo.processInfo.environment["SNAPFARM_UPDATE_GOLDEN"] == "1" {
            try Data(desk.text("job").utf8).write(to: URL(fileURLWithPath: file))
        }
        #expect(try String(contentsOfFile: file, encoding: .utf8) == desk.text("job"))
    }

    @Test("a Job is JSON, whatever its worker offers")
    func quoted() throws {
        let desk = try desk(["FARM_SERVICE_ACCOUNT": "a\"b"])
        let offer = "note=it's \"$HOME\" \\ `id`"
        #expect(try desk.call(["start"] + Desk.worker + [offer], token: "").status == 0)
        let job = try JSONSerialization.jsonObject(with: Data(desk.text("job").utf8))
        let spec = ((job as? [String: Any])?["spec"] as? [String: Any])?["template"]
        let pod = (spec as? [String: Any])?["spec"] as? [String: Any]
        #expect(pod?["serviceAccountName"] as? String == "a\"b")
        let container = (pod?["containers"] as? [[String: Any]])?.first
        #expect((container?["args"] as? [String])?.last == offer)
    }

    @Test("Jobs that ended or are deleted are gone, and those without a ready pod wait")
    func listed() throws {
        let desk = try desk()
        try desk.folder.write(
            "jobs",
            "l-1-1||1\nl-1-2||0\nl-1-3|1|0\nl-1-4|2026-11-25T00:00:00Z|1\nl-1-5||\n"
        )
        #expect(try desk.call(["list"]).output == "l-1-1\nl-1-2 pending\nl-1-5 pending\n")
        try desk.folder.write("jobs", "")
        let none = try desk.call(["list"])
        #expect(none.status == 0 && none.said == "")
        #expect(try desk.call(["stop", "l-1-1"]).status == 0)
        let stranger = try desk.call(["stop", "l-1-2"])
        #expect(stranger.status == 1 && stranger.errors.contains("unknown command"))
    }

    @Test(
        "what nobody could mean is refused before Kubernetes is asked",
        arguments: [
            (["FARM_IMGAE": "i"], "", "FARM_IMGAE is none of its variables"),
            (["FARM_IMAGE": ""], "", "FARM_IMAGE is missing"),
            (["FARM_SECRET": ""], "", "FARM_SECRET is missing"),
            (["FARM_RESOURCES": "cpu=2,4Gi"], "", "FARM_RESOURCES has \"4Gi\""),
            (["FARM_NODE_SELECTOR": "=ssd"], "", "FARM_NODE_SELECTOR has \"=ssd\""),
            ([:], "snapfarm_secret", "which no Job would get"),
        ]
    )
    func refused(more: [String: String], token: String, words: String) throws {
        let desk = try desk(more)
        let ended = try desk.call(["check"], token: token)
        #expect(ended.status == 78 && ended.errors.contains(words), "\(ended.said)")
        #expect(!ended.said.contains("snapfarm_secret") && desk.text("seen") == "")
        let right = try self.desk()
        #expect(try right.call(["check"], token: "").said == "" && right.text("seen") == "")
    }
}
