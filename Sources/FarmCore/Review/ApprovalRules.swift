// Which pictures of a run may become references. A review accepts what a test made;
// it never makes up for what a test did not do.

/// What an approval is asked to take beside changed, new and moved pictures.
package struct ApprovalOptions: Hashable, Sendable {
    /// References that nobody made any more leave the set.
    package var removesMissing: Bool
    /// Also pictures that a review has rejected.
    package var takesRejected: Bool

    package init(removesMissing: Bool = false, takesRejected: Bool = false) {
        self.removesMissing = removesMissing
        self.takesRejected = takesRejected
    }
}

/// Why a picture is not approved.
package enum ApprovalBar: Hashable, Sendable {
    /// Its verdict is never approved away, or there is nothing to approve.
    case verdict(Verdict)
    /// Its test failed or did not end: a picture of a broken screen is no reference.
    case test(Verdict)
    /// Taken only with `--remove-missing`.
    case missing
    /// The run kept no picture of it.
    case withoutPicture
    /// Taken only with `--even-rejected`.
    case rejected

    /// For a list, after the picture's id.
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

/// What an approval does with each picture; every list sorted by id.
package struct ApprovalChoice: Hashable, Sendable {
    package struct Left: Hashable, Sendable {
        package var picture: ReviewPicture
        package var bar: ApprovalBar
    }
    /// Become references.
    package var accepted: [ReviewPicture] = []
    /// Leave the references.
    package var removed: [ReviewPicture] = []
    /// Stay as they are.
    package var left: [Left] = []

    /// The cells whose references change, sorted.
    package var cells: [CellID] { Set((accepted + removed).map(\.id.cell)).sorted() }
}

package enum ApprovalRules {
    /// Chooses among pictures; `rejected` are those a review has refused.
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

    /// Whether a person can say yes or no to it at all.
    package static func isReviewable(_ picture: ReviewPicture) -> Bool {
        permanentBar(picture) == nil
    }

    /// Why no option makes it a reference; nil where a person can say yes or no to it.
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
        // A failing test keeps its references, as under record.
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

    /// Names in one cell whose reference is not that of the run's pin, though no earlier approval
    /// of the same run explains it; sorted.
    ///
    /// Who approves has seen the run's pin: on another one the same picture may be another change.
    /// `made` is what the run made of a name, and `missing` what it did not make any more.
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

    /// What the accepted and removed pictures do to each cell, sorted by cell.
    ///
    /// `pictures` are the bytes of the accepted ones, `records` those of the present references.
    /// `renderers` is nil where the run does not say what drew its pictures: the records then keep
    /// what they say.
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
            // In place: a new system changes all pictures of a cell.
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

    /// `record` is its suite's where no other picture of the suite was added before.
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
