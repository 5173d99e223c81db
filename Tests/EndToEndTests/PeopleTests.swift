import FarmCore
import FarmTesting
import Foundation
import Testing

extension ManyMachines {
    @Suite("People at a coordinator", .serialized)
    struct PeopleTests {
        private let fleet: Fleet

        init() throws {
            fleet = try Fleet()
            try fleet.serve()
        }

        @Test("a token logs in to pages, and its cookie opens no call of the API")
        func login() throws {
            var visitor = Visitor(fleet)
            let stranger = try visitor.get("/runs")
            #expect(stranger.status == 303)
            #expect(stranger.headers["location"] == "/login?back=/runs")
            #expect(try visitor.get("/runs", accepting: "application/json").status == 401)
            #expect(try visitor.get("/").headers["location"] == "/runs")
            #expect(try visitor.logIn("snapfarm_0").status == 401)
            #expect(visitor.cookie.isEmpty)
            let token = try fleet.token("read")
            let answer = try visitor.logIn(token)
            #expect(answer.status == 303 && answer.headers["location"] == "/runs")
            for word in ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age="] {
                #expect(visitor.setCookie.contains(word), "\(visitor.setCookie)")
            }
            #expect(!visitor.setCookie.contains("Secure") && !visitor.cookie.contains(token))
            let page = try visitor.get("/runs")
            #expect(page.status == 200 && page.text.contains("<bdi>read</bdi>"), "\(page.text)")
            let policy = page.headers["content-security-policy"] ?? ""
            #expect(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"))
            #expect(page.headers["x-content-type-options"] == "nosniff")
            #expect(!page.text.contains("<style") && !page.text.contains("onclick"))
            // Cookies are for pages, bearer tokens for programs.
            let api = try visitor.get("/api/v1/runs", accepting: "application/json")
            #expect(api.status == 401)
            let bearer = try fleet.call("GET", "/runs", token: token, version: nil)
            #expect(bearer?.status == 401)
        }

        @Test("only tokens that may look or decide open pages")
        func scopes() throws {
            for (scope, status) in [
                ("work", 403), ("submit", 403), ("read", 200), ("review", 200), ("admin", 200),
            ] {
                var visitor = Visitor(fleet)
                try visitor.logIn(try fleet.token(scope))
                #expect(try visitor.get("/runs").status == status, "\(scope)")
            }
        }

        @Test("a form counts from our own page, with the token of its own login, until log-out")
        func forms() throws {
            var visitor = Visitor(fleet)
            try visitor.logIn(try fleet.token("review"))
            let token = try visitor.formToken()
            var other = Visitor(fleet)
            try other.logIn(try fleet.token("review"))
            let foreign = try other.formToken()
            #expect(foreign != token)
            var copy = visitor
            for (fields, origin) in [
                ([], "http://127.0.0.1"), ([("token", "")], "http://127.0.0.1"),
                ([("token", foreign)], "http://127.0.0.1"), ([("token", token)], nil),
                ([("token", token)], "null"), ([("token", token)], "https://evil.example"),
                ([("token", token)], "http://127.0.0.1.evil.example"),
            ] as [([(String, String)], String?)] {
                let answer = try copy.post("/logout", fields, origin: origin)
                #expect(answer.status == 403, "\(fields) \(origin ?? "-"): \(answer.text)")
            }
            #expect(try visitor.get("/runs").status == 200)
            // A forged log-in is refused: it would log a user in under the attacker's name.
            let login = [("key", try fleet.token("review"))]
            #expect(try copy.post("/login", login, origin: "https://evil.example").status == 403)
            #expect(try visitor.post("/logout", [("token", token)]).status == 303)
            #expect(visitor.cookie == "snapfarm=")
            // After the log-out, neither the old cookie nor the old form is valid.
            #expect(try copy.get("/runs").status == 303)
            let replayed = try copy.post("/runs/none/decisions", [("token", token)])
            #expect(replayed.status == 401, "\(replayed.text)")
            #expect(try other.get("/runs").status == 200, "another login of the same token")
        }

        @Test("a login lives as long as its token, and outlives a restart")
        func revoked() throws {
            var visitor = Visitor(fleet)
            try visitor.logIn(try fleet.token("review"))
            let ending = try fleet.stop()
            #expect(ending.status == 0, "\(ending.said)")
            try fleet.serve()
            #expect(try visitor.get("/runs").status == 200)
            let words = ["tokens", "revoke", "review", "--data", "state"]
            #expect(try fleet.program.run(words).status == 0)
            #expect(try visitor.get("/runs").status == 303)
            // A new token with the same name does not revive the login.
            let made = ["tokens", "create", "review", "--scope", "review", "--data", "state"]
            #expect(try fleet.program.run(made).status == 0)
            #expect(try visitor.get("/runs").status == 303)
        }

