// A page served to a test: the run in memory that it shows, and requests like those of its own
// browser.
import FarmCore
import FarmReports
import FarmServer
import FarmTesting
import Foundation
import Synchronization
import Testing

/// A run of changed pictures, whose decisions are kept in memory.
final class MemoryDesk: ReviewSource {
    struct State {
        var decisions: [Decision] = []
        var published = 0
        var obstacle: Problem?
    }

    let state = Mutex(State())
    /// The pictures' names; other names make another run.
    let names: Mutex<[String]>
    private let id: String

    init(_ names: [String], id: String = "r1") {
        self.names = Mutex(names)
        self.id = id
    }

    func run() async throws -> PageRun { PageRun(summary(names.withLock(\.self))) }

    private func summary(_ names: [String]) -> RunSummary {
        RunSummary(
            run: .plain(id),
            state: .failed,
            exitCode: 1,
            counts: VerdictCounts(),
            comparisons: ComparisonCounts(),
            cells: [],
            tests: [],
            snapshots: names.map { name in
                SnapshotSummary(
                    id: "A/S/\(name)",
                    job: "j",
                    cell: "A",
                    suite: "S",
                    name: name,
                    identifier: name,
                    test: "t",
                    verdict: .changed,
                    reference: ObjectID(ofBlob: Data("old".utf8)).hex,
                    capture: Digest(of: Data(name.utf8)).description
                )
            },
            artifacts: [],
            problems: []
        )
    }

    func file(_ path: String) async throws -> Data? {
        ["a/one.png": Data("picture".utf8), "a/evil.html": Data("<script>".utf8)][path]
    }

    func decided() async throws -> DecidedSoFar {
        let decisions = state.withLock(\.decisions)
        return DecidedSoFar(DecisionBook(decisions), number: Int64(decisions.count))
    }

    func add(_ decisions: [Decision]) async throws {
        state.withLock { $0.decisions += decisions }
    }

    func cannotPublish() async throws -> Problem? { state.withLock(\.obstacle) }

    func publish(by person: String, now: Int64) async throws -> Publication {
        state.withLock { $0.published += 1 }
        return Publication(
            pictures: 1,
            removed: 0,
            pin: .before(who: person, set: nil, commit: nil)
        )
    }
}

/// Runs blocking code on a thread of its own, since the server under test needs Swift's threads.
func offPool<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
    try await withCheckedThrowingContinuation { done in
        DispatchQueue(label: "page").async { done.resume(with: Result(catching: body)) }
    }
}

/// A served page with the secrets of its own browser.
struct Served: Sendable {
    let port: Int
    let entry: String
    let cookie: String
    let token: String
    let desk: MemoryDesk
    /// Shows another run on the page.
    var show: @Sendable (MemoryDesk) -> Void = { _ in }

    /// Sends one request and reads the answer; headers that are `nil` are left out.
    func ask(
        _ method: String,
        _ path: String,
        body: String = "",
        headers changed: [String: String?] = [:]
    ) async throws -> RawConnection.Response {
        var headers: [String: String?] = [
            "Host": "127.0.0.1:\(port)", "Cookie": cookie, "Content-Length": "\(body.utf8.count)",
        ]
        if method == "POST" {
            headers["Origin"] = "http://127.0.0.1:\(port)"
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        }
        headers.merge(changed) { $1 }
        var text = "\(method) \(path) HTTP/1.1\r\n"
        for (name, value) in headers { if let value { text += "\(name): \(value)\r\n" } }
        return try #require(await answer(to: text + "\r\n" + body))
    }

    /// Returns the page's answer to these bytes.
    func answer(to text: String) async throws -> RawConnection.Response? {
        let port = port
        return try await offPool {
            let connection = try RawConnection(port: port)
            connection.send(text)
            return connection.response()
        }
    }

    var form: String { "token=\(token)&kind=accepted&snapshot=A%2FS%2Fone&back=c-1" }
}
