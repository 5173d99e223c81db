// The way from a test's files to its report. Digests come first, and only files whose bytes differ
// are decoded. Every blob that a report names is stored before the report leaves.
import FarmAPI
import FarmArtifacts
import FarmCore
import FarmDrivers
import FarmImaging
import FarmPipeline
import Foundation

/// Examines the pictures that the tests of one lease have made.
struct CaptureProcessor: Sendable {
    let shard: Shard
    let expected: ExpectedReferences
    let client: CoordinatorClient
    /// The first folders of the suites whose references another renderer drew.
    private let drawnElsewhere: Set<String>

    /// Examines pictures that `renderer` draws; empty if the driver cannot know it.
    init(
        shard: Shard,
        references: CellReferences,
        renderer: [String: String],
        client: CoordinatorClient
    ) {
        self.shard = shard
        self.client = client
        drawnElsewhere = Set(
            references.suites.filter {
                RendererChange(of: $0.value, job: shard.job.name, after: renderer) != nil
            }.keys
        )
        expected = ExpectedReferences(references)
    }

    private var farmCompares: Bool { shard.mode == .verify && shard.job.judge == .farm }

    /// Returns the report of one test, with its pictures compared and stored.
    func report(_ result: TestResult, startedAt: Int64) async throws -> TestReport {
        TestReport(
            result,
            ending: result.ending(in: shard.job, mode: shard.mode),
            startedAt: startedAt,
            pictures: try await pictures(
                captures: result.captures,
                differences: result.differences,
                unread: result.unread,
                test: result.test
            )
        )
    }

    func pictures(
        captures: [CapturedFile],
        differences: [FrameworkDifference],
        unread: [UnreadFile],
        test: TestID
    ) async throws -> PictureReports {
        var reports = PictureReports(unread: unread)
        var digests: [SnapshotID: Digest] = [:]
        for file in captures.prefix(FarmLimits.capturesPerLeaseMax) {
            var report = try await examine(file, test: test)
            let id = report.capture.id
            if let other = digests.updateValue(report.capture.digest, forKey: id),
                other != report.capture.digest
            {
                report.problem = report.problem ?? Self.writtenTwice(id)
            }
            reports.captures.append(report)
        }
        for difference in differences.prefix(FarmLimits.capturesPerLeaseMax) {
            if let report = try await examine(difference) { reports.differences.append(report) }
        }
        return reports
    }

    // MARK: captures

    private func examine(_ file: CapturedFile, test: TestID) async throws -> CaptureReport {
        let id: SnapshotID
        guard !file.suite.isEmpty else {
            return broken(file, test, Self.withoutSuite(file.path))
        }
        do {
            id = try SnapshotID(cell: shard.cell.id, suite: file.suite, name: file.name)
        } catch {
            return broken(file, test, Problem(error))
        }
        guard var bytes = read(file.path) else {
            return broken(file, test, Self.unreadable(file.path), id: id)
        }
        if !file.masks.isEmpty {
            do {
                bytes = try MaskedPicture.painted(bytes, file.masks)
            } catch {
                return broken(file, test, Problem(error), id: id)
            }
        }
        var report = CaptureReport(
            capture: Capture(
                id: id,
                test: test,
                digest: Digest(of: bytes),
                objectID: ObjectID(ofBlob: bytes),
                bytes: bytes.count,
                identifier: file.identifier,
                pixelsBelow: file.pixelsBelow
            ),
            warning: file.note
        )
        report.reference = self.expected.own[id]
        if farmCompares {
            report.predecessor = self.expected.predecessor(of: id)
            report.alternates = self.expected.alternates[id]
        }
        let expected = report.reference ?? report.predecessor?.objectID
        do {
            if !id.isText { report.capture.size = try PNGDecoder.size(of: bytes) }
            if expected == report.capture.objectID {
                report.comparison = .identicalBytes
                // A picture under a new name takes its companions there.
                if report.predecessor != nil { try await addElements(of: file, &report) }
                return report
            }
            if report.alternates?.contains(report.capture.objectID) == true {
                report.alternate = report.capture.objectID
                report.comparison = .identicalBytes
                return report
            }
            if farmCompares, let expected {
                try await compare(bytes, with: expected, &report)
            } else if let rule = choice(id).text {
                let text = try TextForm(bytes, rule)
                if farmCompares, shard.mode != .record {
                    report.comparison = ComparedTexts.added(text).map { .differentText($0) }
                }
            } else {
                let bitmap = try PNGDecoder.decode(bytes)
                if shard.mode == .record || farmCompares {
                    let look = PictureWarning.text(PictureLook(bitmap), cell: shard.cell)
                    report.warning = look ?? report.warning
                }
            }
            if let rule = choice(id).text, var difference = report.comparison?.text {
                difference.mark(file.boxes, rule)
                report.comparison = .differentText(difference)
            }
            try await client.put(bytes, as: report.capture.digest)
            try await addElements(of: file, &report)
        } catch let error as PictureError {
            report.problem = Problem(error)
            try await client.put(bytes, as: report.capture.digest)
        } catch let error as TextDefect {
            report.problem = Problem(error)
            try await client.put(bytes, as: report.capture.digest)
        }
        return report
    }

