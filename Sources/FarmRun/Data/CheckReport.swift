// The result of `snapfarm check` for a data folder. The check only reads, and takes no lock.
import FarmArtifacts
import FarmCore
import FarmLedger
import Foundation

/// The result of `snapfarm check`; `--json` prints it unchanged.
package struct CheckReport: Encodable {
    let schemaVersion = 1
    let data: String
    package let clean: Bool
    let runs: Int
    let testCases: Int
    let attempts: Int
    let leases: Int
    let decisions: Int
    let blobs: Int
    /// The name of the bucket with the blobs, or `nil` if they are in the data folder.
    let bucket: String?
    /// Whether the blobs were checked; those in a bucket only with its coordinator's configuration.
    let blobsChecked: Bool
    /// Whether the digest of every blob was computed.
    let deep: Bool
    /// The broken invariants that are listed, at most `FarmLimits.brokenInvariantsMax`.
    let broken: [BrokenInvariant]
    /// The number of all broken invariants, also of those that are not listed.
    let brokenCount: Int
    /// The wrong records that are harmless, at most `FarmLimits.brokenInvariantsMax`.
    let notes: [BrokenInvariant]

    /// Checks a data folder, which may be in use, but no blobs in a bucket.
    ///
    /// - Throws: `LedgerAuditError` if there is no ledger, or one of another version.
    package init(folder: String, scrutiny: BlobScrutiny) throws {
        let audit = try LedgerAudit.ofFile(at: folder + "/ledger.sqlite")
        let bucket = try BucketNameFile.read(folder)
        let store = BlobStore(reading: folder + "/blobs")
        let defects = (bucket == nil ? audit.blobs : []).compactMap { named in
            store.defect(of: named.digest, bytes: named.bytes, scrutiny).map {
                Self.broken($0, named)
            }
        }
        self.init(folder, audit, bucket, defects, bucket == nil ? scrutiny : nil)
    }

    /// Checks a data folder and the bucket that the coordinator's configuration names, if it does.
    ///
    /// - Throws: `BucketNoteError` if the data folder notes another bucket, and
    ///   `ArtifactError.bucket` if the bucket does not answer.
    package init(
        _ configuration: CoordinatorConfiguration,
        scrutiny: BlobScrutiny,
        environment: [String: String]
    ) async throws {
        let folder = configuration.data
        guard let bucket = try ServedBlobs.bucket(configuration, environment) else {
            try self.init(folder: folder, scrutiny: scrutiny)
            return
        }
        let audit = try LedgerAudit.ofFile(at: folder + "/ledger.sqlite")
        let named = Dictionary(audit.blobs.map { ($0.digest, $0.bytes) }) { $0 ?? $1 }
        let defects = try await bucket.defects(of: named, scrutiny)
        let broken = audit.blobs.compactMap { named in
            defects[named.digest].map { Self.broken($0, named) }
        }
        self.init(folder, audit, bucket.client.settings.text, broken, scrutiny)
    }

    /// Creates the report of an audit; `scrutiny` is the depth of the blobs' check, or `nil` if
    /// they were not checked.
    private init(
        _ folder: String,
        _ audit: LedgerAudit,
        _ bucket: String?,
        _ defects: [BrokenInvariant],
        _ scrutiny: BlobScrutiny?
    ) {
        data = folder
        let harmless = defects.filter { $0.code == Self.recordCode }
        let defects = defects.filter { $0.code != Self.recordCode }
        notes = Array(harmless.prefix(FarmLimits.brokenInvariantsMax))
        clean = audit.isClean && defects.isEmpty
        runs = audit.runs
        testCases = audit.testCases
        attempts = audit.attempts
        leases = audit.leases
        decisions = audit.decisions
        blobs = audit.blobs.count
        self.bucket = bucket
        blobsChecked = scrutiny != nil
        if case .contents = scrutiny { deep = true } else { deep = false }
        broken = Array((audit.broken + defects).prefix(FarmLimits.brokenInvariantsMax))
        brokenCount = audit.brokenCount + defects.count
    }

    private static let recordCode = "blob-record"

    private static func broken(_ defect: BlobDefect, _ named: NamedBlob) -> BrokenInvariant {
        let what = "\(named.digest) (\(named.place))"
        let (code, fact) =
            switch defect {
            case .missing: ("blob-missing", "the blob \(what) is not there.")
            case .size(let bytes):
                ("blob-size", "the blob \(what) has \(bytes) bytes, not \(named.bytes ?? 0).")
            case .record(let bytes):
                (
                    recordCode,
                    "the blob \(what) is whole and has \(bytes) bytes; its record says "
                        + "\(named.bytes ?? 0)."
                )
            case .contents: ("blob-damaged", "the blob \(what) holds other bytes.")
            case .unreadable(let reason): ("blob-unreadable", "the blob \(what): \(reason)")
            }
        return BrokenInvariant(
            code: code,
            run: named.run,
            message: fact,
            remedy: remedy(defect)
        )
    }

    private static func remedy(_ defect: BlobDefect) -> String {
        switch defect {
        case .missing: "Run those tests again; the bytes are lost unless you have a copy."
        case .record:
            "Nothing to do: the worker counted wrongly, and the record leaves with its run."
        case .size, .contents, .unreadable:
            "Put the right bytes there from a copy; or remove that blob, and run those tests again."
        }
    }

    /// Returns the report as the JSON document of `--json`.
    package func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
    }

    /// Returns the report as text: a line for each broken invariant, and one with the counts.
    package func text() -> String {
        var lines = broken.map(\.description)
        lines += notes.map(\.description)
        if brokenCount > broken.count { lines.append("and \(brokenCount - broken.count) more") }
        let looked =
            "\(runs) runs, \(testCases) test cases, \(attempts) attempts, \(leases) leases, "
            + "\(decisions) decisions, \(blobs) blobs\(deep ? " read" : "")"
        lines.append(
            clean ? "\(data) is sound: \(looked)" : "\(data): \(brokenCount) broken; \(looked)"
        )
        if let bucket {
            lines.append(
                blobsChecked
                    ? "its blobs lie in a bucket: \(bucket)"
                    : "its blobs lie in a bucket, not looked at: \(bucket). To look there, name the "
                        + "coordinator's configuration with --config."
            )
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
