// Real messages of workers, submitters and readers, changed on purpose and sent to a coordinator.
// The fuzzer keeps the runs and sealed leases of the answers, so that most calls refer to existing
// things and pass the decoder.
import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmAPI

/// The outcomes of the calls of one route.
struct RouteCount {
    var sent = 0
    /// The calls that passed the decoder and were answered by a rule.
    var read = 0
    var accepted = 0
}

struct RouteFuzzer {
    let fleet: Fleet
    var random: SeededGenerator
    /// The outcomes by route, counting only calls with the route's most common scope.
    var counts: [String: RouteCount] = [:]
    /// Calls with an unacceptable outcome, and the end of the coordinator's log.
    var failures: [String] = []

    /// The headers of a browser that sends a form.
    private static let form = [
        "Content-Type: application/x-www-form-urlencoded", "Origin: http://127.0.0.1",
    ]
    /// The cookie of a user who may decide; it outlives restarts.
    private var browser: [String] = []
    private var runs: [RunID] = []
    private var leases: [Lease] = []
    private var number = 0
    /// Descriptions of the last calls.
    private var last: [String] = []
    private let messages: RouteMessages
    /// Whether this call's path contains a made-up name.
    private var isOdd = false
    /// The scopes of tokens; `nil` stands for a call without a token.
    private static let scopes: [String?] = ["submit", "work", "read", "review", "admin", nil]

    init(_ fleet: Fleet, _ random: SeededGenerator) throws {
        self.fleet = fleet
        self.random = random
        messages = try RouteMessages(fleet)
    }

    /// Uploads the picture that reports refer to.
    mutating func prepare() throws {
        let answer = try fleet.call(
            "PUT",
            Routes.prefix + Routes.blob(messages.blob.hex),
            token: try fleet.token("work"),
            body: messages.picture
        )
        try #require(answer?.status == 200, "\(answer?.text ?? "no answer")")
        let token = try fleet.token("review")
        let login = try fleet.call(
            "POST",
            "/login",
            version: nil,
            headers: Self.form,
            body: Data("key=\(token)".utf8)
        )
        let cookie = try #require(login?.headers["set-cookie"], "\(login?.text ?? "no answer")")
        browser = ["Cookie: \(cookie.prefix { $0 != ";" })"]
    }

    // MARK: one call

    /// Makes a random call.
    mutating func call() throws {
        number += 1
        let call = try next()
        let isTrusted = Int.random(in: 0..<10, using: &random) > 0
        let other: String? = Self.scopes.randomElement(using: &random) ?? nil
        let scope = isTrusted ? call.scopes.first : other
        var headers = call.headers
        if let seal = call.seal { headers.append("\(Routes.sealHeader): \(seal)") }
        let body = call.body.map { changed($0) }
        last = Array((last + [words(call, body)]).suffix(3))
        let token = try scope.map { try fleet.token($0) }
        do {
            let answer = try fleet.call(
                call.method,
                call.path,
                token: token,
                headers: headers,
                body: body,
                // Calls that may wait for work are given up early. Abandoned calls are worth
                // testing, too.
                within: call.waits ? 0.1 : 20
            )
            note(call, scope: scope, body: body, answer)
        } catch {
            // The coordinator ended after it had answered the previous call.
            failures.append("\(error)\n\(last.joined(separator: "\n"))\n\(lastWords)")
        }
    }

