// Two coordinators with real HTTP: one leads; the other, a standby, has a copy of its ledger and
// knows the leader.
import FarmAPI
import FarmArtifacts
import FarmCore
import FarmLedger
import FarmServer
import FarmTesting
import Foundation
import GRDB
import Logging
import Synchronization
import Testing

/// A leadership that a test sets.
final class SetLeadership: Leadership {
    private let state: Mutex<Leader>
    let obstacle: String?

    init(_ leader: Leader, obstacle: String? = nil) {
        state = Mutex(leader)
        self.obstacle = obstacle
    }

    var leader: Leader { state.withLock { $0 } }
    func set(_ leader: Leader) { state.withLock { $0 = leader } }
}

/// A leader and a standby.
struct TwoCoordinators: Sendable {
    /// The ledger that the standby reads.
    enum Copy { case sameFile, empty }

    let folder: TemporaryFolder
    let leaderPort: Int
    let standbyPort: Int
    /// The standby's knowledge of the leader.
    let leadership: SetLeadership
    let leader: Coordinator

    var leaderURL: String { "http://127.0.0.1:\(leaderPort)" }
    var standbyURL: String { "http://127.0.0.1:\(standbyPort)" }

    /// Returns a client that knows only the standby, unless `url` names another coordinator.
    func client(_ url: String? = nil, patience: RetryPolicy = .once) -> CoordinatorClient {
        CoordinatorClient(url: url ?? standbyURL, token: "token", patience: patience)
    }

    /// The key of both, as their operator configures it.
    static var sealer: LeaseSealer {
        var key = SeededGenerator(seed: 1)
        return LeaseSealer(using: &key)
    }

    private static let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    static func coordinator(
        _ ledger: SQLiteLedger,
        blobs: String,
        leads: Bool = true
    ) throws -> Coordinator {
        var hooks = CoordinatorHooks()
        hooks.leads = { leads }
        return Coordinator(
            ledger: ledger,
            stores: { _ in nil },
            blobs: try BlobStore(folder: blobs),
            driverMistakes: { _ in [] },
            logger: quiet,
            hooks: hooks,
            reencode: { _ in nil },
            clock: { Int64(Date().timeIntervalSince1970 * 1000) }
        )
    }

    /// Returns a server whose coordinator leads, unless `leadership` says otherwise.
    static func server(
        _ coordinator: Coordinator,
        pages: ServedPages? = nil,
        leadership: (any Leadership)? = nil
    ) -> FarmServer {
        FarmServer(
            coordinator: coordinator,
            access: AccessToken("token"),
            sealer: sealer,
            pages: pages,
            leadership: leadership,
            logger: quiet
        )
    }

    /// Runs `body` while both serve; `pages` makes the pages of the leader and of the standby.
    static func serving(
        _ copy: Copy = .sameFile,
        pages: @escaping @Sendable (TemporaryFolder, Leader) -> ServedPages? = { _, _ in nil },
        _ body: @escaping @Sendable (TwoCoordinators) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder("two")
        let file = folder.file("ledger.sqlite")
        let ledger = try SQLiteLedger(path: file)
        let leader = try coordinator(ledger, blobs: folder.file("blobs"))
        try await server(leader, pages: pages(folder, .me)).run(port: 0) { leaderPort in
            let view = try Self.view(copy, of: file, in: folder)
            let standby = try coordinator(view, blobs: folder.file("other-blobs"), leads: false)
            let leadership = SetLeadership(.other(url: "http://127.0.0.1:\(leaderPort)"))
            try await server(standby, pages: pages(folder, .none), leadership: leadership)
                .run(port: 0) { standbyPort in
                    try await body(
                        TwoCoordinators(
                            folder: folder,
                            leaderPort: leaderPort,
                            standbyPort: standbyPort,
                            leadership: leadership,
                            leader: leader
                        )
                    )
                }
        }
        try? ledger.close()
    }

    private static func view(
        _ copy: Copy,
        of file: String,
        in folder: TemporaryFolder
    ) throws -> SQLiteLedger {
        guard copy == .sameFile else {
            return try SQLiteLedger(path: folder.file("copy.sqlite"))
        }
        var configuration = GRDB.Configuration()
        configuration.readonly = true
        return try SQLiteLedger(
            over: try DatabasePool(path: file, configuration: configuration),
            path: file
        )
    }

    /// Runs `body` with a standby whose leader the test simulates.
    static func standby(
        of leadership: SetLeadership,
        _ body: @escaping @Sendable (Int) async throws -> Void
    ) async throws {
        try await alone(leadership, body)
    }

    /// Runs `body` with one of several coordinators.
    static func alone(
        pages: ServedPages? = nil,
        _ leadership: SetLeadership,
        _ body: @escaping @Sendable (Int) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder("standby")
        let ledger = try SQLiteLedger(path: folder.file("ledger.sqlite"))
        let standby = try coordinator(ledger, blobs: folder.file("blobs"), leads: false)
        try await server(standby, pages: pages, leadership: leadership)
            .run(port: 0, body: body)
        try? ledger.close()
    }

    // MARK: raw calls

    /// Sends text to a port and reads one answer.
    static func ask(_ port: Int, _ text: String) async throws -> RawConnection.Response? {
        try await ask(port, Data(text.utf8))
    }

    static func ask(_ port: Int, _ bytes: Data) async throws -> RawConnection.Response? {
        try await offPool {
            let connection = try RawConnection(port: port)
            connection.send(bytes)
            return connection.response()
        }
    }

    /// Returns a call with a token and further headers, each on a line.
    static func call(_ line: String, _ headers: [String] = [], body: String = "") -> String {
        let all =
            [
                "\(line) HTTP/1.1", "Host: farm.example.org", "Authorization: Bearer token",
                "Snapfarm-Version: \(Routes.version)", "Content-Length: \(body.utf8.count)",
            ] + headers
        return all.joined(separator: "\r\n") + "\r\n\r\n" + body
    }

    /// Returns the code of a refusal.
    static func code(_ response: RawConnection.Response?) -> String? {
        response.flatMap { try? JSONDecoder().decode(ErrorBody.self, from: $0.body) }?.problem.code
    }
}
