// Bytes that arrive in pieces from another task. The code that appends them must bound them.
import Synchronization

final class ByteBox: Sendable {
    private let kept = Mutex<[UInt8]>([])

    func append(_ more: [UInt8]) { kept.withLock { $0 += more } }

    var bytes: [UInt8] { kept.withLock { $0 } }
}