    private mutating func note(
        _ call: RouteCall,
        scope: String?,
        body: Data?,
        _ answer: RawConnection.Response?
    ) {
        // The test kills the coordinator only between two calls.
        guard let answer else {
            if call.waits, fleet.isServing {
                if scope == call.scopes.first {
                    counts[call.route, default: RouteCount()].sent += 1
                    counts[call.route, default: RouteCount()].read += 1
                }
                return
            }
            let why = fleet.isServing ? "no answer" : "the coordinator is gone"
            return fail(call, body, "\(why): \(lastWords)")
        }
        if answer.status >= 500, answer.status != 507 {
            fail(call, body, "\(answer.status) \(answer.text.prefix(500))")
        }
        // A path that ends in an empty name is the list's, which other scopes may read.
        if !call.allows(scope), !call.path.hasSuffix("/") {
            // A path with a made-up name may match no route.
            let isRefused = answer.status == (scope == nil ? 401 : 403)
            if !isRefused, !(isOdd && answer.status == 404) {
                let who = scope ?? "nobody"
                fail(call, body, "\(answer.status) for \(who): \(answer.text.prefix(500))")
            }
        }
        guard scope == call.scopes.first else { return }
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

    /// The end of the coordinator's log, from a trap's message on: a long list of frames follows
    /// it.
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
        guard changes > 0 else { return body }
        guard let tree = try? JSONTree(parsing: body) else { return damaged(body) }
        let bytes = tree.mutated(changes: changes, using: &random).bytes
        return Int.random(in: 0..<20, using: &random) == 0 ? damaged(bytes) : bytes
    }

    /// Returns the bytes with one byte replaced.
    private mutating func damaged(_ bytes: Data) -> Data {
        var bytes = bytes
        guard !bytes.isEmpty else { return bytes }
        let place = Int.random(in: 0..<bytes.count, using: &random)
        bytes[bytes.startIndex + place] = UInt8.random(in: 0...255, using: &random)
        return bytes
    }

    /// Returns a name for a path; sometimes another name.
    private mutating func name(_ text: String) -> String {
        guard Int.random(in: 0..<6, using: &random) == 0 else { return text }
        let others = [
            "", "..", "%2e%2e%2f", text + "x", String(repeating: "9", count: 300), "%00", "%cc%81",
            "-1", "%F0%9F%92%A9",
        ]
        isOdd = true
        return others.randomElement(using: &random) ?? text
    }

    private mutating func next() throws -> RouteCall {
        isOdd = false
        let run = name(runs.randomElement(using: &random)?.text ?? "none")
        let lease = leases.randomElement(using: &random)
        let worker = "w\(Int.random(in: 0..<6, using: &random))"
        switch Int.random(in: 0..<31, using: &random) {
        case 0...4:
            return try .post("submit", Routes.runs, "submit", messages.submit(number, &random))
        case 5: return try .post("cancel", Routes.cancel(run), "submit", Done())
        case 6...7: return try .post("hello", Routes.workers, "work", messages.hello(worker))
        case 8...11:
            var call = try RouteCall.post(
                "claim",
                Routes.claim(name(worker)),
                "work",
                ClaimRequest(request: "\(number)", warm: CellID("c0"), waitSeconds: 0)
            )
            call.waits = true
            return call
        case 12: return try .post("lost", Routes.lost(name(worker)), "work", Done())
        case 13...20: return try leaseCall(lease)
        case 21: return putting()
        case 22: return monitoring()
        case 23...26: return page(run)
        case 23:
            return try .post(
                "decide",
                Routes.decisions(run),
                "review",
                messages.decide(&random)
            )
        default: return reading(run)
        }
    }

    /// Returns an upload of a picture, often under a wrong digest.
    private mutating func putting() -> RouteCall {
        let picture = Project.png(shade: UInt8.random(in: 0...255, using: &random))
        var call = RouteCall("put blob", "PUT", Routes.blob(name(Digest(of: picture).hex)))
        call.scopes = ["work", "submit"]
        call.body = picture
        return call
    }

