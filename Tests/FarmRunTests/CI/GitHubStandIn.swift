// Stand-ins for Git hosts, and clients with a simulated clock.
import FarmCore
import FarmTesting
import Foundation
import Synchronization

@testable import FarmRun

final class StandIn {
    struct Comment: Codable {
        var id: Int
        var body: String
        /// Whether the token may write the comment.
        var mine: Bool
        /// Whether another account made the comment; if `nil`, one did exactly if the token may not
        /// write it.
        var stranger: Bool?
    }
    struct Refusal: Codable {
        var status: Int
        var headers: [String: String]
        init(_ status: Int, _ headers: [String: String] = [:]) {
            self.status = status
            self.headers = headers
        }
        func encode(to encoder: any Encoder) throws {
            var list = encoder.unkeyedContainer()
            try list.encode(status)
            try list.encode(headers)
        }
        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            status = try list.decode(Int.self)
            headers = try list.decode([String: String].self)
        }
    }
    struct State: Codable {
        var token = "good"
        var pulls = [7]
        var shas = [GitHubTests.commit]
        var comments: [Comment] = []
        var statuses: [[String: String]] = []
        var refusals: [Refusal] = []
        var calls: [String] = []
        var heads: [String: String]?
        var meet: Int?
        /// Whether the host hides the token's account.
        var hidden: Bool?
    }

    let folder: TemporaryFolder
    let process: TestProcess
    let client: HostClient
    let pauses = Pauses()
    private let port: Int
    private let kind: GitHostKind

    final class Pauses: Sendable {
        let seconds = Mutex<[Double]>([])
    }

    init(
        _ state: State = State(),
        of kind: GitHostKind = .gitHub,
        token: String = "good",
        pullRequest: Int? = 7
    ) throws {
        self.kind = kind
        folder = try TemporaryFolder("host")
        port = try TestPort.reserved()
        let file = folder.file("state.json")
        try JSONEncoder().encode(state).write(to: URL(fileURLWithPath: file))
        let program = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("StandIn/\(kind.rawValue.lowercased()).py").path
        process = try TestProcess(["python3", program, "\(port)", file])
        try TestPort.awaitListener(on: port)
        client = Self.client(kind, port, token, pullRequest: pullRequest, [pauses])
    }

    /// Returns the client of another job, of the same commit or another.
    ///
    /// With `meets`, its pauses last until that many comments were written.
    func job(commit: String = GitHubTests.commit, meets: Int? = nil) -> HostClient {
        let file = folder.file("state.json")
        return Self.client(kind, port, "good", commit, [], meets: meets.map { (file, $0) })
    }

    private static func client(
        _ kind: GitHostKind,
        _ port: Int,
        _ token: String,
        _ commit: String = GitHubTests.commit,
        pullRequest: Int? = 7,
        _ pauses: [Pauses],
        meets: (file: String, writes: Int)? = nil
    ) -> HostClient {
        HostClient(
            place: HostPlace(
                kind: kind,
                api: "http://127.0.0.1:\(port)",
                repository: kind == .gitLab ? "group/sub/r" : "o/r",
                commit: commit,
                pullRequest: pullRequest,
                pipeline: kind == .gitLab ? 1000 : nil
            ),
            token: token,
            now: { 1000 },
            pause: { seconds in
                for each in pauses { each.seconds.withLock { $0.append(seconds) } }
                guard let meets else { return }
                for _ in 1...1000 {
                    let calls = try StandIn.read(meets.file).calls
                    let writes = calls.count { $0.contains("comments") && !$0.hasPrefix("GET") }
                    if writes >= meets.writes { return }
                    try await Task.sleep(for: .milliseconds(10))
                }
            }
        )
    }

    var state: State {
        get throws { try Self.read(folder.file("state.json")) }
    }

    private static func read(_ file: String) throws -> State {
        let bytes = FileManager.default.contents(atPath: file) ?? Data()
        return try JSONDecoder().decode(State.self, from: bytes)
    }

    var waited: [Double] { pauses.seconds.withLock { $0 } }
}
