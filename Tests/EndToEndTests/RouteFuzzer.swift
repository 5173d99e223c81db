// Real messages of workers, submitters and readers, changed on purpose and sent to a coordinator. It
// keeps what it is answered (runs, leases with their seals), so that most calls are about something
// that is there and get past their form.
import FarmAPI
import FarmCore
import FarmTesting
import Foundation
import Testing

/// What became of the calls of one route.
struct RouteCount {
    var sent = 0
    /// Past the form of the message: answered by a rule, not by the decoder.
    var read = 0
    var accepted = 0
}

struct RouteFuzzer {
    let fleet: Fleet
    var random: SeededGenerator
    /// By route; calls without the right scope are not counted.
    var counts: [String: RouteCount] = [:]
    /// Calls that failed as none may, and the coordinator's last words.
    var failures: [String] = []

    private var runs: [RunID] = []
    private var leases: [Lease] = []
    private var number = 0
    /// The last calls in words.
    private var last: [String] = []
    private let messages: RouteMessages
    private static let scopes = ["submit", "work", "read", "review", "admin"]

    init(_ fleet: Fleet, _ random: SeededGenerator) throws {
        self.fleet = fleet
        self.random = random
        messages = try RouteMessages(fleet)
    }

    /// Puts the picture there that reports name.
    func prepare() throws {
        let answer = try fleet.call(
            "PUT",
            Routes.prefix + Routes.blob(messages.blob.hex),
            token: try fleet.token("work"),
            body: messages.picture
        )
        try #require(answer?.status == 200, "\(answer?.text ?? "no answer")")
    }

    // MARK: one call

    /// One call of a route, by chance.
    mutating func call() throws {
        number += 1
        let call = try next()
        let isTrusted = Int.random(in: 0..<10, using: &random) > 0
        let scope = isTrusted ? call.scope : Self.scopes.randomElement(using: &random)
        var headers: [String] = []
        if let seal = call.seal { headers.append("\(Routes.sealHeader): \(seal)") }
        let body = call.body.map { changed($0) }
        let path = Routes.prefix + call.path
        last = Array((last + [words(call, body)]).suffix(3))
        let token = try scope.map { try fleet.token($0) }
        do {
            let answer = try fleet.call(
                call.method,
                path,
                token: token,
                headers: headers,
                body: body
            )
            note(call, scope: scope, body: body, answer)
        } catch {
            // The call before it was answered, and then the coordinator ended.
            failures.append("\(error)\n\(last.joined(separator: "\n"))\n\(lastWords)")
        }
    }

    private mutating func note(
        _ call: RouteCall,
        scope: String?,
        body: Data?,
        _ answer: RawConnection.Response?
    ) {
        // A parked call of a worker, or of who waits for a run's end, says nothing for a while.
        guard let answer else {
            if !fleet.isServing {
                fail(call, body, "the coordinator is gone: \(lastWords)")
            }
            return
        }
        if answer.status >= 500, answer.status != 507 {
            fail(call, body, "\(answer.status) \(answer.text.prefix(500))")
        }
        guard scope == call.scope else { return }
        let isForm = answer.status == 400 && answer.text.contains("\"request-malformed\"")
        var count = counts[call.route] ?? RouteCount()
        count.sent += 1
        if !isForm { count.read += 1 }
        if answer.status < 300 { count.accepted += 1 }
        counts[call.route] = count
        guard answer.status < 300 else { return }
        if call.route == "submit", let reply = decoded(SubmitReply.self, answer) {
            runs = Array((runs + [reply.run]).suffix(20))
        }
        if call.route == "claim", let lease = decoded(ClaimReply.self, answer)?.lease {
            leases = Array((leases + [lease]).suffix(20))
        }
    }

    private func decoded<Value: Decodable>(
        _ type: Value.Type,
        _ answer: RawConnection.Response
    ) -> Value? {
        try? JSONDecoder().decode(type, from: answer.body)
    }

    private mutating func fail(_ call: RouteCall, _ body: Data?, _ words: String) {
        failures.append("\(self.words(call, body))\n→ \(words)")
    }

    /// What the coordinator said last: a trap's message comes before a long list of frames.
    private var lastWords: Substring {
        let log = fleet.log
        let trap = log.range(of: "Fatal error") ?? log.range(of: "💣")
        return trap.map { log[$0.lowerBound...].prefix(6_000) } ?? log.suffix(2_000)
    }

    private func words(_ call: RouteCall, _ body: Data?) -> String {
        let text = String(decoding: (body ?? Data()).prefix(4_000), as: UTF8.self)
        return "call \(number) \(call.method) \(call.path) \(text)"
    }

    // MARK: messages

