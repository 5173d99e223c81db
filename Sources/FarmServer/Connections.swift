// The HTTP connections of the program's servers. A cancelled server drops accepted connections that
// no task has begun to answer, and NIO would end the whole process for each of them.
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import Synchronization

/// Sets up HTTP/1 connections; each is closed at the latest when the server drops it.
private struct Connections: ServerChildChannel {
    let http: HTTP1Channel

    final class Connection: ServerChildChannelValue {
        let value: HTTP1Channel.Value
        private let isTaken = Mutex(false)

        init(_ value: HTTP1Channel.Value) { self.value = value }

        var channel: any Channel { value.channel }

        func take() { isTaken.withLock { $0 = true } }

        deinit {
            guard !isTaken.withLock({ $0 }) else { return }
            // A `deinit` cannot wait, so a task closes the channel.
            Task { [value] in try? await value.executeThenClose { _, _ in } }
        }
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Connection> {
        http.setup(channel: channel, logger: logger).map { Connection($0) }
    }

    func handle(value: Connection, logger: Logger) async {
        value.take()
        await http.handle(value: value.value, logger: logger)
    }
}

extension HTTPServerBuilder {
    /// Builds a server of HTTP/1 that closes a connection after `idleSeconds` without a byte.
    static func connections(idleSeconds: Double) -> HTTPServerBuilder {
        let configuration = HTTP1Channel.Configuration(
            additionalChannelHandlers: [ClosingHandler()],
            idleTimeout: .milliseconds(Int64(idleSeconds * 1000))
        )
        return HTTPServerBuilder { responder in
            Connections(http: HTTP1Channel(responder: responder, configuration: configuration))
        }
    }
}
