// Bytes that arrive in pieces from another task; whoever fills one bounds it.
import Synchronization

final class ByteBox: Sendable {
    private let kept = Mutex<[UInt8]>([])

    func append(_ more: [UInt8]) { kept.withLock { $0 += more } }

    var bytes: [UInt8] { kept.withLock { $0 } }
}
