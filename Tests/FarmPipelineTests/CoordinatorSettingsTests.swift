import FarmCore
import FarmPipeline
import Testing

@Suite("The configuration of a coordinator")
struct CoordinatorSettingsTests {
    @Test("a configuration says every mistake with its line")
    func mistakes() {
        let text = """
            version: 1
            listn: 127.0.0.1:1
            listen: nowhere
            tls: {certificate: a.pem}
            log: jsn
            limits: {idle: 5, body: 10s, connections: 1}
            retention: {days: 0}
            """
        do {
            let settings = try CoordinatorSettings.decode(text, file: "farm.yaml")
            Issue.record("\(settings)")
        } catch {
            for words in [
                "farm.yaml:2: unknown key \"listn\"", "Did you mean \"listen\"?",
                "farm.yaml:3: listen is \"nowhere\"", "farm.yaml:4: tls needs a certificate",
                "farm.yaml:5: unknown log \"jsn\". Did you mean \"json\"?",
                "farm.yaml:6: limits.idle is \"5\"", "farm.yaml:6: limits.connections is \"1\"",
                "farm.yaml:7: retention.days is \"0\"",
            ] {
                #expect(error.message.contains(words), "\(error.message)")
            }
            #expect(error.problems.count == 7)
        }
    }

    @Test("teams are read in the order of the file, and every mistake has its line")
    func teams() throws {
        let text = """
            version: 1
            teams:
              web: {pipelines: [web, "web-*"], weight: 3}
              all: {pipelines: ["*"]}
            """
        let teams = try CoordinatorSettings.decode(text, file: "farm.yaml").teams
        #expect(
            teams.named == [
                Team(name: "web", pipelines: ["web", "web-*"], weight: 3),
                Team(name: "all", pipelines: ["*"]),
            ]
        )
        #expect(try CoordinatorSettings.decode("version: 1", file: "f").teams == Teams())
        let wrong = """
            version: 1
            teams:
              a: {pipelines: [x], weight: 0}
              b: {pipeline: [x]}
              c: {pipelines: []}
              d: [x]
              "": {pipelines: [x]}
            """
        let refusal = #expect(throws: DocumentErrors.self) {
            try CoordinatorSettings.decode(wrong, file: "farm.yaml")
        }
        let said = refusal?.message ?? ""
        for words in [
            "farm.yaml:3: weight of the team a is \"0\"",
            "farm.yaml:4: unknown key \"pipeline\" in the team b",
            "farm.yaml:4: the team b has no pipelines", "farm.yaml:5: the team c has no pipelines",
            "farm.yaml:6: the team d must be a map", "farm.yaml:7: the name of a team must be text",
        ] {
            #expect(said.contains(words), "\(said)")
        }
    }

    @Test("launchers are read with what they leave out")
    func launchers() throws {
        let text = """
            version: 1
            launchers:
              - {name: here, kind: local, max: 4, token: WORKER_TOKEN}
              - name: macs
                kind: command
                start: [ssh, mac, "start {name}"]
                list: [ssh, mac, list]
                stop: [ssh, mac, stop, "{name}"]
                coordinator: https://farm.example.org
                token: WORKER_TOKEN
                variables: [AWS_PROFILE, "BASE=a=b c", EMPTY=]
                offers: [os=macos, lab]
                min: 1
                max: 2
                tests: 5
                idle: 30s
                start-within: 5m
                cost-per-hour: 1.5
              - {name: k8s, kind: command, max: 9, coordinator: "http://c", token: none,
                 check: [c], start: [a, "{worker}"], list: [b], stop: [d]}
            """
        let all = try CoordinatorSettings.decode(text, file: "farm.yaml").launchers
        #expect(all.map(\.name) == ["here", "macs", "k8s"])
        #expect(all[0].place == .local && all[0].testsPerWorker == 20 && all[0].min == 0)
        #expect(all[1].offers.words == "lab, os macos" && all[1].startSeconds == 300)
        #expect(all[1].costPerHour == 1.5 && all[1].token == "WORKER_TOKEN")
        #expect(all[1].variables == ["AWS_PROFILE": nil, "BASE": "a=b c", "EMPTY": ""])
        let templates = LauncherTemplates(
            check: ["c"],
            start: ["a", "{worker}"],
            list: ["b"],
            stop: ["d"]
        )
        #expect(all[2].place == .command(templates) && all[2].token == nil)
    }

    @Test("the lines that replace a kind that became a script say the same")
    func scripts() throws {
        let old = """
            name: hpc
            kind: slurm
            max: 9
            token: T
            coordinator: "http://c"
            constraint: a&b
            program: /opt/it's
            options: [--mem=4G, "--comment=a \\"b\\""]
            variables: [AWS_PROFILE]
            """
        let new = try Self.replaced(old, ["kind", "constraint", "program", "options", "variables"])
        let script = "/usr/share/snapfarm/launchers/slurm-worker"
        let place = LauncherPlace.command(
            LauncherTemplates(
                check: [script, "check"],
                start: [script, "start", "--mem=4G", "--comment=a \"b\"", "{worker}"],
                list: [script, "list"],
                stop: [script, "stop", "{name}"]
            )
        )
        #expect(new.place == place && new.token == "T" && new.max == 9)
        #expect(
            new.variables == [
                "AWS_PROFILE": nil, "FARM_CONSTRAINT": "a&b", "FARM_PROGRAM": "/opt/it's",
            ]
        )
        let pods = """
            name: k8s
            kind: kubernetes
            max: 9
            coordinator: "http://c"
            image: i
            secret: s
            service-account: a
            node-selector: {disk: ssd, arch: amd64}
            resources: {cpu: "2"}
            """
        let keys = ["kind", "image", "secret", "service-account", "node-selector", "resources"]
        let made = try Self.replaced(pods, keys)
        #expect(made.token == nil)
        #expect(
            made.variables == [
                "FARM_IMAGE": "i", "FARM_SECRET": "s", "FARM_SERVICE_ACCOUNT": "a",
                "FARM_NODE_SELECTOR": "disk=ssd,arch=amd64", "FARM_RESOURCES": "cpu=2",
            ]
        )
    }

    /// A launcher with the lines of its refusal in place of `keys`.
    private static func replaced(_ launcher: String, _ keys: [String]) throws -> LauncherSettings {
        func file(_ lines: [String]) -> String {
            "version: 1\nlaunchers:\n  -\n" + lines.map { "    \($0)\n" }.joined()
        }
        let lines = launcher.split(separator: "\n").map(String.init)
        let refusal = #expect(throws: DocumentErrors.self) {
            try CoordinatorSettings.decode(file(lines), file: "farm.yaml")
        }
        let said = refusal?.message.split(separator: "\n") ?? []
        #expect(said.first?.contains("in place of kind, ") == true, "\(said)")
        let kept = lines.filter { line in !keys.contains { line.hasPrefix($0 + ":") } }
        let new = kept + said.dropFirst().map { String($0.dropFirst(4)) }
        return try #require(
            try CoordinatorSettings.decode(file(new), file: "farm.yaml").launchers.first
        )
    }

    @Test(
        "a launcher that nobody could mean is refused, and no secret is repeated",
        arguments: [
            ("{name: a, kind: local, token: T}", "a launcher has no max"),
            ("{name: A, kind: local, max: 1, token: T}", "name of a launcher is \"A\""),
            ("{name: a--b, kind: local, max: 1, token: T}", "single hyphens"),
            ("{name: a, kind: lokal, max: 1, token: T}", "Did you mean \"local\"?"),
            ("{name: a, kind: local, max: 0, token: T}", "max is \"0\""),
            ("{name: a, kind: local, max: 1, min: 2, token: T}", "min of the launcher a is \"2\""),
            ("{name: a, kind: local, max: 1}", "has no token for its workers"),
            ("{name: a, kind: local, max: 1, token: snapfarm_secret}", "no name of a variable"),
            ("{name: a, kind: local, max: 1, token: T, check: [i]}", "belongs to the kind command"),
            ("{name: a, kind: local, max: 1, token: none}", "no name of a variable"),
            ("{name: a, kind: local, max: 1, token: T, ofers: [b]}", "Did you mean \"offers\"?"),
            ("{name: a, kind: local, max: 1, token: T, offers: [B]}", "is no name of something"),
            (
                "{name: a, kind: command, max: 1, start: [b], list: [b], stop: [b], token: none}",
                "how its workers reach the coordinator"
            ),
            (
                "{name: a, kind: command, max: 1, start: [b], list: [b], stop: [b]}",
                "has no token for its workers"
            ),
            (
                "{name: a, kind: local, max: 1, token: T, variables: [snapfarm_secret=a]}",
                "a variable of the launcher a is no name of a variable"
            ),
            (
                "{name: a, kind: local, max: 1, token: T, variables: [SNAPFARM_TOKEN=a]}",
                "a variable of the launcher a is no name of a variable"
            ),
            (
                "{name: a, kind: command, max: 1, token: T, start: [b]}",
                "needs start, list and stop"
            ),
            ("{name: a, kind: slurm, token: snapfarm_secret}", "is a script of the kind command"),
            (
                "{name: a, kind: local, max: 1, token: T}, {name: a, kind: local, max: 1, token: T}",
                "two launchers have the name a"
            ),
        ]
    )
    func noLauncher(entry: String, words: String) {
        do {
            let text = "version: 1\nlaunchers: [\(entry)]\n"
            Issue.record("\(try CoordinatorSettings.decode(text, file: "farm.yaml"))")
        } catch {
            #expect(error.message.contains("farm.yaml:2:"), "\(error.message)")
            #expect(error.message.contains(words), "\(error.message)")
            #expect(!error.message.contains("snapfarm_secret"), "\(error.message)")
        }
    }

    @Test(
        "a repository or webhook that nobody could mean is refused, and no secret is repeated",
        arguments: [
            ("repositories: {app: {pin: a}}", "has no url"),
            ("repositories: {app: {url: u, pin: ../refs}}", "pin of the repository of app"),
            ("repositories: {app: {url: u, pin: /refs}}", "from the root of the repository"),
            ("repositories: {app: {url: u, pin: .git/config}}", "pin of the repository of app"),
            ("repositories: {app: {url: u, token: s3cret-value}}", "no name of a variable"),
            ("repositories: {app: {url: u, token: SNAPFARM_TOKEN}}", "no name of a variable"),
            ("webhooks: [{url: \"https://h/\"}]", "needs url and secret"),
            ("webhooks: [{url: \"ftp://h/\", secret: A}]", "no http or https address"),
            ("webhooks: [{url: \"https://[::1]:99999/\", secret: A}]", "no http or https"),
            ("webhooks: [{url: \"https://u:s3cret@h/\", secret: A}]", "without a password"),
            ("webhooks: [{url: \"https://h/\", secret: A, events: [run.close]}]", "run.closed"),
        ]
    )
    func publishing(text: String, words: String) {
        do {
            let settings = try CoordinatorSettings.decode("version: 1\n" + text, file: "f")
            Issue.record("\(settings)")
        } catch {
            #expect(error.message.contains("f:2: ") && error.message.contains(words))
            #expect(!error.message.contains("s3cret"), "\(error.message)")
        }
    }

    @Test(
        "a bucket that nobody could mean is refused, and no secret is repeated",
        arguments: [
            ("{}", "names no bucket"),
            ("{s3: {bucket: farm, access-key: A, secret-key: B}}", "has no endpoint"),
            ("{s3: {endpoint: \"https://h/b\", bucket: farm}}", "no http or https address"),
            ("{s3: {endpoint: \"https://[::1]:99999\", bucket: farm}}", "no http or https"),
            ("{s3: {endpoint: \"https://u:s3cret@h\", bucket: farm}}", "no http or https address"),
            ("{s3: {endpoint: \"https://h\", bucket: Farm}}", "bucket is \"Farm\""),
            ("{s3: {endpoint: \"https://h\", bucket: a..b}}", "bucket is \"a..b\""),
            ("{s3: {endpoint: \"https://h\", bucket: farm, secret-key: s3cret}}", "no name of a"),
            ("{s3: {endpoint: \"https://h\", bucket: farm, acces-key: A}}", "access-key"),
        ]
    )
    func buckets(text: String, words: String) {
        do {
            let settings = try CoordinatorSettings.decode("version: 1\nblobs: \(text)", file: "f")
            Issue.record("\(settings)")
        } catch {
            #expect(error.message.contains("f:2: ") && error.message.contains(words), "\(error)")
            #expect(!error.message.contains("s3cret"), "\(error.message)")
        }
    }

    @Test("a bucket is read with what it leaves out, and a prefix cannot lead out of it")
    func bucket() throws {
        let text = """
            version: 1
            blobs:
              s3: {endpoint: "https://h:9000/", bucket: farm, access-key: A_KEY, secret-key: B_KEY}
            """
        let settings = try CoordinatorSettings.decode(text, file: "f")
        let bucket = BucketSettings(
            endpoint: "https://h:9000",
            bucket: "farm",
            accessKey: "A_KEY",
            secretKey: "B_KEY"
        )
        #expect(settings.bucket == bucket && bucket.region == "us-east-1")
        for prefix in ["../x", "/x", "x/", "x//y"] {
            let wrong = text.replacing("bucket: farm", with: "bucket: farm, prefix: \(prefix)")
            #expect(throws: DocumentErrors.self) {
                try CoordinatorSettings.decode(wrong, file: "f")
            }
        }
    }

    @Test("repositories and webhooks are read with what they leave out")
    func publishing() throws {
        let settings = try CoordinatorSettings.decode(
            """
            version: 1
            repositories:
              wallet: {url: "https://git.example.org/wallet.git", pin: tests/refs, token: WALLET}
              shop: {url: "ssh://git@git.example.org/shop.git", key: keys/shop}
            webhooks:
              - {url: "https://ci.example.org/hook?a=b", secret: HOOK, events: [run.closed]}
              - {url: "http://127.0.0.1:9/", secret: HOOK2}
            """,
            file: "f"
        )
        let wallet = try #require(settings.repositories["wallet"])
        #expect(wallet.pinPath == "tests/refs" && wallet.token == "WALLET" && wallet.key == nil)
        let shop = try #require(settings.repositories["shop"])
        #expect(shop.pinPath == "snapfarm.refs" && shop.token == nil && shop.key == "keys/shop")
        #expect(settings.webhooks.map(\.events) == [[.closed], FarmEvent.Kind.allCases])
    }

    @Test("a configuration without mistakes says what it says")
    func settings() throws {
        let settings = try CoordinatorSettings.decode(
            """
            version: 1
            listen: 0.0.0.0:7420
            data: state
            tls: {certificate: a.pem, key: b.pem}
            stores: {wallet: ../wallet.git, shop: "https://git.example.org/shop.git"}
            retention: {days: 14}
            log: text
            limits: {idle: 5s, body: 500ms, connections: 100, silence: 2h}
            """,
            file: "f"
        )
        #expect(settings.listen == ListenAddress(host: "0.0.0.0", port: 7420))
        #expect(settings.data == "state" && settings.logFormat == .text)
        #expect(settings.tls == TLSFiles(certificate: "a.pem", key: "b.pem"))
        #expect(settings.stores["shop"] == "https://git.example.org/shop.git")
        #expect(settings.retention == RetentionPolicy(keepDays: 14, keepRuns: 20))
        #expect(settings.idleSeconds == 5 && settings.bodySeconds == 0.5)
        #expect(settings.connectionsMax == 100 && settings.silenceSeconds == 7200)
    }
}
