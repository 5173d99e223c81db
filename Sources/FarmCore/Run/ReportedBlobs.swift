// The blobs that a report names. The ledger keeps a report only if all of them are stored;
// `snapfarm check` verifies this for every report.

/// A stored blob that a report names, such as a picture or a log.
package struct ReportedBlob: Hashable, Sendable {
    package var digest: Digest
    /// The blob's length in bytes, or `nil` if the report does not state it.
    package var bytes: Int?
    /// The words for the blob in messages, such as a picture's id.
    package var name: String

    package init(digest: Digest, bytes: Int? = nil, name: String) {
        self.digest = digest
        self.bytes = bytes
        self.name = name
    }
}

extension PictureReports {
    /// The blobs of all pictures, in the order of the pictures.
    package var blobs: [ReportedBlob] { captures.flatMap(\.blobs) + differences.flatMap(\.blobs) }
}

extension CaptureReport {
    fileprivate var blobs: [ReportedBlob] {
        var blobs: [ReportedBlob] = []
        // A capture that equals its reference is in the store.
        // An unreadable file has no bytes, but a text may be empty.
        let isKept = capture.bytes > 0 || capture.id.isText && problem == nil
        if isKept, compared != capture.objectID {
            let name = capture.id.description
            blobs.append(ReportedBlob(digest: capture.digest, bytes: capture.bytes, name: name))
        }
        for (kind, file) in companions ?? [:] {
            let name = "the \(kind.rawValue) of \(capture.id)"
            blobs.append(ReportedBlob(digest: file.digest, bytes: file.bytes, name: name))
        }
        if let diff { blobs.append(ReportedBlob(digest: diff, name: "the diff of \(capture.id)")) }
        return blobs
    }
}

extension DifferenceReport {
    fileprivate var blobs: [ReportedBlob] {
        [reference, failed, diff].compactMap { digest in
            digest.map { ReportedBlob(digest: $0, name: id.description) }
        }
    }
}

extension LeaseEvidence {
    /// The blob of the lease's log; empty if there is no log.
    package var blobs: [ReportedBlob] {
        log.map { [ReportedBlob(digest: $0, name: "the log")] } ?? []
    }
}

extension JudgedRun {
    /// The blobs of a run's result: its logs, and the files of its pictures.
    package var blobs: Set<Digest> {
        pictures.values.reduce(into: Set(logs.values)) { blobs, picture in
            let own = [picture.referenceBlob, picture.capture, picture.diff]
            blobs.formUnion(own.compactMap(\.self))
        }
    }
}

extension Plan {
    /// The bundles of the plan's jobs.
    package var bundles: [Digest] { jobs.compactMap { BundleRules.bundle(of: $0.prepared) } }
}
