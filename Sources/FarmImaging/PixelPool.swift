// Reuses memory for pixels. The page faults of fresh memory cost 1.6 ms of CPU per megapixel, more
// than comparing it, so blocks go back to a pool instead of to the system.
//
// Invariants
//   - A block has one owner: the pool, or one `PixelStorage`.
//   - The pool never keeps more than `FarmLimits.pixelPoolBytesMax`.
import FarmCore
import Foundation
import Synchronization

/// Keeps memory blocks of released pictures for the next pictures.
final class PixelPool: Sendable {
    /// The pool that all pictures of this process share.
    static let shared = PixelPool(keeping: FarmLimits.pixelPoolBytesMax)

    // Sendable because a free block belongs to the pool alone: no other code has its pointer.
    private struct Block: @unchecked Sendable {
        var base: UnsafeMutableRawPointer
        var capacity: Int
    }

    /// The bytes of the smallest block that is kept; malloc takes smaller ones from its own lists,
    /// without page faults.
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

    /// Returns memory of at least `bytes` with any content, or `nil` if the system has none.
    func take(_ bytes: Int) -> PixelStorage? {
        guard bytes >= Self.keptBytesMin else {
            return malloc(bytes).map { PixelStorage(base: $0, capacity: bytes, pool: self) }
        }
        // Takes the block used last, which is still in the processor's caches.
        let block = free.withLock { blocks -> Block? in
            blocks.lastIndex { $0.capacity >= bytes }.map { blocks.remove(at: $0) }
        }
        if let block {
            return PixelStorage(base: block.base, capacity: block.capacity, pool: self)
        }
        // One eighth more, so that the next picture may be a little larger.
        let capacity = bytes + bytes / 8
        guard let base = malloc(capacity) else { return nil }
        return PixelStorage(base: base, capacity: capacity, pool: self)
    }

    /// Takes back an unused block, to keep it or to free it.
    fileprivate func giveBack(_ base: UnsafeMutableRawPointer, capacity: Int) {
        guard capacity >= Self.keptBytesMin else { return Foundation.free(base) }
        let dropped = free.withLock { blocks -> [Block] in
            blocks.append(Block(base: base, capacity: capacity))
            var kept = blocks.reduce(0) { $0 + $1.capacity }
            var dropped: [Block] = []
            // Drops the oldest first: the run may have moved on to pictures of another size.
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

/// One block of a pool, given back at the end of its last reference.
///
/// Sendable because the code that takes a block fills it before sharing it; afterwards it is only
/// read.
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
