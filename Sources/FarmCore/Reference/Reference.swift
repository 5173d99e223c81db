// The references of a set, and the recordings that change them. A reference's digest is its Git
// blob id.

/// A reference: the expected picture of a snapshot, in a reference set.
package struct Reference: Hashable, Sendable {
    package var id: SnapshotID
    package var objectID: ObjectID
    /// The pictures that are right as well, sorted; a capture passes if it matches one of them.
    package var alternates: [ObjectID]
    /// The companions of the picture.
    package var companions: [CompanionKind: ObjectID]

    package init(
        id: SnapshotID,
        objectID: ObjectID,
        alternates: [ObjectID] = [],
        companions: [CompanionKind: ObjectID] = [:]
    ) {
        self.id = id
        self.objectID = objectID
        self.alternates = alternates
        self.companions = companions
    }
}

extension Reference {
    /// The blobs of the picture, its alternates and its companions.
    package var objects: [ObjectID] { [objectID] + alternates + companions.values }
}

extension Reference: Codable {
    private enum CodingKeys: String, CodingKey { case id, objectID, alternates, companions }

    package func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: CodingKeys.self)
        try object.encode(id, forKey: .id)
        try object.encode(objectID, forKey: .objectID)
        if !alternates.isEmpty { try object.encode(alternates, forKey: .alternates) }
        if !companions.isEmpty { try object.encode(companions, forKey: .companions) }
    }

    /// Decodes a reference; those of older versions have no `alternates` or `companions`.
    package init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try object.decode(SnapshotID.self, forKey: .id),
            objectID: try object.decode(ObjectID.self, forKey: .objectID),
            alternates: try object.decodeIfPresent([ObjectID].self, forKey: .alternates) ?? [],
            companions: try object.decodeIfPresent(
                [CompanionKind: ObjectID].self,
                forKey: .companions
            ) ?? [:]
        )
    }
}

/// The record of a suite's folder `<cell>/<first folder>`, stored as `.renderer.json` beside its
/// pictures.
///
/// It depends only on the pictures' origin, so that equal references have equal ids.
package struct SuiteRecord: Hashable, Sendable, Codable {
    /// The pipeline that makes the suite's pictures, or `nil` in records of older versions and for
    /// pictures that no run made.
    package var pipeline: String?
    package var job: JobName
    /// The programs that drew the pictures (browser, fonts, flags); empty if the driver cannot know
    /// them.
    package var renderer: [String: String]
    /// The test case that makes each picture of the folder, by the picture's `<suite>/<name>`.
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

/// A pipeline and its jobs, as the owner of suites: a record run replaces only its owner's suites.
package struct SuiteOwner: Hashable, Sendable {
    package var pipeline: String
    package var jobs: Set<JobName>

    package init(pipeline: String, jobs: Set<JobName>) {
        self.pipeline = pipeline
        self.jobs = jobs
    }

    /// Whether the suite's record names another pipeline.
    package func isOther(_ record: SuiteRecord?) -> Bool {
        guard let known = record?.pipeline else { return false }
        return known != pipeline
    }

    /// Whether the suite's record names one of the owner's jobs, or the suite has no record.
    package func owns(_ record: SuiteRecord?) -> Bool {
        guard let record else { return true }
        return !isOther(record) && jobs.contains(record.job)
    }
}

/// The pictures that a record run or an approval writes to one cell.
package struct CellRecording: Sendable {
    package var cell: CellID
    /// Whether the recording replaces all its owner's suites in the cell; if not, only the named
    /// pictures change.
    package var replacesCell: Bool
    /// The owner whose suites are replaced, or `nil` for all suites of the cell.
    package var owner: SuiteOwner?
    /// The pictures that become references.
    package var pictures: [SnapshotID: RecordedPicture]
    /// The suites' records by the first folder below the cell; only for folders in `pictures`.
    package var suites: [String: SuiteRecord]
    /// The references that a review removed by name; a name that is also in `pictures` stays.
    package var removed: Set<SnapshotID>
    /// The pictures that become alternates of references, by the references' names.
    ///
    /// A name whose reference is not there, or changes with this recording, gets none.
    package var alternates: [SnapshotID: [RecordedPicture]] = [:]

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
    /// The digest of the picture's blob in the run, or `nil` if the bytes can be found without it,
    /// which saves hashing.
    package var digest: Digest?
    package var objectID: ObjectID
    /// The companions that are written with the picture; an unchanged picture keeps its own.
    package var companions: [CompanionKind: RecordedFile]

    package init(
        digest: Digest? = nil,
        objectID: ObjectID,
        companions: [CompanionKind: RecordedFile] = [:]
    ) {
        self.digest = digest
        self.objectID = objectID
        self.companions = companions
    }
}

/// A companion that is written with its picture.
package struct RecordedFile: Hashable, Sendable {
    /// The digest of the file's blob in the run, or `nil` if the bytes can be found without it.
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
    /// The references that were removed, by a review or because a complete record of the cell did
    /// not make them.
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
