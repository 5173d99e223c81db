// Closes a connection after an answer with `Connection: close`. The HTTP library leaves that to the
// client, and would go on reading what a refused client still sends.
import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Closes the sending side after an answer with `Connection: close`, and the whole connection a
/// moment later.
///
/// The delay lets the client read the answer: closing with unread bytes would reset the connection,
/// and the answer would be lost.
final class ClosingHandler: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private static let lingerSeconds: Int64 = 1
    private var closes = false

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head):
            closes = head.headerFields[.connection]?.lowercased() == "close"
            context.write(data, promise: promise)
        case .body:
            context.write(data, promise: promise)
        case .end:
            context.writeAndFlush(data, promise: promise)
            guard closes else { return }
            let channel = context.channel
            context.eventLoop.scheduleTask(in: .seconds(Self.lingerSeconds)) {
                channel.close(promise: nil)
            }
        }
    }
}
