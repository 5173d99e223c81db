// Memory for pixels, used again. The page faults of fresh memory cost 1.6 ms of CPU per megapixel,
// more than comparing it, so blocks go back to a pool instead of to the system.
//
// Invariants
//   - A block has one owner: the pool, or one `PixelStorage`.
//   - The pool never keeps more than `FarmLimits.pixelPoolBytesMax`.
import FarmCore
import Foundation
import Synchronization

/// Blocks of memory that wait for the next picture.
final class PixelPool: Sendable {
    /// The process's pool; it holds no truth, only memory.
    static let shared = PixelPool(keeping: FarmLimits.pixelPoolBytesMax)

    // A pointer is not Sendable because it may be shared; a free block is nobody else's.
    private struct Block: @unchecked Sendable {
        var base: UnsafeMutableRawPointer
        var capacity: Int
    }

    /// Below, malloc has the memory at hand and no page faults are saved.
    private static let keptBytesMin = 128 << 10

    private let bytesMax: Int
    private let free = Mutex<[Block]>([])

    init(keeping bytesMax: Int) {
        self.bytesMax = bytesMax
    }

    deinit {
        free.withLock { blocks in
            for block in blocks { Foundation.free(block.base) }
        }
    }

    /// Memory of at least `bytes` with any content; nil when the system has none.
    func take(_ bytes: Int) -> PixelStorage? {
        guard bytes >= Self.keptBytesMin else {
            return malloc(bytes).map { PixelStorage(base: $0, capacity: bytes, pool: self) }
        }
        // The block used last is the one that is still in the processor's caches.
        let block = free.withLock { blocks -> Block? in
            blocks.lastIndex { $0.capacity >= bytes }.map { blocks.remove(at: $0) }
        }
        if let block {
            return PixelStorage(base: block.base, capacity: block.capacity, pool: self)
        }
        // Room for the next picture that is a little larger.
        let capacity = bytes + bytes / 8
        guard let base = malloc(capacity) else { return nil }
        return PixelStorage(base: base, capacity: capacity, pool: self)
    }

    /// Takes a block back that nobody uses any more.
    fileprivate func giveBack(_ base: UnsafeMutableRawPointer, capacity: Int) {
        guard capacity >= Self.keptBytesMin else { return Foundation.free(base) }
        let dropped = free.withLock { blocks -> [Block] in
            blocks.append(Block(base: base, capacity: capacity))
            var kept = blocks.reduce(0) { $0 + $1.capacity }
            var dropped: [Block] = []
            // The oldest go first: the run may have moved on to pictures of another size.
            while kept > bytesMax, let oldest = blocks.first {
                blocks.removeFirst()
                kept -= oldest.capacity
                dropped.append(oldest)
            }
            return dropped
        }
        for block in dropped { Foundation.free(block.base) }
    }
}

/// One block of a pool, given back when nobody holds it any more.
///
/// Whoever takes it fills it before letting anyone else see it; after that it is only read. That
/// is what makes it Sendable.
final class PixelStorage: @unchecked Sendable {
    let base: UnsafeMutableRawPointer
    let capacity: Int
    private let pool: PixelPool

    fileprivate init(base: UnsafeMutableRawPointer, capacity: Int, pool: PixelPool) {
        self.base = base
        self.capacity = capacity
        self.pool = pool
    }

    deinit { pool.giveBack(base, capacity: capacity) }

    var bytes: UnsafeMutablePointer<UInt8> {
        base.assumingMemoryBound(to: UInt8.self)
    }
}
