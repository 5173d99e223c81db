// The times of a data folder's last backup and last retention, kept as the times of two empty
// files: other processes than the coordinator do these tasks too, and a restart must not forget
// them.
import FarmArtifacts
import FarmCore
import FarmServer
import Foundation

enum UpkeepTimes {
    /// Notes that an upkeep task has just succeeded; ignores a disk that cannot store the note.
    static func note(_ task: UpkeepTask, in data: String) {
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW
        let file = open(path(task, in: data), flags, 0o600)
        guard file >= 0 else { return }
        futimens(file, nil)
        close(file)
    }

    /// Returns the facts of a data folder for monitoring: disk space, the ledger's size, and the
    /// time of each task's last success.
    static func facts(of data: String) -> UpkeepFacts {
        var facts = UpkeepFacts()
        var disk = statvfs()
        if statvfs(data, &disk) == 0 {
            facts.diskBytes = Int(clamping: UInt64(disk.f_blocks) * UInt64(disk.f_frsize))
            facts.diskFreeBytes = Int(clamping: UInt64(disk.f_bavail) * UInt64(disk.f_frsize))
        }
        let ledger = data + "/ledger.sqlite"
        facts.ledgerBytes = FileTimes(of: ledger).map { file in
            file.bytes + (FileTimes(of: ledger + "-wal")?.bytes ?? 0)
        }
        for task in UpkeepTask.allCases {
            guard let file = FileTimes(of: path(task, in: data)) else { continue }
            facts.lastSuccess[task] = Int(file.modified / 1000)
        }
        return facts
    }

    private static func path(_ task: UpkeepTask, in data: String) -> String {
        "\(data)/last-\(task.rawValue)"
    }
}
