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
