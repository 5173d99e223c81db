// The references of a set, and the recordings that change them. A reference's digest is its Git
// blob id.

/// An expected picture of a set.
package struct Reference: Hashable, Sendable, Codable {
    package var id: SnapshotID
    package var objectID: ObjectID

    package init(id: SnapshotID, objectID: ObjectID) {
        self.id = id
        self.objectID = objectID
    }
}

/// The record of a suite's folder `<cell>/<first folder>`, stored as `.renderer.json` beside its
/// pictures.
///
/// It depends only on the pictures' origin, so that equal references have equal ids.
package struct SuiteRecord: Hashable, Sendable, Codable {
    /// The pipeline that makes the suite's pictures, or `nil` in records of older versions and of
    /// pictures that no run made.
    package var pipeline: String?
    package var job: JobName
    /// The programs that drew the pictures (browser, fonts, flags); empty if the driver cannot know
    /// them.
    package var renderer: [String: String]
    /// The test case that makes each picture, by `<suite>/<name>`.
    ///
    /// Pictures are left out whose test program did not name their test.
    package var tests: [String: TestID]

    package init(
        pipeline: String? = nil,
        job: JobName,
        renderer: [String: String],
        tests: [String: TestID]
    ) {
        self.pipeline = pipeline
        self.job = job
        self.renderer = renderer
        self.tests = tests
    }
}

/// A pipeline and its jobs; a record run replaces only suites that its owner makes.
package struct SuiteOwner: Hashable, Sendable {
    package var pipeline: String
    package var jobs: Set<JobName>

    package init(pipeline: String, jobs: Set<JobName>) {
        self.pipeline = pipeline
        self.jobs = jobs
    }

    /// Whether another pipeline makes the suite.
    package func isOther(_ record: SuiteRecord?) -> Bool {
        guard let known = record?.pipeline else { return false }
        return known != pipeline
    }

    /// Whether one of the jobs makes the suite, or the suite has no record.
    package func owns(_ record: SuiteRecord?) -> Bool {
        guard let record else { return true }
        return !isOther(record) && jobs.contains(record.job)
    }
}

/// The pictures that a record run or an approval writes to one cell.
package struct CellRecording: Sendable {
    package var cell: CellID
    /// Whether the recording replaces all suites of its owner in the cell; if not, only the named
    /// pictures change.
    package var replacesCell: Bool
    /// The owner whose suites are replaced, or `nil` for all suites of the cell.
    package var owner: SuiteOwner?
    /// All pictures of the recording.
    package var pictures: [SnapshotID: RecordedPicture]
    /// The suites' records by the first folder below the cell; only for folders in `pictures`.
    package var suites: [String: SuiteRecord]
    /// References that a review removed by name; names in `pictures` stay.
    package var removed: Set<SnapshotID>

    package init(
        cell: CellID,
        replacesCell: Bool,
        pictures: [SnapshotID: RecordedPicture],
        suites: [String: SuiteRecord],
        removed: Set<SnapshotID> = [],
        owner: SuiteOwner? = nil
    ) {
        self.owner = owner
        self.cell = cell
        self.replacesCell = replacesCell
        self.pictures = pictures
        self.suites = suites
        self.removed = removed
    }
}

/// A picture that becomes a reference.
package struct RecordedPicture: Hashable, Sendable {
    /// The digest of the run's blob, or `nil` if the bytes can be found without it, which saves
    /// hashing.
    package var digest: Digest?
    package var objectID: ObjectID

    package init(digest: Digest? = nil, objectID: ObjectID) {
        self.digest = digest
        self.objectID = objectID
    }
}

/// The changes of a set by a recording, by snapshot id; each list is sorted.
package struct RecordingOutcome: Sendable, Hashable, Codable {
    package var added: [SnapshotID]
    package var changed: [SnapshotID]
    /// Removed because a complete record of the cell did not make them, or by a review.
    package var removed: [SnapshotID]
    package var unchangedCount: Int

    package init(
        added: [SnapshotID],
        changed: [SnapshotID],
        removed: [SnapshotID],
        unchangedCount: Int
    ) {
        self.added = added
        self.changed = changed
        self.removed = removed
        self.unchangedCount = unchangedCount
    }
}
