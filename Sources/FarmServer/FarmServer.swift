// The coordinator as a process: HTTP in front, and the one timer beside it.
import FarmAPI
import FarmCoordinator
import FarmCore
import Foundation
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle

/// Serves a coordinator over HTTP.
package struct FarmServer: Sendable {
    private let coordinator: Coordinator
    private let token: AccessToken
    private let logger: Logger

    package init(coordinator: Coordinator, token: AccessToken, logger: Logger) {
        self.coordinator = coordinator
        self.token = token
        self.logger = logger
    }

    /// Serves on loopback while `body` runs, then stops; port 0 takes any free one, and `body` gets
    /// the one that was taken.
    ///
    /// - Throws: `ServerError.portTaken`, and what `body` throws.
    package func run<Value: Sendable>(
        port: Int,
        body: @escaping @Sendable (Int) async throws -> Value
    ) async throws -> Value {
        let (ports, portFound) = AsyncStream<Int>.makeStream()
        let application = Application(
            router: router(),
            configuration: .init(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { channel in
                portFound.yield(channel.localAddress?.port ?? 0)
                portFound.finish()
            },
            logger: logger
        )
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask {
                do {
                    try await application.run()
                } catch let error as IOError where error.errnoCode == EADDRINUSE {
                    throw ServerError.portTaken(port)
                }
                return nil
            }
            group.addTask {
                try await sweepForEver()
                return nil
            }
            group.addTask {
                for await port in ports { return try await body(port) }
                // The server ended before it listened; its own error says why.
                try await Task.sleep(for: .seconds(5))
                return nil
            }
            defer { group.cancelAll() }
            while let value = try await group.next() {
                if let value { return value }
            }
            throw CancellationError()
        }
    }

    private func router() -> Router<FarmContext> {
        let router = Router(context: FarmContext.self)
        router.get("healthz") { _, _ in "ok\n" }
        let api = router.group(RouterPath(Routes.prefix)).add(
            middleware: Gate(token: token, logger: logger)
        )
        WorkerRoutes(coordinator: coordinator).add(to: api)
        RunRoutes(coordinator: coordinator).add(to: api)
        return router
    }

    private func sweepForEver() async throws {
        while !Task.isCancelled {
            try await Task.sleep(for: .seconds(FarmLimits.sweepSeconds))
            try await coordinator.sweep()
        }
    }
}

/// Why the server does not serve.
package enum ServerError: ExplainedError {
    case portTaken(Int)

    package var code: String { "port-taken" }
    package var message: String {
        switch self {
        case .portTaken(let port): "port \(port) of 127.0.0.1 is taken."
        }
    }
    package var remedy: String { "Choose another with --port, or leave it out for any free port." }
    package var exit: FarmExit { .busy }
}
