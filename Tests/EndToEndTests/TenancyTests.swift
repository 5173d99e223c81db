import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmAPI

extension ManyMachines {
    /// Two teams share a coordinator: one has runs of the pipeline `app`, the tokens of the other
    /// reach `web-*`.
    @Suite("A token of another team", .serialized)
    struct TenancyTests {
        @Test("gets for every route and scope what it gets for things that do not exist")
        func everyRoute() throws {
            let teams = try TwoTeams()
            var counts = TenancyCounts()
            for call in TenancyCall.api {
                for scope in TwoTeams.scopes {
                    let token = try teams.token(scope, "web-*")
                    let real = try teams.answer(call, teams.names, token)
                    let made = try teams.answer(call, .madeUp, token)
                    counts.note(call, scope, real.status)
                    #expect(
                        real.status == made.status
                            && teams.plain(real) == teams.plain(made),
                        "\(scope) \(call.route): \(real.status) \(real.text); made up: \(made.status) \(made.text)"
                    )
                    #expect(
                        !teams.shows(real.text, asked: call),
                        "\(scope) \(call.route): \(real.text)"
                    )
                }
            }
            for scope in ["read", "review", "admin"] {
                var visitor = Visitor(teams.fleet)
                try visitor.logIn(try teams.token(scope, "web-*"))
                let form = try visitor.formToken()
                for call in TenancyCall.pages {
                    let real = try teams.page(call, teams.names, &visitor, form)
                    let made = try teams.page(call, .madeUp, &visitor, form)
                    counts.note(call, scope, real.status)
                    #expect(
                        real.status == made.status
                            && teams.plain(real) == teams.plain(made),
                        "\(scope) \(call.route): \(real.status) \(real.text); made up: \(made.status) \(made.text)"
                    )
                    #expect(!teams.shows(real.text, asked: call), "\(scope) \(call.route)")
                }
            }
            print("tenancy: \(counts.words)")
            #expect(counts.refused > 100, "\(counts.words)")
        }

        @Test("which reaches the pipeline gets every thing, and a token without patterns, too")
        func own() throws {
            let teams = try TwoTeams()
            for pattern in ["ap?", nil] {
                for call in TenancyCall.api where call.isReading {
                    let statuses = try TwoTeams.scopes.map { scope in
                        try teams.answer(call, teams.names, teams.token(scope, pattern)).status
                    }
                    #expect(statuses.contains(200), "\(pattern ?? "*") \(call.route): \(statuses)")
                }
            }
        }

        @Test("of every route of the server is in this list")
        func complete() throws {
            let known = Set((TenancyCall.api + TenancyCall.pages).map(\.route))
            let routes = try ServedRoutes.inSources()
            #expect(routes.count > 40)
            for route in routes.subtracting(known).subtracting(TenancyCall.openToAll) {
                Issue.record("\(route) is in no list of Tests/EndToEndTests/TenancyCalls.swift")
            }
            for route in known.subtracting(routes) { Issue.record("the server has no \(route)") }
        }

        @Test(
            "and a digest gives no right to a blob: its run must name it, or the token has sent it"
        )
        func digests() throws {
            let teams = try TwoTeams()
            let bytes = Data("of another team".utf8)
            let path = Routes.prefix + Routes.blob(Digest(of: bytes).hex)
            let place = Routes.prefix + Routes.place(Digest(of: bytes).hex)
            let named = path + "?\(Routes.runQuery)=\(teams.names.run)"
            let own = try teams.token("submit", "app")
            func status(_ method: String, _ path: String, _ body: Data? = nil) throws -> Int? {
                try teams.fleet.call(method, path, token: own, body: body)?.status
            }
            let put = try teams.fleet.call(
                "PUT",
                path,
                token: try teams.token("submit", nil),
                body: bytes
            )
            #expect(put?.status == 200)
            for method in ["GET", "HEAD"] {
                #expect(try status(method, path) == 404)
                #expect(try status(method, named) == 404)
            }
            let asked = try teams.fleet.call(
                "POST",
                place,
                token: own,
                body: try JSONEncoder().encode(PlaceRequest(bytes: bytes.count))
            )
            #expect(asked?.text.contains("\"isThere\":false") == true, "\(asked?.text ?? "-")")
            // Other bytes under that digest prove nothing.
            #expect(try status("PUT", path, Data("of another tean".utf8)) == 400)
            #expect(try status("GET", path) == 404)
            #expect(try status("PUT", path, bytes) == 200)
            #expect(try status("GET", path) == 200)
            // Tokens with the same patterns are one team; a freed name gives a new token nothing.
            let same = try teams.fleet.call("GET", path, token: teams.token("read", "app"))
            #expect(same?.status == 200)
            for words in [
                ["revoke", "submit-app", "--data", "state"],
                [
                    "create", "submit-app", "--data", "state", "--scope", "submit",
                    "--pipeline", "web-*",
                ],
            ] {
                let made = try teams.fleet.program.run(["tokens"] + words)
                #expect(made.status == 0, "\(made.said)")
                guard words[0] == "create" else { continue }
                let freed = made.output.trimmingCharacters(in: .whitespacesAndNewlines)
                #expect(try teams.fleet.call("GET", path, token: freed)?.status == 404)
            }
            // A program of the version before names no run.
            let old = try teams.fleet.call(
                "GET",
                path,
                token: teams.token("read", "app"),
                version: "1"
            )
            #expect(old?.status == 426)
        }

        @Test("is in the audit log with who did what, also after the coordinator was killed")
        func audit() throws {
            let teams = try TwoTeams()
            let cancelled = try teams.fleet.call(
                "POST",
                Routes.prefix + Routes.cancel(teams.names.run),
                token: try teams.token("submit", "app")
            )
            #expect(cancelled?.status == 200)
            #expect(
                try teams.fleet.program.run([
                    "tokens", "revoke", "submit-app", "--data", "state",
                ]).status == 0
            )
            teams.fleet.killServer()
            try teams.fleet.serve()
            let admin = try teams.token("admin", nil)
            let log = try teams.fleet.project.program(["SNAPFARM_TOKEN": admin]).run([
                "audit", "--coordinator", teams.fleet.url,
            ])
            #expect(log.status == 0, "\(log.said)")
            let lines = log.output.split(separator: "\n").map(String.init)
            for words in [
                ["127.0.0.1", "submitted", "app", teams.names.run],
                ["submit-app", "127.0.0.1", "cancelled", "app", teams.names.run],
                ["this machine", "token-made", "submit-app"],
                ["this machine", "token-revoked", "submit-app"],
            ] {
                let found = lines.contains { line in words.allSatisfy { line.contains($0) } }
                #expect(found, "\(words): \(log.output)")
            }
            let bound = try teams.token("admin", "app")
            let refused = try teams.fleet.project.program(["SNAPFARM_TOKEN": bound]).run([
                "audit", "--coordinator", teams.fleet.url,
            ])
            #expect(refused.status == 64, "\(refused.said)")
        }

        @Test("that a link made shows its person the runs of its pipelines alone")
        func invited() throws {
            let teams = try TwoTeams()
            for (pattern, shows) in [("web-*", false), ("app", true)] {
                let made = try teams.fleet.program.run([
                    "invite", "Aiko", "--config", "farm.yaml", "--pipeline", pattern,
                ])
                #expect(made.status == 0, "\(made.said)")
                let link = made.output.trimmingCharacters(in: .whitespacesAndNewlines)
                let code = try #require(link.split(separator: "/").last)
                var visitor = Visitor(teams.fleet)
                try visitor.post("/invite/\(code)")
                let list = try visitor.get("/runs")
                #expect(list.status == 200 && list.text.contains(teams.names.run) == shows)
            }
        }

        @Test("hands in no run of a pipeline that it does not reach, and names the ones it does")
        func submitting() throws {
            let teams = try TwoTeams()
            let refused = try teams.run(with: teams.token("submit", "web-*"))
            #expect(refused.status == 64, "\(refused.said)")
            #expect(
                refused.errors.contains("reaches the pipelines web-*, not app"),
                "\(refused.said)"
            )
            let own = try teams.run(with: teams.token("submit", "app"))
            #expect(own.status == 0, "\(own.said)")
        }

        @Test("of a worker gets leases of its pipelines alone, and takes no other worker's name")
        func working() throws {
            let teams = try TwoTeams()
            try teams.holdARun()
            let foreign = try teams.claim(teams.token("work", "web-*"), as: "far")
            #expect(foreign.lease == nil && foreign.idle)
            let own = try teams.claim(teams.token("work", "app"), as: "far")
            #expect(own.lease?.shard.job.name == JobName("unit_test"))
            let listed = try teams.fleet.submitting().run([
                "workers", "--coordinator", teams.fleet.url,
            ])
            #expect(listed.output.contains("far@work-app"), "\(listed.said)")
            #expect(listed.output.contains("far@work-web"), "\(listed.said)")
        }
    }
}

/// The number of answers by status.
private struct TenancyCounts {
    private var statuses: [Int: Int] = [:]
    private var calls = 0

    mutating func note(_ call: TenancyCall, _ scope: String, _ status: Int) {
        calls += 1
        statuses[status, default: 0] += 1
    }

    var refused: Int { statuses.filter { $0.key >= 400 }.values.reduce(0, +) }
    var words: String {
        "\(calls) calls, by status: "
            + statuses.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
            .joined(separator: ", ")
    }
}