    private func compare(
        _ capture: Data,
        with expected: ObjectID,
        _ report: inout CaptureReport
    ) async throws {
        let choice = choice(report.capture.id)
        let compared = ComparedCapture(
            capture,
            reference: try await client.picture(shard.run, expected),
            choice: choice
        )
        report.comparison = compared.comparison
        report.problem = compared.problem
        let id = report.capture.id
        if report.reference != nil, drawnElsewhere.contains(id.firstFolder),
            compared.comparison?.difference != nil
        {
            report.rendering = compared.rendering
        }
        for alternate in report.alternates ?? []
        where compared.problem == nil && report.comparison?.matches == false {
            let bytes = try await client.picture(shard.run, alternate)
            guard let match = ComparedCapture.match(capture, alternate: bytes, choice: choice)
            else { continue }
            report.alternate = alternate
            report.comparison = match
            return
        }
        report.diff = try await store(compared.diff)
    }

    private func choice(_ id: SnapshotID) -> ComparisonChoice {
        shard.job.comparison.choice(for: id)
    }

    // MARK: a framework's differences

    private func examine(_ difference: FrameworkDifference) async throws -> DifferenceReport? {
        guard
            let id = try? SnapshotID(
                cell: shard.cell.id,
                suite: difference.suite,
                name: difference.name
            )
        else { return nil }
        var reference = difference.reference.flatMap(read)
        if reference == nil { reference = try await known(id) }
        let failed = difference.failed.flatMap(read)
        var report = DifferenceReport(
            id: id,
            reference: try await store(reference),
            failed: try await store(failed),
            diff: try await store(difference.diff.flatMap(read)),
            comparison: nil
        )
        guard let reference, let failed,
            let pair = try? ExaminedPair(reference: reference, capture: failed)
        else { return report }
        // The framework found a difference, so it is explained even if our policy allows it.
        let choice = choice(id)
        let explained = try ComparedCapture.explained(pair, choice)
        let comparison = PictureComparer.compare(pair, choice: choice)
        report.comparison = explained.map { comparison.explained(by: $0.words) } ?? comparison
        if report.diff == nil { report.diff = try await store(explained?.diff) }
        return report
    }

    /// Returns the bytes of the reference that the pin names, or `nil` if it names none.
    ///
    /// It is needed because swift-snapshot-testing leaves no copy of the reference beside a failed
    /// picture.
    private func known(_ id: SnapshotID) async throws -> Data? {
        guard let object = expected.own[id] else { return nil }
        return try await client.picture(shard.run, object)
    }

    private func store(_ bytes: Data?) async throws -> Digest? {
        guard let bytes else { return nil }
        let digest = Digest(of: bytes)
        try await client.put(bytes, as: digest)
        return digest
    }

    // MARK: files

    /// Returns a file's bytes, or `nil` if it cannot be read or has more than
    /// `FarmLimits.pictureBytesMax`.
    private func read(_ path: String) -> Data? {
        guard let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int,
            size <= FarmLimits.pictureBytesMax
        else { return nil }
        return FileManager.default.contents(atPath: path)
    }

    private static func unreadable(_ path: String) -> Problem {
        Problem(
            code: "picture-unreadable",
            message: "the picture \((path as NSString).lastPathComponent) cannot be read, or has "
                + "more than \(FarmLimits.pictureBytesMax) bytes.",
            remedy: "Let the test write one complete PNG."
        )
    }

    private static func writtenTwice(_ id: SnapshotID) -> Problem {
        Problem(
            code: "picture-written-twice",
            message:
                "two different files of this test are called \(id): their names differ only in "
                + "Unicode form, or they lie in two folders.",
            remedy: "Give one of them another name."
        )
    }

    private static func withoutSuite(_ path: String) -> Problem {
        let name = (path as NSString).lastPathComponent
        return Problem(
            code: "picture-without-suite",
            message:
                "the picture \(name) lies in no folder, and the folder is the name of its suite.",
            remedy: "Write it to $SNAPFARM_CAPTURE_DIR/<suite>/\(name)."
        )
    }

    /// Returns the report of a capture with an unusable name or file, under a name that can be
    /// shown.
    private func broken(
        _ file: CapturedFile,
        _ test: TestID,
        _ problem: Problem,
        id: SnapshotID? = nil
    ) -> CaptureReport {
        let digest = Digest(of: Data((file.suite + "/" + file.name).utf8))
        return CaptureReport(
            capture: Capture(
                id: id ?? .unusable(cell: shard.cell.id, key: digest),
                test: test,
                digest: digest,
                objectID: ObjectID(ofBlob: Data()),
                bytes: 0
            ),
            problem: problem
        )
    }
}
