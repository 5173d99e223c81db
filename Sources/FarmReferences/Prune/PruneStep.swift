// The steps at which a prune changes the disk. A prune may die at any of them: kept sets stay
// readable, and the next prune ends with the same store.
import FarmCore
import FarmGit
import Foundation

/// A change of the disk that the prune is about to make.
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

/// The prune's access to the machine; tests replace it.
package struct PruneConditions {
    /// Returns the free bytes of the file system that holds a path.
    package var freeBytes: (String) throws -> Int = PruneConditions.free
    /// Called before every change of the disk; an error ends the prune there, as a crash would.
    package var before: (PruneStep) throws -> Void = { _ in }
    /// The number of seconds after which an unchanged Git lock counts as abandoned.
    package var lockSeconds: Double = 2

    /// Returns the bytes that the operating system reports as free for this user.
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
    /// The function that calls `before` for each step of writing a pack.
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
