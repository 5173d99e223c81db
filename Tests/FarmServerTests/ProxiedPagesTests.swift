// Tests of the pages of a coordinator that does not lead: it shows its copy and forwards forms to
// the leader, with the user and address that it saw.
import FarmCore
import FarmServer
import FarmTesting
import Foundation
import Synchronization
import Testing

/// Desks that give every run the same desk.
private struct OneDesk: ReviewSources {
    let desk: MemoryDesk

    func desk(of run: RunID) async throws -> any ReviewSource { desk }
    func isPublished(_ pictures: [String], of run: RunID, in set: String) async throws -> Bool {
        false
    }
}

@Suite("Pages of a coordinator that does not lead")
struct ProxiedPagesTests {
    private static let now: Int64 = 1_000_000
    private let leaders = MemoryDesk(["one", "two"])
    private let copy = MemoryDesk(["one", "behind"])

    private static func tokens(_ folder: TemporaryFolder) -> TokenFile {
        TokenFile(path: folder.file("tokens.json")) { now }
    }

    private static func pages(
        _ folder: TemporaryFolder,
        _ desk: MemoryDesk,
        proxy: TrustedProxy? = nil
    ) -> ServedPages {
        ServedPages(
            tokens: tokens(folder),
            proxy: proxy,
            desks: OneDesk(desk: desk),
            clock: { now }
        )
    }

    /// Returns a browser that is logged in at a coordinator's port.
    private static func browser(
        _ folder: TemporaryFolder,
        at port: Int,
        _ desk: MemoryDesk
    ) throws -> Served {
        var random = SeededGenerator(seed: 3)
        let file = tokens(folder)
        let token = try file.create(name: "ada", scopes: [.review], expires: nil, using: &random)
        let session = PageSession(of: try file.record(of: token), now: now, using: &random)
        let sealer = TwoCoordinators.sealer.sessions
        return Served(
            port: port,
            entry: "",
            cookie: "snapfarm=" + sealer.sealed(session),
            token: sealer.formToken("session \(session.id)"),
            desk: desk
        )
    }

    private static func count(_ desk: MemoryDesk) -> Int { desk.state.withLock(\.decisions.count) }

    @Test("show the copy, and decide at the leader what a form of theirs says")
    func forms() async throws {
        try await TwoCoordinators.serving(
            pages: { [leaders, copy] folder, leader in
                Self.pages(folder, leader == .me ? leaders : copy)
            },
            { [leaders, copy] farm in
                let browser = try Self.browser(farm.folder, at: farm.standbyPort, copy)
                let page = try await browser.ask("GET", "/runs/r1/")
                #expect(page.status == 200)
                #expect(page.text.contains("behind"))
                let path = "/runs/r1/decisions"
                let json = ["Accept": "application/json"]
                let own = try await browser.ask("POST", path, body: browser.form, headers: json)
                #expect(own.status == 200, "\(own.text)")
                #expect(Self.count(leaders) == 1)
                // A form from elsewhere is refused before it is forwarded.
                for origin in ["https://evil.example", "http://127.0.0.1:\(farm.leaderPort)"] {
                    let foreign = try await browser.ask(
                        "POST",
                        path,
                        body: browser.form,
                        headers: json.merging(["Origin": origin]) { $1 }
                    )
                    #expect(foreign.status == 403)
                }
                farm.leadership.set(.none)
                let late = try await browser.ask("POST", path, body: browser.form)
                #expect(late.status == 503)
                #expect(late.headers["retry-after"] == "1")
                #expect(late.headers["content-type"]?.hasPrefix("text/html") == true)
                let japanese = try await browser.ask(
                    "POST",
                    path,
                    body: browser.form,
                    headers: ["Accept-Language": "ja"]
                )
                #expect(japanese.text.contains("<html lang=\"ja\""), "\(japanese.text)")
                #expect(japanese.text.contains("コーディネーターが引き継ぎ"))
                #expect(try await browser.ask("GET", "/runs/r1/").status == 200)
                #expect(Self.count(leaders) == 1)
                #expect(Self.count(copy) == 0)
            }
        )
    }

    @Test("are believed in who called and from where, by the seal of the key that they share alone")
    func callers() async throws {
        let folder = try TemporaryFolder("callers")
        let trusted = TrustedProxy(
            address: "10.1.1.1",
            header: "X-Forwarded-User",
            scope: .review
        )
        try await TwoCoordinators.alone(
            pages: Self.pages(folder, leaders, proxy: trusted),
            SetLeadership(.me)
        ) { port in
            let sealer = TwoCoordinators.sealer.sessions
            var random = SeededGenerator(seed: 4)
            let other = LeaseSealer(using: &random).sessions
            for (word, status) in [
                (sealer.sealedCall("10.1.1.1~https"), 200),
                (sealer.sealedCall("10.1.1.2~http"), 403),
                (other.sealedCall("10.1.1.1~https"), 403), ("10.1.1.1~https", 403), ("", 403),
                ("~", 403),
            ] {
                let call = TwoCoordinators.call(
                    "GET /runs/r1/",
                    ["Snapfarm-Proxied: \(word)", "X-Forwarded-User: ada"]
                )
                let answer = try await TwoCoordinators.ask(port, call)
                #expect(answer?.status == status, "\(word)")
            }
        }
    }
}
