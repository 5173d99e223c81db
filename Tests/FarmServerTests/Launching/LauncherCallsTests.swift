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

    private static let calls: [any LauncherCalls] = [
        templates, SlurmCalls(SlurmPlace()),
        KubernetesCalls(launcher: "l", KubernetesPlace(image: "i", secret: "s")),
    ]

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

    @Test("no token is among the words of any call", arguments: 0..<3)
    func secrets(place: Int) {
        let calls = Self.calls[place]
        let all = [calls.start(Self.order()), calls.list(), calls.stop(Self.order().name)]
        #expect(
            all.allSatisfy { !$0.words.joined(separator: " ").contains("secret") || place == 2 }
        )
        #expect(
            all.allSatisfy { call in call.words.allSatisfy { !$0.contains("snapfarm_secret") } }
        )
    }

    @Test("of Slurm's jobs those that complete are gone, and pending ones wait")
    func slurm() throws {
        let listed = try SlurmCalls(SlurmPlace()).listed(
            "RUNNING l-1-1\nPENDING l-1-2\nCOMPLETING l-1-3\nRUNNING some other job\n\n"
        )
        #expect(
            listed == [
                ListedWorker("l-1-1"), ListedWorker("l-1-2", isPending: true),
                ListedWorker("some other job"),
            ]
        )
    }

    @Test("Slurm gets a script that tells the worker its token, and quotes what it offers")
    func script() throws {
        var place = SlurmPlace()
        place.constraint = "chromium-120&lab"
        let call = SlurmCalls(place).start(Self.order(offers: ["note=it's $HOME"]))
        #expect(call.words.contains("--constraint=chromium-120&lab"))
        let folder = try TemporaryFolder("slurm")
        let script = call.input.replacing("exec 'snapfarm'", with: "printf '%s|'")
        let file = try folder.write("job.sh", script + "cat <<'X'\nX\n")
        let ran = try TestProcess.run(["sh", file])
        #expect(
            ran.output
                == "worker|--coordinator|-|--id|l-1764000000-7|--idle-seconds|60|--offer|note=it's $HOME|"
        )
        #expect(call.input.contains("\nhttps://farm.example.org\nsnapfarm_secret\n"))
    }

    @Test("the Job of deploy/kubernetes is the one that a launcher makes")
    func manifest() throws {
        var place = KubernetesPlace(
            image: "registry.example.org/snapfarm:1.0",
            secret: "snapfarm-worker"
        )
        place.namespace = "snapfarm"
        place.nodeSelector = ["kubernetes.io/arch": "amd64"]
        place.resources = ["cpu": "2", "memory": "4Gi"]
        let made = KubernetesCalls(launcher: "l", place).manifest(Self.order())
        #expect(!made.contains("snapfarm_secret"))
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let file = root.appendingPathComponent("deploy/kubernetes/job.json")
        if ProcessInfo.processInfo.environment["SNAPFARM_UPDATE_GOLDEN"] == "1" {
            try Data(made.utf8).write(to: file)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == made)
    }

    @Test("of Kubernetes' Jobs those that ended or are deleted are gone")
    func kubernetes() throws {
        let calls = KubernetesCalls(launcher: "l", KubernetesPlace(image: "i", secret: "s"))
        let listed = try calls.listed(
            """
            {"apiVersion": "v1", "kind": "List", "items": [
              {"metadata": {"name": "l-1-1"}, "status": {"active": 1, "ready": 1}},
              {"metadata": {"name": "l-1-2"}, "status": {"active": 1, "ready": 0}},
              {"metadata": {"name": "l-1-3"}, "status": {"succeeded": 1}},
              {"metadata": {"name": "l-1-4"}, "status": {"failed": 1}},
              {"metadata": {"name": "l-1-5", "deletionTimestamp": "2026-11-25T00:00:00Z"}},
              {"metadata": {"name": "l-1-6"}}]}
            """
        )
        #expect(
            listed == [
                ListedWorker("l-1-1"), ListedWorker("l-1-2", isPending: true),
                ListedWorker("l-1-6", isPending: true),
            ]
        )
        #expect(throws: LauncherAnswerError.self) { try calls.listed("error: no route to host") }
    }
}
