// Which blobs a report names. A record of a report is kept only where all of them are stored;
// `snapfarm check` asks the same of every record.

/// A blob that a report names.
package struct ReportedBlob: Hashable, Sendable {
    package var digest: Digest
    /// Nil: nobody said.
    package var bytes: Int?
    /// What it is, for messages.
    package var name: String

    package init(digest: Digest, bytes: Int? = nil, name: String) {
        self.digest = digest
        self.bytes = bytes
        self.name = name
    }
}

extension PictureReports {
    /// In the order of the pictures.
    package var blobs: [ReportedBlob] { captures.flatMap(\.blobs) + differences.flatMap(\.blobs) }
}

extension CaptureReport {
    fileprivate var blobs: [ReportedBlob] {
        var blobs: [ReportedBlob] = []
        let expected = reference ?? predecessor?.objectID
        // What is its reference lies in the store; what could not be read has no bytes.
        if capture.bytes > 0, expected != capture.objectID {
            let name = capture.id.description
            blobs.append(ReportedBlob(digest: capture.digest, bytes: capture.bytes, name: name))
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
    /// Its log.
    package var blobs: [ReportedBlob] {
        log.map { [ReportedBlob(digest: $0, name: "the log")] } ?? []
    }
}
