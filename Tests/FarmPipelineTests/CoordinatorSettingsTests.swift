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