        @Test("a language that was chosen once is that of the next pages, and of refusals")
        func language() throws {
            var visitor = Visitor(fleet)
            try visitor.logIn(try fleet.token("read"))
            let login = visitor.cookie
            #expect(try visitor.get("/runs").text.contains("<html lang=\"en\">"))
            let chosen = try visitor.get("/runs?branch=a%26b&lang=ja")
            #expect(chosen.text.contains("href=\"?lang=en&amp;branch=a%26b\""), "\(chosen.text)")
            let cookie = chosen.headers["set-cookie"] ?? ""
            #expect(cookie.hasPrefix("snapfarm_language=ja;"), "\(cookie)")
            visitor.headers = ["Cookie: \(login); snapfarm_language=ja"]
            visitor.setCookie = ""
            #expect(try visitor.get("/runs").text.contains("<html lang=\"ja\">"))
            let refused = try visitor.post("/runs/none/decisions", origin: "https://evil.example")
            #expect(refused.status == 403 && refused.text.contains("lang=\"ja\""))
            #expect(refused.text.contains("このページから") && refused.text.contains("runs.css"))
            visitor.headers = ["Cookie: \(login); snapfarm_language=<script>"]
            #expect(try visitor.get("/runs").text.contains("<html lang=\"en\">"))
        }

        @Test("wrong tokens are refused, and keep nobody of the same address from entering")
        func tries() throws {
            var visitor = Visitor(fleet)
            for _ in 0..<20 { #expect(try visitor.logIn("snapfarm_wrong").status == 401) }
            let words = ["invite", "Bo", "--data", "state", "--url", fleet.url]
            let link = try fleet.program.run(words).output
                .trimmingCharacters(in: .whitespacesAndNewlines)
            let invited = String(link.dropFirst(fleet.url.count))
            #expect(try visitor.get(invited).status == 200)
            #expect(try visitor.post(invited).status == 303)
            #expect(try visitor.logIn(fleet.token("review")).status == 303)
        }

        @Test("an invitation lets one person in, once, and only by its button")
        func invitation() throws {
            let words = ["invite", "田中 愛子", "--data", "state", "--url", fleet.url]
            let made = try fleet.program.run(words)
            #expect(made.status == 0, "\(made.said)")
            let link = made.output.trimmingCharacters(in: .whitespacesAndNewlines)
            let path = String(link.dropFirst(fleet.url.count))
            #expect(path.hasPrefix("/invite/"))
            // The secret is not stored on the disk.
            let file = try String(
                contentsOfFile: fleet.place.file("state/tokens.json"),
                encoding: .utf8
            )
            #expect(!file.contains(path.dropFirst("/invite/".count)))
            var visitor = Visitor(fleet)
            for _ in 0..<2 {
                let page = try visitor.get(path)
                #expect(page.status == 200 && page.text.contains("田中 愛子"))
            }
            #expect(try visitor.post(path, origin: "https://evil.example").status == 403)
            #expect(try visitor.post(path).status == 303)
            #expect(try visitor.get("/runs").text.contains("<bdi>田中 愛子</bdi>"))
            var second = Visitor(fleet)
            #expect(try second.post(path).status == 404)
            #expect(try second.get(path).status == 404)
            let list = try fleet.program.run(["tokens", "list", "--data", "state"])
            let name = try #require(list.output.firstMatch(of: /invited-\w+/), "\(list.output)").0
            #expect(list.output.contains("田中 愛子"))
            let revoke = ["tokens", "revoke", String(name), "--data", "state"]
            #expect(try fleet.program.run(revoke).status == 0)
            #expect(try visitor.get("/runs").status == 303)
        }

        @Test(
            "a person is one line",
            arguments: ["", " Aiko", "a\nb", "a\u{202E}b", String(repeating: "a", count: 400)]
        )
        func names(_ name: String) throws {
            let words = ["tokens", "create", "x", "--scope", "read", "--data", "state"]
            let made = try fleet.program.run(words + ["--person", name])
            #expect(made.status == 64, "\(made.said)")
            let invited = try fleet.program.run(["invite", "--data", "state", "--", name])
            #expect(invited.status == 64, "\(invited.said)")
        }

        @Test(
            "an invitation leads to a page of the web",
            arguments: ["javascript:alert(1)", "http://127.0.0.1:99999", "farm.example.org"]
        )
        func addresses(_ url: String) throws {
            let words = ["invite", "Aiko", "--data", "state", "--url", url]
            let invited = try fleet.program.run(words)
            #expect(invited.status == 64, "\(invited.output)")
            #expect(invited.errors.contains("http or https address"), "\(invited.said)")
        }
    }
}
