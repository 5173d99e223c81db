// What `snapfarm check` finds out about a data folder. Reads only and takes no lock.
import FarmArtifacts
import FarmCore
import FarmLedger
import Foundation

/// What a check found; `--json` prints it as it is.
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
    /// Where the blobs lie that were not looked at; nil: they lie here, and were.
    let bucket: String?
    /// Whether the digest of every blob was computed.
    let deep: Bool
    /// At most `FarmLimits.brokenInvariantsMax`.
    let broken: [BrokenInvariant]
    /// Of all, also those that are not listed.
    let brokenCount: Int

    /// `folder` is a data folder, which may be in use.
    ///
    /// - Throws: `LedgerAuditError` where there is no ledger, or one of another version.
    package init(folder: String, scrutiny: BlobScrutiny) throws {
        let audit = try LedgerAudit.ofFile(at: folder + "/ledger.sqlite")
        bucket = try BucketNote.read(folder)
        let store = BlobStore(reading: folder + "/blobs")
        let defects = (bucket == nil ? audit.blobs : []).compactMap { named in
            store.defect(of: named.digest, bytes: named.bytes, scrutiny).map {
                Self.broken($0, named)
            }
        }
        data = folder
        clean = audit.isClean && defects.isEmpty
        runs = audit.runs
        testCases = audit.testCases
        attempts = audit.attempts
        leases = audit.leases
        decisions = audit.decisions
        blobs = audit.blobs.count
        if case .contents = scrutiny, bucket == nil { deep = true } else { deep = false }
        broken = Array((audit.broken + defects).prefix(FarmLimits.brokenInvariantsMax))
        brokenCount = audit.brokenCount + defects.count
    }

    private static func broken(_ defect: BlobDefect, _ named: NamedBlob) -> BrokenInvariant {
        let what = "\(named.digest) (\(named.place))"
        let (code, fact) =
            switch defect {
            case .missing: ("blob-missing", "the blob \(what) is not there.")
            case .size(let bytes):
                ("blob-size", "the blob \(what) has \(bytes) bytes, not \(named.bytes ?? 0).")
            case .contents: ("blob-damaged", "the blob \(what) holds other bytes.")
            case .unreadable(let reason): ("blob-unreadable", "the blob \(what): \(reason)")
            }
        return BrokenInvariant(
            code: code,
            run: named.run,
            message: fact,
            remedy: "Run those tests again; the bytes are lost unless you have a copy."
        )
    }

    /// The document of `--json`.
    package func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
    }

    /// A line for each broken invariant, and one with the counts.
    package func text() -> String {
        var lines = broken.map(\.description)
        if brokenCount > broken.count { lines.append("and \(brokenCount - broken.count) more") }
        let looked =
            "\(runs) runs, \(testCases) test cases, \(attempts) attempts, \(leases) leases, "
            + "\(decisions) decisions, \(blobs) blobs\(deep ? " read" : "")"
        lines.append(
            clean ? "\(data) is sound: \(looked)" : "\(data): \(brokenCount) broken; \(looked)"
        )
        if let bucket { lines.append("its blobs lie in a bucket, not looked at: \(bucket)") }
        return lines.joined(separator: "\n") + "\n"
    }
}
