// libgit2's side of a ServerPipe: a "smart subtransport", a pair of C structures with callbacks.
// libgit2 calls them on the thread that pushes, and frees them through their last callback.
import CGit2
import FarmCore
import Foundation

/// What the callbacks share; lives as long as the connection it belongs to.
package final class PipeTransport {
    /// The words that start a server program of Git, for a service like `git-receive-pack`.
    private let words: (_ service: String) -> [String]
    private let environment: [String: String]
    private let stallSeconds: Int
    fileprivate var pipe: ServerPipe?
    /// libgit2 insists on one stream for both actions of a service.
    fileprivate var stream: UnsafeMutablePointer<PipeStream>?
    /// Handed to libgit2, which reads it after `git_transport_smart` has returned.
    private let definition = UnsafeMutablePointer<git_smart_subtransport_definition>.allocate(
        capacity: 1
    )

    package init(
        environment: [String: String],
        stallSeconds: Int,
        words: @escaping (_ service: String) -> [String]
    ) {
        self.words = words
        self.environment = environment
        self.stallSeconds = stallSeconds
        definition.initialize(
            to: git_smart_subtransport_definition(
                callback: makeSubtransport,
                rpc: 0,
                param: Unmanaged.passUnretained(self).toOpaque()
            )
        )
    }

    deinit { definition.deallocate() }

    /// The program's last words, and whether it fell silent; nil where it was never started.
    package var ending: (words: String, isStalled: Bool)? {
        pipe.map { ($0.isStalled ? "" : $0.words, $0.isStalled) }
    }

    /// Makes libgit2's transport for a remote.
    package func make(
        _ out: UnsafeMutablePointer<UnsafeMutablePointer<git_transport>?>?,
        _ owner: OpaquePointer?
    ) -> Int32 {
        git_transport_smart(out, owner, definition)
    }

    fileprivate func open(_ service: String) throws {
        pipe?.end()
        pipe = try ServerPipe(words(service), environment: environment, stallSeconds: stallSeconds)
    }
}

// The C structures come first in ours, so that a pointer to one is a pointer to the other.
private struct PipeSubtransport {
    var base: git_smart_subtransport
    var transport: Unmanaged<PipeTransport>
}

private struct PipeStream {
    var base: git_smart_subtransport_stream
    var transport: Unmanaged<PipeTransport>
}

private func makeSubtransport(
    out: UnsafeMutablePointer<UnsafeMutablePointer<git_smart_subtransport>?>?,
    owner: UnsafeMutablePointer<git_transport>?,
    parameter: UnsafeMutableRawPointer?
) -> Int32 {
    guard let parameter else { return -1 }
    let made = UnsafeMutablePointer<PipeSubtransport>.allocate(capacity: 1)
    made.initialize(
        to: PipeSubtransport(
            base: git_smart_subtransport(
                action: act,
                close: { subtransport in
                    withTransport(of: subtransport) { $0.pipe?.end() }
                    return 0
                },
                free: { subtransport in UnsafeMutableRawPointer(subtransport)?.deallocate() }
            ),
            transport: Unmanaged.fromOpaque(parameter)
        )
    )
    out?.pointee = UnsafeMutableRawPointer(made).assumingMemoryBound(
        to: git_smart_subtransport.self
    )
    return 0
}

private func withTransport(
    of subtransport: UnsafeMutablePointer<git_smart_subtransport>?,
    _ body: (PipeTransport) -> Void
) {
    guard let subtransport else { return }
    let ours = UnsafeMutableRawPointer(subtransport).assumingMemoryBound(to: PipeSubtransport.self)
    body(ours.pointee.transport.takeUnretainedValue())
}

private func act(
    out: UnsafeMutablePointer<UnsafeMutablePointer<git_smart_subtransport_stream>?>?,
    subtransport: UnsafeMutablePointer<git_smart_subtransport>?,
    url: UnsafePointer<CChar>?,
    action: git_smart_service_t
) -> Int32 {
    var result: Int32 = -1
    withTransport(of: subtransport) { transport in
        do {
            switch action {
            case GIT_SERVICE_UPLOADPACK_LS: try transport.open("git-upload-pack")
            case GIT_SERVICE_RECEIVEPACK_LS: try transport.open("git-receive-pack")
            default:
                // The other actions go on with the program that listed the references.
                guard let stream = transport.stream else { return }
                out?.pointee = UnsafeMutableRawPointer(stream).assumingMemoryBound(
                    to: git_smart_subtransport_stream.self
                )
                result = 0
                return
            }
        } catch {
            git_error_set_str(Int32(GIT_ERROR_NET.rawValue), error.inWords)
            return
        }
        let made = UnsafeMutablePointer<PipeStream>.allocate(capacity: 1)
        made.initialize(
            to: PipeStream(
                base: git_smart_subtransport_stream(
                    subtransport: subtransport,
                    read: readStream,
                    write: writeStream,
                    free: { stream in
                        withTransport(of: stream?.pointee.subtransport) { $0.stream = nil }
                        UnsafeMutableRawPointer(stream)?.deallocate()
                    }
                ),
                transport: Unmanaged.passUnretained(transport)
            )
        )
        transport.stream = made
        out?.pointee = UnsafeMutableRawPointer(made).assumingMemoryBound(
            to: git_smart_subtransport_stream.self
        )
        result = 0
    }
    return result
}

private func pipe(of stream: UnsafeMutablePointer<git_smart_subtransport_stream>?) -> ServerPipe? {
    guard let stream else { return nil }
    let ours = UnsafeMutableRawPointer(stream).assumingMemoryBound(to: PipeStream.self)
    return ours.pointee.transport.takeUnretainedValue().pipe
}

private func readStream(
    stream: UnsafeMutablePointer<git_smart_subtransport_stream>?,
    buffer: UnsafeMutablePointer<CChar>?,
    size: Int,
    count: UnsafeMutablePointer<Int>?
) -> Int32 {
    guard let pipe = pipe(of: stream), let buffer, let count else { return -1 }
    let got = pipe.read(into: buffer, count: size)
    guard got >= 0 else {
        git_error_set_str(Int32(GIT_ERROR_NET.rawValue), pipe.failure ?? "the connection is silent")
        return -1
    }
    count.pointee = got
    return 0
}

private func writeStream(
    stream: UnsafeMutablePointer<git_smart_subtransport_stream>?,
    bytes: UnsafePointer<CChar>?,
    count: Int
) -> Int32 {
    guard let pipe = pipe(of: stream) else { return -1 }
    guard pipe.write(UnsafeRawBufferPointer(start: bytes, count: count)) else {
        git_error_set_str(Int32(GIT_ERROR_NET.rawValue), pipe.failure ?? "the connection is silent")
        return -1
    }
    return 0
}
