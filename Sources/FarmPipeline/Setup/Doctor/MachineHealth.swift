// Judges whether a machine has enough for runs. Pure: the caller measures, these rules judge.
import FarmCore

/// A folder that runs write to.
package struct WrittenFolder: Hashable, Sendable {
    package let subject: String
    package let path: String
    /// The free bytes of the folder's disk, or `nil` if unknown.
    package let freeBytes: Int?
    package let isWritable: Bool

    package init(_ subject: String, path: String, freeBytes: Int?, isWritable: Bool) {
        self.subject = subject
        self.path = path
        self.freeBytes = freeBytes
        self.isWritable = isWritable
    }
}

/// The health lines about a machine.
package enum MachineHealth {
    package static func line(_ folder: WrittenFolder) -> HealthLine {
        let place = folder.path
        guard folder.isWritable else {
            return .failure(
                folder.subject,
                "\(place) cannot be written.",
                remedy: "Give this user the right to write there, or free the read-only disk.",
                exit: .inputOutput
            )
        }
        guard let free = folder.freeBytes else {
            return .ok(folder.subject, "\(place) can be written; how much is free is not known.")
        }
        let fact = "\(place) has \(megabytes(free)) free"
        let wanted = megabytes(FarmLimits.healthDiskBytesWanted)
        let remedy = "Free at least \(wanted) on that disk."
        if free < FarmLimits.healthDiskBytesMin {
            return .failure(folder.subject, fact + ".", remedy: remedy, exit: .inputOutput)
        }
        guard free >= FarmLimits.healthDiskBytesWanted else {
            return .warning(
                folder.subject,
                fact + "; a run with many pictures may fill it.",
                remedy: remedy
            )
        }
        return .ok(folder.subject, fact)
    }

    /// Returns the line about the machine's memory.
    ///
    /// `freeMemory` is a share from 0 to 1, or `nil` if the system does not report it.
    package static func memory(cores: Int, bytes: Int, freeMemory: Double?) -> HealthLine {
        let has =
            "\(cores) \(cores == 1 ? "core" : "cores"), \(megabytes(bytes)) of memory"
        guard let freeMemory else { return .ok("memory", has) }
        let fact = has + ", \(Int(freeMemory * 100)) % of it free"
        guard freeMemory < FarmLimits.freeMemoryMin else { return .ok("memory", fact) }
        return .warning(
            "memory",
            fact + ".",
            remedy: "End other programs, or run fewer workers: --workers 1."
        )
    }

    /// Returns the line about the machine's clock.
    ///
    /// `ahead` is the number of seconds by which this machine's clock is ahead of the
    /// coordinator's, or `nil` if there is no coordinator to compare with.
    package static func clock(ahead: Double?) -> HealthLine {
        guard let ahead else {
            return .ok("clock", "not compared: no coordinator says the time")
        }
        let seconds = Int(abs(ahead).rounded())
        guard seconds > FarmLimits.healthClockSeconds else {
            return .ok("clock", "within \(FarmLimits.healthClockSeconds) s of the coordinator's")
        }
        return .warning(
            "clock",
            "\(seconds) s \(ahead > 0 ? "before" : "behind") the coordinator's: times in reports "
                + "and ends of tokens are wrong.",
            remedy: "Set it by NTP, for example `timedatectl set-ntp true`."
        )
    }

    private static func megabytes(_ bytes: Int) -> String {
        bytes >= 1_000_000_000
            ? "\(bytes / 1_000_000_000).\(bytes / 100_000_000 % 10) GB"
            : "\(bytes / 1_000_000) MB"
    }
}
