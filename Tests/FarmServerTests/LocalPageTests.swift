// Tests of a run's page on this machine through raw sockets: requests of a normal browser, of a
// foreign page and of an ill-behaved program.
import FarmCore
import FarmReports
import FarmServer
import FarmTesting
import Foundation
import Logging
import Synchronization
import Testing

/// A connection that is read piece by piece, by one reader at a time.
private final class Listening: Sendable {
    private let connection: Mutex<RawConnection>

    init(_ connection: sending RawConnection) { self.connection = Mutex(connection) }

    func stream(until word: String, asking call: String = "") async throws -> String? {
        try await offPool { [self] in
            connection.withLock { connection in
                connection.send(call)
                return connection.stream(until: word)
            }
        }
    }
}

@Suite("A run's page on this machine")
struct LocalPageTests {
    /// Serves a page while `body` runs.
    func served(
        _ names: [String] = ["one", "two"],
        idleSeconds: Double = 60,
        _ body: @escaping @Sendable (Served, String) async throws -> Void
    ) async throws {
        var generator = SeededGenerator.announced()
        // The same random numbers as the page's: the test acts as its browser.
        var same = generator
        let root = String(AccessToken.random(using: &same).prefix(16))
        _ = AccessToken.random(using: &same)
        let cookie = "snapfarm_review=" + AccessToken.random(using: &same)
        let token = AccessToken.random(using: &same)
        let desk = MemoryDesk(names)
        let page = LocalPage(
            desk: desk,
            person: "ada",
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            clock: { 7 },
            using: &generator
        )
        let (addresses, found) = AsyncStream<String>.makeStream()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await page.serve(idleSeconds: idleSeconds, signals: []) { found.yield($0) }
            }
            group.addTask {
                for await address in addresses {
                    let url = try #require(URL(string: address))
                    let place = Served(
                        port: try #require(url.port),
                        entry: url.path,
                        cookie: cookie,
                        token: token,
                        desk: desk,
                        show: { page.show($0) }
                    )
                    try await body(place, "/" + root)
                    return
                }
            }
            _ = try await group.next()
            group.cancelAll()
        }
    }

    @Test("the printed address lets one browser in, which comes back, and nobody else")
    func entry() async throws {
        try await served { page, root in
            let other = ["Cookie": String?.none]
            #expect(try await page.ask("GET", root + "/", headers: other).status == 403)
            let wrong = try await page.ask("GET", root + "/enter/00", headers: other)
            #expect(wrong.status == 403)
            let first = try await page.ask("GET", page.entry, headers: other)
            #expect(first.status == 303 && first.headers["location"] == root + "/")
            let cookie = try #require(first.headers["set-cookie"])
            #expect(cookie.hasPrefix(page.cookie + ";"))
            for word in ["HttpOnly", "SameSite=Strict", "Path=\(root)"] {
                #expect(cookie.contains(word))
            }
            let second = try await page.ask("GET", page.entry, headers: other)
            #expect(second.status == 403 && second.text.contains("opened before"))
            #expect(second.headers["set-cookie"] == nil)
            #expect(try await page.ask("GET", page.entry).status == 303)
        }
    }

    @Test("every answer keeps foreign pages, frames and scripts out")
    func headers() async throws {
        try await served { page, root in
            let answer = try await page.ask("GET", root + "/")
            #expect(answer.status == 200)
            let policy = try #require(answer.headers["content-security-policy"])
            #expect(policy.contains("default-src 'none'") && !policy.contains("unsafe"))
            #expect(policy.contains("frame-ancestors 'none'"))
            for path in [
                "/", "/files/a/one.png", "/decisions", "/page.css", "/page.js", "/thumbs/a/one.png",
                "/baseline?snapshot=A%2FS%2Fone", "/catalogue/style.css", "/catalogue/catalogue.js",
            ] {
                let answer = try await page.ask("GET", root + path)
                #expect(answer.status == 200, "\(path)")
                #expect(answer.headers["x-frame-options"] == "DENY", "\(path)")
                #expect(answer.headers["x-content-type-options"] == "nosniff", "\(path)")
                #expect(answer.headers["referrer-policy"] == "same-origin", "\(path)")
            }
            #expect(!answer.text.contains("no-referrer"))
        }
    }

    @Test("files are the run's own, and none of them is a page of ours")
    func files() async throws {
        try await served { page, root in
            let picture = try await page.ask("GET", root + "/files/a/one.png")
            #expect(picture.headers["content-type"] == "image/png" && picture.text == "picture")
            let tag = try #require(picture.headers["etag"])
            let again = try await page.ask(
                "GET",
                root + "/files/a/one.png",
                headers: ["If-None-Match": tag]
            )
            #expect(again.status == 304)
            let evil = try await page.ask("GET", root + "/files/a/evil.html")
            #expect(evil.headers["content-type"] == "text/plain; charset=utf-8")
            #expect(evil.headers["content-security-policy"]?.contains("sandbox") == true)
            for path in [
                "/files/../a/one.png", "/files/%2e%2e/one.png", "/files/a/%2e%2e%2fa/one.png",
                "/files/a%5cone.png", "/files/a//%00", "/files/", "/files/b", "/nothing",
            ] {
                #expect(try await page.ask("GET", root + path).status == 404, "\(path)")
            }
        }
    }

    @Test("the icon that browsers ask for is there for everybody")
    func icon() async throws {
        try await served { page, _ in
            let icon = try await page.ask("GET", "/favicon.ico", headers: ["Cookie": nil])
            #expect(icon.status == 200 && icon.headers["content-type"]?.hasPrefix("image/") == true)
        }
    }

    @Test("a host without a store says so, and shows nothing that is not the run's")
    func noStore() async throws {
        try await served { page, root in
            let why = try await page.ask("GET", root + "/baseline?snapshot=A%2FS%2Fone")
            #expect(why.status == 200 && why.text.contains("No reference store"))
            let catalogue = try await page.ask("GET", root + "/catalogue/")
            #expect(catalogue.status == 404 && catalogue.text.contains("no reference store"))
            let object = ObjectID(ofBlob: Data("old".utf8)).hex
            for path in [
                "/baseline", "/baseline?snapshot=A%2FS%2Fthree", "/baseline?snapshot=..%2F..",
                "/thumbs/%2e%2e/one.png", "/thumbs/b", "/catalogue/pictures/\(object).png",
                "/catalogue/thumbs/\(object)", "/catalogue/thumbs/%2e%2e.png",
            ] {
                #expect(try await page.ask("GET", root + path).status == 404, "\(path)")
            }
            for path in ["/baseline?snapshot=A%2FS%2Fone", "/thumbs/a/one.png", "/catalogue/"] {
                let stranger = try await page.ask("GET", root + path, headers: ["Cookie": nil])
                #expect(stranger.status == 403, "\(path)")
            }
        }
    }

    @Test("a form decides, and the page that it leads back to says what it did")
    func decide() async throws {
        try await served { page, root in
            let done = try await page.ask("POST", root + "/decisions", body: page.form)
            #expect(done.status == 303 && done.headers["location"] == root + "/#c-1")
            let made = try #require(page.desk.state.withLock(\.decisions).first)
            #expect(made.kind == .accepted && made.who == "ada" && made.when == 7)
            #expect(try await page.ask("GET", root + "/").text.contains("Accepted 1 picture."))
            #expect(try await !page.ask("GET", root + "/").text.contains("Accepted 1 picture."))
            _ = try await page.ask("POST", root + "/decisions?lang=ja", body: page.form)
            #expect(try await page.ask("GET", root + "/").text.contains("すでに同じ判断です"))
            let json = ["Accept": String?.some("application/json")]
            let again = try await page.ask(
                "POST",
                root + "/decisions",
                body: page.form,
                headers: json
            )
            #expect(again.status == 200 && again.text.contains("\"notice\""))
            #expect(page.desk.state.withLock(\.decisions).count == 1)
            let unknown = try await page.ask(
                "POST",
                root + "/decisions",
                body: "token=\(page.token)&kind=rejected&snapshot=%3Cscript%3E",
                headers: json
            )
            #expect(unknown.status == 400 && unknown.text.contains("decision-unknown-picture"))
            let shown = try await page.ask(
                "POST",
                root + "/decisions",
                body: "token=\(page.token)&kind=rejected&snapshot=%3Cscript%3E"
            )
            #expect(shown.text.contains("&lt;script&gt;") && !shown.text.contains("<script>"))
        }
    }

    @Test("publishing says what it did; what cannot be published says why")
    func publish() async throws {
        try await served { page, root in
            let token = "token=\(page.token)"
            #expect(try await page.ask("POST", root + "/publish", body: token).status == 303)
            let text = try await page.ask("GET", root + "/").text
            #expect(text.contains("Published 1 picture. ada has published them already."))
            let obstacle = Problem(code: "x", message: "3 tests are open.", remedy: "Run again.")
            page.desk.state.withLock { $0.obstacle = obstacle }
            let refused = try await page.ask("POST", root + "/publish", body: token)
            #expect(refused.status == 409 && refused.text.contains("3 tests are open."))
            #expect(page.desk.state.withLock(\.published) == 1)
        }
    }

    @Test(
        "what was published and why something is not is Japanese, and the tool's words are a detail"
    )
    func japanese() async throws {
        try await served { page, root in
            let token = "token=\(page.token)"
            let publish = root + "/publish?lang=ja"
            #expect(try await page.ask("POST", publish, body: token).status == 303)
            let text = try await page.ask("GET", root + "/?lang=ja").text
            #expect(text.contains("1枚を公開しました。 adaさんが公開済みです。"))
            let obstacle = Problem(
                code: "review-run-incomplete",
                message: "3 tests are open.",
                remedy: "Run again."
            )
            page.desk.state.withLock { $0.obstacle = obstacle }
            let why = try await page.ask("GET", root + "/?lang=ja").text
            #expect(why.contains("判定のないテストがあります") && !why.contains("3 tests are open."))
            let refused = try await page.ask("POST", publish, body: token)
            #expect(refused.status == 409 && refused.text.contains("判定のないテストがあります"))
            #expect(refused.text.contains("<span lang=\"en\"><bdi>3 tests are open. Run again.<"))
            let json = ["Accept": String?.some("application/json")]
            let asked = try await page.ask("POST", publish, body: token, headers: json)
            let answer = try #require(
                JSONSerialization.jsonObject(with: Data(asked.text.utf8)) as? [String: String]
            )
            #expect(answer["message"]?.contains("判定のない") == true)
            #expect(answer["detail"] == "3 tests are open. Run again.")
        }
    }

    @Test("a form of another page, visit, site or name does nothing")
    func foreign() async throws {
        try await served { page, root in
            let place = root + "/decisions"
            let own = "http://127.0.0.1:\(page.port)"
            let cases: [(String, [String: String?], Int)] = [
                ("foreign origin", ["Origin": "http://evil.example"], 403),
                ("another port", ["Origin": "http://127.0.0.1:1"], 403),
                ("no origin", ["Origin": nil], 403),
                ("hidden origin", ["Origin": "null"], 403),
                ("cross site", ["Origin": own, "Sec-Fetch-Site": "cross-site"], 403),
                ("same site", ["Origin": own, "Sec-Fetch-Site": "same-site"], 403),
                ("rebound name", ["Host": "evil.example:\(page.port)"], 403),
                ("other name", ["Host": "localhost:\(page.port)"], 403),
                ("no cookie", ["Cookie": nil], 403),
                ("foreign cookie", ["Cookie": "snapfarm_review=00"], 403),
                ("json", ["Content-Type": "application/json"], 400),
                ("multipart", ["Content-Type": "multipart/form-data; boundary=x"], 400),
                ("text", ["Content-Type": "text/plain"], 400),
            ]
            for (name, headers, status) in cases {
                let answer = try await page.ask("POST", place, body: page.form, headers: headers)
                #expect(answer.status == status, "\(name): \(answer.text)")
            }
            let foreign = String(repeating: "0", count: 64)
            for token in ["", foreign, page.token + "0", "%FF", "%zz", "%2"] {
                let body = "token=\(token)&kind=accepted&snapshot=A%2FS%2Fone"
                let answer = try await page.ask("POST", place, body: body)
                #expect([400, 403].contains(answer.status), "\(token)")
            }
            #expect(try await page.ask("GET", place + "?" + page.form).status == 200)
            #expect(try await page.ask("GET", root + "/publish").status == 404)
            #expect(page.desk.state.withLock(\.decisions).isEmpty)
            #expect(page.desk.state.withLock(\.published) == 0)
            // A browser that sends only that the request is same-origin.
            let quiet = try await page.ask(
                "POST",
                place,
                body: page.form,
                headers: ["Origin": "null", "Sec-Fetch-Site": "same-origin"]
            )
            #expect(quiet.status == 303)
        }
    }

    @Test("a form that is too large is refused before it is read")
    func large() async throws {
        try await served { page, root in
            let large = try await page.answer(
                to: "POST \(root)/decisions HTTP/1.1\r\nHost: 127.0.0.1:\(page.port)\r\n"
                    + "Origin: http://127.0.0.1:\(page.port)\r\nCookie: \(page.cookie)\r\n"
                    + "Content-Type: application/x-www-form-urlencoded\r\n"
                    + "Content-Length: 99999999\r\n\r\ntoken="
            )
            #expect(large?.status == 413)
            let many = String(repeating: "a&", count: FarmLimits.formFieldsMax + 1)
            #expect(try await page.ask("POST", root + "/decisions", body: many).status == 400)
        }
    }

    @Test("an open page hears of decisions, those of other programs too")
    func events() async throws {
        try await served { page, root in
            let connection = Listening(try RawConnection(port: page.port))
            let call =
                "GET \(root)/events HTTP/1.1\r\nHost: 127.0.0.1:\(page.port)\r\n"
                + "Cookie: \(page.cookie)\r\n\r\n"
            // The first event covers changes made before the page started listening.
            let head = try await connection.stream(until: "event: changed", asking: call)
            #expect(try #require(head).contains("text/event-stream"))
            #expect(
                try await page.ask("POST", root + "/decisions", body: page.form).status == 303
            )
            #expect(try await connection.stream(until: "event: changed") != nil)
            page.desk.state.withLock { state in
                var other = state.decisions[0]
                other.who = "grace"
                state.decisions.append(other)
            }
            #expect(try await connection.stream(until: "event: changed") != nil)
        }
    }

    @Test("after a quiet time an open page hears at once of a decision, and of a newer run")
    func newer() async throws {
        try await served { page, root in
            let connection = Listening(try RawConnection(port: page.port))
            let call =
                "GET \(root)/events HTTP/1.1\r\nHost: 127.0.0.1:\(page.port)\r\n"
                + "Cookie: \(page.cookie)\r\n\r\n"
            #expect(try await connection.stream(until: "event: changed", asking: call) != nil)
            try await Task.sleep(for: .seconds(2 * FarmLimits.pageLookSeconds + 0.5))
            let began = ContinuousClock.now
            #expect(
                try await page.ask("POST", root + "/decisions", body: page.form).status == 303
            )
            #expect(try await connection.stream(until: "event: changed") != nil)
            page.show(MemoryDesk(["one", "two"], id: "r2"))
            #expect(try await connection.stream(until: "event: changed") != nil)
            #expect(began.duration(to: .now) < .seconds(FarmLimits.pageLookSeconds / 2))
            #expect(try await page.ask("GET", root + "/").text.contains("data-run-id=\"r2\""))
            // Pictures that were ticked on the older run's page may be others now.
            let old = try await page.ask("POST", root + "/decisions", body: page.form + "&run=r1")
            #expect(old.status == 409 && old.text.contains("other pictures"))
            let new = try await page.ask("POST", root + "/decisions", body: page.form + "&run=r2")
            #expect(new.status == 303)
        }
    }

    @Test("a page that nobody uses ends by itself")
    func idle() async throws {
        try await served(idleSeconds: 0.2) { page, _ in
            let limit = ContinuousClock.now + .seconds(20)
            while (try? RawConnection(port: page.port)) != nil, ContinuousClock.now < limit {
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(ContinuousClock.now < limit)
        }
    }
}