    private mutating func changed(_ body: Data) -> Data {
        let changes = [0, 0, 1, 1, 1, 1, 2, 2, 3].randomElement(using: &random) ?? 1
        guard changes > 0, let tree = try? JSONTree(parsing: body) else { return body }
        var bytes = tree.mutated(changes: changes, using: &random).bytes
        if Int.random(in: 0..<20, using: &random) == 0, !bytes.isEmpty {
            bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
                in: 0...255,
                using: &random
            )
        }
        return bytes
    }

    /// A name of a path; sometimes another.
    private mutating func name(_ text: String) -> String {
        guard Int.random(in: 0..<6, using: &random) == 0 else { return text }
        let others = [
            "", "..", "%2e%2e%2f", text + "x", String(repeating: "9", count: 300), "%00", "%cc%81",
            "-1", "%F0%9F%92%A9",
        ]
        return others.randomElement(using: &random) ?? text
    }

    private mutating func next() throws -> RouteCall {
        let run = name(runs.randomElement(using: &random)?.text ?? "none")
        let lease = leases.randomElement(using: &random)
        let worker = "w\(Int.random(in: 0..<6, using: &random))"
        switch Int.random(in: 0..<28, using: &random) {
        case 0...4:
            return try .post("submit", Routes.runs, "submit", messages.submit(number, &random))
        case 5: return try .post("cancel", Routes.cancel(run), "submit", Done())
        case 6...7: return try .post("hello", Routes.workers, "work", messages.hello(worker))
        case 8...11:
            return try .post(
                "claim",
                Routes.claim(name(worker)),
                "work",
                ClaimRequest(request: "\(number)", warm: CellID("c0"), waitSeconds: 0)
            )
        case 12: return try .post("lost", Routes.lost(name(worker)), "work", Done())
        case 13...20: return try leaseCall(lease)
        default: return reading(run)
        }
    }

    private mutating func leaseCall(_ lease: Lease?) throws -> RouteCall {
        let token = lease?.token ?? LeaseToken(id: LeaseID("L1"), epoch: 1)
        let id = name(token.id.text)
        var call =
            switch Int.random(in: 0..<8, using: &random) {
            case 0:
                try RouteCall.post(
                    "renew",
                    Routes.renew(id),
                    "work",
                    RenewRequest(epoch: token.epoch, running: lease?.shard.tests.first)
                )
            case 1...3:
                try RouteCall.post(
                    "verdicts",
                    Routes.verdicts(id),
                    "work",
                    VerdictsRequest(epoch: token.epoch, reports: messages.reports(lease, &random))
                )
            case 4...6:
                try RouteCall.post(
                    "complete",
                    Routes.complete(id),
                    "work",
                    CompleteRequest(
                        epoch: token.epoch,
                        reports: messages.reports(lease, &random),
                        evidence: messages.evidence(lease)
                    )
                )
            default:
                try RouteCall.post(
                    "release",
                    Routes.release(id),
                    "work",
                    ReleaseRequest(epoch: token.epoch)
                )
            }
        call.seal = token.seal?.hex
        return call
    }

    /// What has no body: the route, its path, method and scope.
    private mutating func reading(_ run: String) -> RouteCall {
        let blob = name(messages.blob.hex)
        let odd = ["1", "0", "-1", "99999999999999999999", "1e308", "x", ""]
        let number = odd.randomElement(using: &random) ?? "1"
        let paths = [
            ("runs", "GET", "\(Routes.runs)?\(Routes.limitQuery)=\(number)", "read"),
            ("workers", "GET", "\(Routes.workers)?\(Routes.limitQuery)=\(number)", "read"),
            ("run", "GET", Routes.run(run), "read"),
            ("result", "GET", Routes.result(run), "read"),
            ("artifacts", "GET", Routes.artifacts(run), "read"),
            ("artifact", "GET", Routes.artifacts(run) + "/" + name("FailureDiffs.zip"), "read"),
            ("references", "GET", Routes.references(run, name("A")), "work"),
            ("picture", "GET", Routes.picture(run, name(messages.reference.hex)), "read"),
            ("get blob", "GET", Routes.blob(blob), "read"),
            ("head blob", "HEAD", Routes.blob(blob), "read"),
        ]
        let (route, method, path, scope) = paths.randomElement(using: &random) ?? paths[0]
        return RouteCall(route: route, method: method, path: path, scope: scope)
    }
}

/// One call before it is changed.
struct RouteCall {
    var route: String
    var method: String
    var path: String
    /// The scope that may.
    var scope: String
    var body: Data?
    var seal: String?

    static func post(
        _ route: String,
        _ path: String,
        _ scope: String,
        _ message: some Encodable
    ) throws -> RouteCall {
        RouteCall(
            route: route,
            method: "POST",
            path: path,
            scope: scope,
            body: try JSONEncoder().encode(message)
        )
    }

}
