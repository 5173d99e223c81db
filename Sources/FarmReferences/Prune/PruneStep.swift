// Every place where a prune changes the disk. A prune may die at any of them: what is kept stays
// readable, and the next prune ends in the same store.
import FarmCore
import FarmGit
import Foundation

/// A change of the disk that is about to be made.
package enum PruneStep: String, Sendable, CaseIterable {
    case clearLock
    case clearLeftover
    case writeSet
    case writeJournal
    case writeNote
    case moveNote
    case createReferences
    case moveJournal
    case removeReferences
    case startPack
    case writeEntry
    case finishPack
    case writeIndex
    case revealPack
    case revealIndex
    case flushFolder
    case removeMultiPackIndex
    case removeOldIndex
    case removeOldPack
    case removeLoose
}

/// What a prune takes from the machine; tests replace it.
package struct PruneConditions {
    /// Bytes that may still be written in the file system of a path.
    package var freeBytes: (String) throws -> Int = PruneConditions.free
    /// Called before every change of the disk; an error ends the prune there, as a crash would.
    package var before: (PruneStep) throws -> Void = { _ in }
    /// Seconds that a Git lock must stand still before it counts as left behind.
    package var lockSeconds: Double = 2

    /// What the operating system says is free for this user.
    package static func free(_ path: String) throws -> Int {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else {
            throw GitError.system(
                doing: "look at the disk of \(path)",
                reason: String(cString: strerror(errno))
            )
        }
        let (bytes, overflow) = Int(clamping: status.f_bavail)
            .multipliedReportingOverflow(by: Int(clamping: status.f_frsize))
        return overflow ? .max : bytes
    }
}

extension PruneConditions {
    /// As `before`, for the steps of writing a pack.
    var beforePack: (PackStep) throws -> Void {
        { try before(PruneStep($0)) }
    }
}

extension PruneStep {
    fileprivate init(_ step: PackStep) {
        self =
            switch step {
            case .startPack: .startPack
            case .writeEntry: .writeEntry
            case .finishPack: .finishPack
            case .writeIndex: .writeIndex
            case .revealPack: .revealPack
            case .revealIndex: .revealIndex
            case .flushFolder: .flushFolder
            }
    }
}
