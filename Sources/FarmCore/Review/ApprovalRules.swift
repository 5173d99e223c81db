// The rules for which pictures of a run may become references. A review can accept what a test
// made; it cannot replace what a test did not do.

/// The options of an approval: whether it also removes missing pictures and takes rejected ones.
package struct ApprovalOptions: Hashable, Sendable {
    /// Whether the approval removes references of pictures that no test makes any more.
    package var removesMissing: Bool
    /// Whether the approval takes pictures that a review has rejected.
    package var takesRejected: Bool
    /// The pictures that become alternates of their references, and not references.
    package var alternates: Set<SnapshotID>

    package init(
        removesMissing: Bool = false,
        takesRejected: Bool = false,
        alternates: Set<SnapshotID> = []
    ) {
        self.removesMissing = removesMissing
        self.takesRejected = takesRejected
        self.alternates = alternates
    }
}

/// The reason why an approval does not take a picture.
package enum ApprovalBar: Hashable, Sendable {
    /// The picture's verdict can never be approved, or nothing about the picture has changed.
    case verdict(Verdict)
    /// The picture's test failed or did not end: a picture of a broken screen is not a reference.
    case test(Verdict)
    /// No test makes the picture any more; its reference is only removed with `--remove-missing`.
    case missing
    /// The run did not store the picture.
    case withoutPicture
    /// A review rejected the picture; it is only taken with `--even-rejected`.
    case rejected
    /// An alternate needs a reference of the same name, and the picture has none.
    case withoutReference
    /// The picture's framework compares it, and knows one reference of each picture.
    case judgedByFramework
    /// The picture has as many alternates as are allowed.
    case enoughAlternates

    /// The reason in words, after the picture's id in a list.
    package var words: String {
        switch self {
        case .verdict(.unreached): "unreached: its test did not get there"
        case .verdict(.inherited): "inherited: its test did not run"
        case .verdict(let verdict): "\(verdict.rawValue): cannot be approved"
        case .test(let verdict): "its test is \(verdict.rawValue)"
        case .missing: "missing: leaves the references only with --remove-missing"
        case .withoutPicture: "the run kept no picture of it"
        case .rejected: "rejected: taken only with --even-rejected"
        case .withoutReference: "has no reference of its own for an alternate to stand beside"
        case .judgedByFramework: "its framework compares it, and knows no alternates"
        case .enoughAlternates:
            "has \(FarmLimits.alternatesPerPictureMax) alternates, and more are not allowed"
        }
    }

    /// Whether the picture could still become a reference.
    package var isOfAlternates: Bool {
        [.withoutReference, .judgedByFramework, .enoughAlternates].contains(self)
    }
}

/// The pictures that an approval takes, removes and leaves; all lists are sorted by id.
package struct ApprovalChoice: Hashable, Sendable {
    package struct Left: Hashable, Sendable {
        package var picture: ReviewPicture
        package var bar: ApprovalBar
    }
    /// The pictures that become references.
    package var accepted: [ReviewPicture] = []
    /// The pictures that become alternates of their references.
    package var alternates: [ReviewPicture] = []
    /// Pictures whose references are removed.
    package var removed: [ReviewPicture] = []
    /// Pictures that the approval does not take, each with the reason.
    package var left: [Left] = []

    /// The cells whose references change, sorted.
    package var cells: [CellID] { Set((taken + removed).map(\.id.cell)).sorted() }

    /// Takes a picture out of the alternates, for a reason.
    package mutating func leave(alternate picture: ReviewPicture, _ bar: ApprovalBar) {
        alternates.removeAll { $0.id == picture.id }
        left.append(Left(picture: picture, bar: bar))
        left.sort { $0.picture.id < $1.picture.id }
    }

    /// The pictures that become references or alternates.
    package var taken: [ReviewPicture] { accepted + alternates }
}

package enum ApprovalRules {
    /// Decides which of the pictures an approval takes; `rejected` are those that a review has
    /// rejected.
    package static func choose(
        _ pictures: [ReviewPicture],
        _ options: ApprovalOptions,
        rejected: Set<SnapshotID> = []
    ) -> ApprovalChoice {
        var choice = ApprovalChoice()
        for picture in pictures.sorted(by: { $0.id < $1.id }) {
            if let bar = bar(picture, options, isRejected: rejected.contains(picture.id)) {
                choice.left.append(ApprovalChoice.Left(picture: picture, bar: bar))
            } else if options.alternates.contains(picture.id) {
                if picture.verdict == .changed, picture.reference != nil {
                    choice.alternates.append(picture)
                } else {
                    choice.left.append(
                        ApprovalChoice.Left(picture: picture, bar: .withoutReference)
                    )
                }
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
        case .passed, .inherited, .unreached, .flaky, .failed, .errored:
            return .verdict(picture.verdict)
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

    /// Returns the names in one cell whose reference has changed since the run's pin, other than by
    /// an earlier approval of the same run; sorted.
    ///
    /// The reviewer has seen the run's pin: compared with other references, the same picture may be
    /// another change. `made` returns the picture that the run made under a name, and `missing` are
    /// the names that it no longer made. The alternates of a reference may only have got that
    /// picture, too.
    package static func strangers(
        base: [SnapshotID: ObjectID],
        now: [SnapshotID: ObjectID],
        alternates: (base: AlternatesByName, now: AlternatesByName) = ([:], [:]),
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
        for id in Set(alternates.base.keys).union(alternates.now.keys)
        where base[id] != nil && base[id] == now[id] {
            let (old, new) = (Set(alternates.base[id] ?? []), Set(alternates.now[id] ?? []))
            guard old != new else { continue }
            let made = try made(id)
            if new != old.union([made].compactMap(\.self)) { strangers.append(id) }
        }
        return strangers.sorted()
    }

    /// Returns the recordings that write an approval's choice, one for each cell, sorted by cell.
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
        for picture in choice.alternates {
            guard let recorded = pictures[picture.id] else { continue }
            recordings[picture.id.cell, default: .part(of: picture.id.cell)]
                .alternates[picture.id, default: []].append(recorded)
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

    /// Adds an accepted picture; `record` becomes the record of its suite's folder unless that has
    /// one.
    fileprivate mutating func add(
        _ picture: ReviewPicture,
        _ recorded: RecordedPicture?,
        _ record: SuiteRecord
    ) {
        let id = picture.id
        pictures[id] = recorded
        suites[id.firstFolder, default: record].tests[id.keyInSuite] = picture.test
    }
}

extension SnapshotSummary {
    /// The reason why the picture of this row cannot become an alternate, or `nil` if it can.
    package var alternateBar: ApprovalBar? {
        guard verdict == .changed, !reference.isEmpty, predecessor.isEmpty else {
            return .withoutReference
        }
        guard judge != .framework else { return .judgedByFramework }
        let count = alternates?.count ?? 0
        return count < FarmLimits.alternatesPerPictureMax ? nil : .enoughAlternates
    }
}
