// A reference is an expected picture at a pin. Its file digest is its Git blob id.

/// One expected picture of a set.
package struct Reference: Hashable, Sendable, Codable {
    package var id: SnapshotID
    package var objectID: ObjectID

    package init(id: SnapshotID, objectID: ObjectID) {
        self.id = id
        self.objectID = objectID
    }
}

/// What a set knows about one `<cell>/<first folder>` beside its pictures: `.renderer.json`.
///
/// A pure function of the pictures' origin, so that equal references keep equal ids.
package struct SuiteRecord: Hashable, Sendable, Codable {
    /// The pipeline and the job that make the suite's pictures; the pipeline is nil in records of
    /// before it was kept, and of pictures that no run made.
    package var pipeline: String?
    package var job: JobName
    /// What drew them (browser, fonts, flags); empty where the driver cannot know.
    package var renderer: [String: String]
    /// The test case that makes each picture, by `<suite>/<name>`; a picture without one was made
    /// by a batch that did not say.
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

/// A pipeline and its jobs: a record run replaces only suites that these make.
package struct SuiteOwner: Hashable, Sendable {
    package var pipeline: String
    package var jobs: Set<JobName>

    package init(pipeline: String, jobs: Set<JobName>) {
        self.pipeline = pipeline
        self.jobs = jobs
    }

    /// Whether another pipeline makes a suite.
    package func isOther(_ record: SuiteRecord?) -> Bool {
        guard let known = record?.pipeline else { return false }
        return known != pipeline
    }

    /// Whether one of the jobs makes a suite, or nobody knows who.
    package func owns(_ record: SuiteRecord?) -> Bool {
        guard let record else { return true }
        return !isOther(record) && jobs.contains(record.job)
    }
}

/// What a record run found for one cell, ready to become references.
package struct CellRecording: Sendable {
    package var cell: CellID
    /// A complete, unfiltered record replaces what its owner has in the cell; anything else only
    /// what it names.
    package var replacesCell: Bool
    /// Whose suites are replaced; nil: all of the cell.
    package var owner: SuiteOwner?
    /// Every picture of the recording, with the blob that holds its bytes.
    package var pictures: [SnapshotID: RecordedPicture]
    /// By first folder below the cell; only for folders that `pictures` touches.
    package var suites: [String: SuiteRecord]
    /// References a review took away by name; names of `pictures` stay.
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

/// Bytes that become a reference.
package struct RecordedPicture: Hashable, Sendable {
    /// Where a run left the bytes; nil where they are found without it, which spares a hash.
    package var digest: Digest?
    package var objectID: ObjectID

    package init(digest: Digest? = nil, objectID: ObjectID) {
        self.digest = digest
        self.objectID = objectID
    }
}

/// What a recording did to a set, by snapshot id, each list sorted.
package struct RecordingOutcome: Sendable, Hashable, Codable {
    package var added: [SnapshotID]
    package var changed: [SnapshotID]
    /// Fell out because a complete record of the cell did not make them, or a review said so.
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