    /// Returns a browser's request with a login; every caller may try it.
    private mutating func page(_ run: String) -> RouteCall {
        let place = ["1~x", "~", "-9223372036854775808~%00", "9~%F0%9F%92%A9"]
        let before = place.randomElement(using: &random) ?? ""
        let file = name("captures/A/S/one.png")
        let paths = [
            ("page runs", "GET", "/runs?before=\(before)&branch=\(name("main"))"),
            ("page run", "GET", "/runs/\(run)/"), ("page run", "GET", "/runs/\(run)/progress"),
            ("page run", "GET", "/runs/\(run)/decisions?lang=ja"),
            ("page run", "GET", "/runs/\(run)/files/\(file)"),
            ("page form", "POST", "/runs/\(run)/decisions"),
            ("page form", "POST", "/runs/\(run)/publish"),
            ("page docs", "GET", "/docs/\(name("agents.md"))"), ("page docs", "GET", "/llms.txt"),
            ("page login", "POST", "/logout"), ("page login", "POST", "/login"),
            ("page login", "POST", "/invite/\(name("0"))"),
        ]
        let (route, method, path) = paths.randomElement(using: &random) ?? paths[0]
        var call = RouteCall(route, method, "")
        call.path = path
        call.headers = browser
        guard method == "POST" else { return call }
        call.headers += Self.form
        call.body = Data("token=x&kind=accepted&snapshot=A%2FS%2Fone&reason=r&back=%23".utf8)
        return call
    }

    /// Returns a request of a monitoring system, outside of the API.
    private mutating func monitoring() -> RouteCall {
        let names = ["metrics", "metrics", "healthz", "readyz"]
        let name = names.randomElement(using: &random) ?? names[0]
        var call = RouteCall(name, "GET", "")
        call.path = "/" + name
        call.scopes = name == "metrics" ? ["read"] : []
        return call
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
                    RenewRequest(
                        epoch: token.epoch,
                        running: lease?.shard.tests.first,
                        started: lease.map { Array($0.shard.tests.dropFirst()) }
                    )
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

    /// Returns a call without a body: its route, method, path and permitted scopes.
    private mutating func reading(_ run: String) -> RouteCall {
        let blob = name(messages.blob.hex)
        let odd = ["1", "0", "-1", "99999999999999999999", "1e308", "x", ""]
        let number = odd.randomElement(using: &random) ?? "1"
        // Only short waits: real waits have tests of their own.
        let short = ["0.05", "0", "-1", "nan", "inf", "-1e308", "1e-300", "x", "", "%31%00"]
        let seconds = short.randomElement(using: &random) ?? "0"
        let waiting = "?\(Routes.waitQuery)="
        let list = ["read", "submit"]
        let some = ["read", "submit", "review"]
        let most = ["read", "submit", "review", "work"]
        let archive = Routes.artifacts(run) + "/" + name("FailureDiffs.zip")
        let paths: [(String, String, String, [String])] = [
            ("token", "GET", Routes.token, most),
            ("runs", "GET", "\(Routes.runs)?\(Routes.limitQuery)=\(number)", some),
            ("flaky", "GET", "\(Routes.flaky)?\(Routes.limitQuery)=\(number)", list),
            ("workers", "GET", "\(Routes.workers)?\(Routes.limitQuery)=\(number)", list),
            ("run", "GET", Routes.run(run), list),
            ("wait", "GET", Routes.run(run) + waiting + seconds, list),
            ("wait", "GET", Routes.run("none") + waiting + "1e308", list),
            ("result", "GET", Routes.result(run), list),
            ("artifacts", "GET", Routes.artifacts(run), some),
            ("decisions", "GET", Routes.decisions(run), some),
            ("artifact", "GET", archive, some),
            ("references", "GET", Routes.references(run, name("A")), ["work", "read", "submit"]),
            ("picture", "GET", Routes.picture(run, name(messages.reference.hex)), list),
            ("get blob", "GET", Routes.blob(blob), most),
            ("head blob", "HEAD", Routes.blob(blob), most),
            ("audit", "GET", Routes.audit, ["admin"]),
            ("farm", "GET", Routes.farm, ["read"]),
        ]
        let (route, method, path, scopes) = paths.randomElement(using: &random) ?? paths[0]
        var call = RouteCall(route, method, path)
        call.scopes = scopes
        call.waits = route == "wait"
        // Workers may read pictures of open runs.
        if route == "picture" { call.scopes.append("work") }
        return call
    }
}
