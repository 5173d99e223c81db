// `snapfarm backup`: a copy of a data folder that may be in use. The ledger is copied as it is at
// one moment, then the blobs: a blob is durable before the record that names it, so the folder has
// all blobs that the copied ledger names. Retention waits meanwhile.
//
// Invariants
//   - A folder with the name of a backup is complete: it gets that name last.
//   - No file of an earlier backup is written again. Blobs in both are one file (hard links).
import FarmArtifacts
import FarmCore
import FarmLedger
import Foundation

/// Makes a backup of a coordinator's state.
package struct DataBackup {
    /// The absolute path of the data folder.
    let data: String
    /// The absolute paths of the reference stores that are folders of this machine, by pipeline.
    let stores: [String: String]
    /// The absolute path of the coordinator's configuration file, or `nil` if none is named.
    let configuration: String?
    /// The absolute path of the folder for backups, each in a folder of its own.
    let place: String

    package init(
        _ configuration: CoordinatorConfiguration,
        file: String?,
        into place: String
    ) throws {
        data = configuration.data
        stores = try ServedStores.folders(of: configuration)
        self.configuration = file.map(PipelineSource.absolute)
        self.place = place
    }

    /// Makes the backup, and checks that it has every blob that its ledger names.
    ///
    /// `now` is in milliseconds since 1970.
    package func make(now: Int64) throws -> BackupReport {
        let ledger = data + "/ledger.sqlite"
        guard FileManager.default.fileExists(atPath: ledger) else {
            throw LedgerAuditError.none(ledger)
        }
        let turn = try RetentionLock(data, .backup)
        defer { withExtendedLifetime(turn) {} }
        let folder = try BackupFolder(place, at: now)
        try SQLiteLedger.copy(ledger, to: folder.part + "/ledger.sqlite")
        var report = BackupReport(path: folder.path, at: ISO8601.text(now))
        try folder.copyBlobs(of: data, into: &report)
        for file in ["lease.key", "tokens.json", BucketNameFile.name] {
            try folder.copy(data + "/" + file, as: file)
        }
        if let configuration { try folder.copy(configuration, as: "snapfarm.yaml") }
        for (pipeline, store) in stores.sorted(by: { $0.key < $1.key }) {
            try folder.copyStore(store, of: pipeline)
            report.stores.append(pipeline)
        }
        let check = try CheckReport(folder: folder.part, scrutiny: .size)
        report.runs = check.runs
        report.bucket = check.bucket
        report.broken = check.brokenCount
        try folder.finish()
        UpkeepTimes.note(.backup, in: data)
        return report
    }
}

/// The content of a backup, as reported to the user.
package struct BackupReport: Encodable, Hashable {
    var schemaVersion = 1
    var path: String
    /// The time of the state that the backup has.
    var at: String
    var runs = 0
    var blobs = 0
    var blobBytes = 0
    /// The number of blobs that the previous backup has too.
    var linkedBlobs = 0
    /// The bucket with the blobs, which the backup lacks; `nil` if the backup has all blobs.
    var bucket: String?
    /// The names of the pipelines whose reference stores are in the backup.
    var stores: [String] = []
    /// The number of defects that `snapfarm check` finds in the copy; the data folder has them too.
    package var broken = 0

    /// Returns the report as lines for a terminal.
    package func text() -> String {
        let names =
            stores.isEmpty ? "no reference store" : "stores " + stores.joined(separator: ", ")
        var lines = [
            "\(path): \(runs) runs, \(blobs) blobs (\(blobBytes / 1_000_000) MB; "
                + "\(linkedBlobs) were in the backup before), \(names)",
            "It shows the farm at \(at). What came later is not in it.",
        ]
        if let bucket {
            lines.append(
                "Its blobs lie in a bucket, which is not copied: \(bucket). A backup is whole for "
                    + "as long as they stay there."
            )
        }
        if broken > 0 {
            lines.append(
                "It is damaged in \(broken == 1 ? "1 place" : "\(broken) places"), as the data folder "
                    + "is. Which: snapfarm check --data \(path)"
            )
        }
        lines.append("Restore it with: snapfarm restore \(path) --data NEW-FOLDER")
        return lines.joined(separator: "\n") + "\n"
    }
}
