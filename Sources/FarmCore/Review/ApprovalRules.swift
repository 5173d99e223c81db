// The rules for which pictures of a run may become references. A review can accept what a test
// made; it cannot replace what a test did not do.

/// The pictures that an approval takes in addition to changed, new and moved ones.
package struct ApprovalOptions: Hashable, Sendable {
    /// Whether references that no test made any more are removed from the set.
    package var removesMissing: Bool
    /// Whether pictures are taken that a review has rejected.
    package var takesRejected: Bool

    package init(removesMissing: Bool = false, takesRejected: Bool = false) {
        self.removesMissing = removesMissing
        self.takesRejected = takesRejected
    }
}

/// The reason why a picture is not approved.
package enum ApprovalBar: Hashable, Sendable {
    /// The verdict can never be approved, or nothing has changed.
    case verdict(Verdict)
    /// The test failed or did not end: a picture of a broken screen is not a reference.
    case test(Verdict)
    /// The reference is only removed with `--remove-missing`.
    case missing
    /// The run did not keep the picture.
    case withoutPicture
    /// The picture is only taken with `--even-rejected`.
    case rejected

    /// The words in a list, after the picture's id.
    package var words: String {
        switch self {
        case .verdict(.unreached): "unreached: its test did not get there"
        case .verdict(let verdict): "\(verdict.rawValue): cannot be approved"
        case .test(let verdict): "its test is \(verdict.rawValue)"
        case .missing: "missing: leaves the references only with --remove-missing"
        case .withoutPicture: "the run kept no picture of it"
        case .rejected: "rejected: taken only with --even-rejected"
        }
    }
}

/// The choice of an approval for each picture; all lists are sorted by id.
package struct ApprovalChoice: Hashable, Sendable {
    package struct Left: Hashable, Sendable {
        package var picture: ReviewPicture
        package var bar: ApprovalBar
    }
    /// Pictures that become references.
    package var accepted: [ReviewPicture] = []
    /// Pictures that leave the references.
    package var removed: [ReviewPicture] = []
    /// Pictures that stay as they are, each with the reason.
    package var left: [Left] = []

    /// The cells whose references change, sorted.
    package var cells: [CellID] { Set((accepted + removed).map(\.id.cell)).sorted() }
}

package enum ApprovalRules {
    /// Chooses among pictures; `rejected` are those that a review has rejected.
    package static func choose(
        _ pictures: [ReviewPicture],
        _ options: ApprovalOptions,
        rejected: Set<SnapshotID> = []
    ) -> ApprovalChoice {
        var choice = ApprovalChoice()
        for picture in pictures.sorted(by: { $0.id < $1.id }) {
            if let bar = bar(picture, options, isRejected: rejected.contains(picture.id)) {
                choice.left.append(ApprovalChoice.Left(picture: picture, bar: bar))
            } else if picture.verdict == .missing {
                choice.removed.append(picture)
            } else {
                choice.accepted.append(picture)
            }
        }
        return choice
    }

    /// Whether a person can accept or reject the picture.
    package static func isReviewable(_ picture: ReviewPicture) -> Bool {
        permanentBar(picture) == nil
    }

    /// Returns the reason why no option makes the picture a reference, or `nil` if a person can
    /// accept or reject it.
    package static func permanentBar(_ picture: ReviewPicture) -> ApprovalBar? {
        let all = ApprovalOptions(removesMissing: true, takesRejected: true)
        return bar(picture, all, isRejected: false)
    }

    private static func bar(
        _ picture: ReviewPicture,
        _ options: ApprovalOptions,
        isRejected: Bool
    ) -> ApprovalBar? {
        switch picture.verdict {
        case .passed, .unreached, .flaky, .failed, .errored: return .verdict(picture.verdict)
        case .changed, .new, .moved, .missing: break
        }
        // A failing test keeps its references, as in a record run.
        if let test = picture.testVerdict, test == .failed || test == .errored {
            return .test(test)
        }
        if picture.verdict == .missing {
            guard options.removesMissing else { return .missing }
        } else if picture.capture == nil {
            return .withoutPicture
        }
        return isRejected && !options.takesRejected ? .rejected : nil
    }

    /// Returns the names in one cell whose reference differs from the run's pin, unless an earlier
    /// approval of the same run changed it; sorted.
    ///
    /// The reviewer has seen the run's pin: compared with other references, the same picture may be
    /// another change. `made` returns the picture that the run made under a name, and `missing` are
    /// the names that it no longer made.
    package static func strangers(
        base: [SnapshotID: ObjectID],
        now: [SnapshotID: ObjectID],
        missing: Set<SnapshotID>,
        made: (SnapshotID) throws -> ObjectID?
    ) rethrows -> [SnapshotID] {
        var strangers: [SnapshotID] = []
        for id in Set(base.keys).union(now.keys) where base[id] != now[id] {
            if let object = now[id] {
                if try made(id) != object { strangers.append(id) }
            } else if !missing.contains(id) {
                strangers.append(id)
            }
        }
        return strangers.sorted()
    }

    /// Returns the changes of each cell by the accepted and removed pictures, sorted by cell.
    ///
    /// `pictures` are the bytes of the accepted ones, `records` those of the present references.
    /// `renderers` is `nil` if the run does not name what drew its pictures; the records then keep
    /// their renderers.
    package static func recordings(
        of choice: ApprovalChoice,
        pictures: [SnapshotID: RecordedPicture],
        records: [CellID: [String: SuiteRecord]],
        renderers: [RunRenderer]?,
        pipeline: String
    ) -> [CellRecording] {
        var recordings: [CellID: CellRecording] = [:]
        for picture in choice.removed {
            recordings[picture.id.cell, default: .part(of: picture.id.cell)].removed
                .insert(picture.id)
        }
        for picture in choice.accepted {
            let cell = picture.id.cell
            let known = renderers.map { all in
                all.first { $0.job == picture.job && $0.cell == cell }?.renderer ?? [:]
            }
            let old = records[cell]?[picture.id.firstFolder]
            // Changes the recording in place: a new system changes all pictures of a cell.
            recordings[cell, default: .part(of: cell)].add(
                picture,
                pictures[picture.id],
                SuiteRecord(
                    pipeline: pipeline,
                    job: picture.job,
                    renderer: known ?? old?.renderer ?? [:],
                    tests: [:]
                )
            )
        }
        return recordings.values.sorted { $0.cell < $1.cell }
    }
}

extension CellRecording {
    fileprivate static func part(of cell: CellID) -> CellRecording {
        CellRecording(cell: cell, replacesCell: false, pictures: [:], suites: [:])
    }

    /// Adds a picture; `record` is used if it is the first added picture of its suite.
    fileprivate mutating func add(
        _ picture: ReviewPicture,
        _ recorded: RecordedPicture?,
        _ record: SuiteRecord
    ) {
        let id = picture.id
        pictures[id] = recorded
        suites[id.firstFolder, default: record].tests["\(id.suite)/\(id.name)"] = picture.test
    }
}
