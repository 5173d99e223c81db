// A run that a person or an agent asks about: found by its id, as `latest`, or in an output folder or
// zip; read as `review` reads it, and without references where a store or pipeline file is missing.
import FarmCore
import FarmDrivers
import FarmFiles
import FarmReports
import FarmReview
import FarmServer
import Foundation

/// The answer of `show`.
package struct ShownAnswer: Sendable {
    /// The document for programs.
    package let document: any Encodable & Sendable
    /// The document as lines for a terminal.
    package let lines: [String]
    /// The pictures to show below the first line, each with the words above it.
    package let pictures: [(words: String, png: Data)]
}

/// A run with its files and decisions.
package struct AskedRun: Sendable {
    private let request: ReviewRequest
    private let source: any ReviewSource
    private let words: RunWords
    let summary: RunSummary
    /// Whether decisions about the run can be kept.
    var keepsDecisions: Bool {
        source is RunPage || (source as? KeptPage)?.keepsDecisions == true
    }

    /// Opens a run by its id, as `latest`, or by the path or URL of its output folder or zip.
    package static func open(_ name: String, _ question: RunQuestion) async throws -> AskedRun {
        var review: ReviewRequest
        var words: RunWords?
        var data = question.data
        if name.hasSlash || name.hasSuffix(".zip")
            || FileManager.default.fileExists(atPath: name)
        {
            review = ReviewRequest(.from(name), environment: question.environment)
            let place = question.options.filter { $0.0 != "--coordinator" }
            words = RunWords(run: "", path: name, place: place)
        } else if let coordinator = question.coordinator {
            let named = RequestedRun(name, .ended, environment: question.environment)
            let id = try await coordinator.asked { try await named.id(at: $0) }
            let place = ReviewRequest.Place.coordinator(coordinator, id)
            review = ReviewRequest(place, environment: question.environment)
        } else {
            let found = try question.local(name)
            review = ReviewRequest(.run(found.run.text), environment: question.environment)
            data = found.data
        }
        review.file = question.file
        review.data = question.data
        let source = try await opened(review, data)
        let summary = try await source.summary()
        return AskedRun(
            request: review,
            source: source,
            words: words ?? RunWords(run: summary.run.id, place: question.options),
            summary: summary
        )
    }

    /// Opens the run's page as `review` does; if that fails, the files alone.
    private static func opened(
        _ review: ReviewRequest,
        _ data: String?
    ) async throws -> any ReviewSource {
        do {
            return try await RunPage.open(review) { lines in
                for line in lines { Console.say(line) }
            }
        } catch let error as DataFolderError {
            throw error
        } catch {
            // Without pipeline file, store or pin the run can still be looked at.
            guard let kept = try? await KeptPage(review, data, obstacle: error) else { throw error }
            return kept
        }
    }

    // MARK: answers

    /// Returns the answer about the run, or about one of its changes.
    ///
    /// Writes the pictures of the change in a form into a folder, if one is named. The answer has
    /// thumbnails of its first picture if `terminal` can show them.
    package func answer(
        about change: String?,
        from cursor: String?,
        pictures: (folder: String, form: PictureForm)?,
        terminal: PictureTerminal?
    ) async throws -> ShownAnswer {
        guard let change else {
            let brief = try await brief(from: cursor)
            return ShownAnswer(document: brief, lines: brief.lines, pictures: [])
        }
        var brief = try await brief(of: change, from: cursor)
        let shown = terminal == nil ? [] : try await first(of: brief, as: .thumbnail)
        if let pictures {
            brief = try await written(brief, to: pictures.folder, as: pictures.form)
        }
        return ShownAnswer(document: brief, lines: brief.lines, pictures: shown)
    }

    /// Returns the short answer about the run.
    func brief(from cursor: String? = nil) async throws -> RunBrief {
        let book = try await source.decided().book
        return try RunBrief(summary, decided: book, words: words, from: cursor)
    }

    /// Returns the short answer about a cause, change, picture or test.
    func brief(of name: String, from cursor: String? = nil) async throws -> ChangeBrief {
        let asked = try AskedChange(name, in: summary)
        let book = try await source.decided().book
        var brief = try ChangeBrief(
            asked,
            of: summary,
            decided: book,
            words: words,
            from: cursor
        )
        // An unreachable store hides only the history.
        if let first = asked.pictures.first, let id = SnapshotID(exactly: first.id),
            let baseline = try? await source.baseline(of: id)
        {
            brief.baseline = baseline.brief
        }
        return brief
    }

    /// Returns the short answer about the history of a picture's reference, or `nil` if the store
    /// of the run's pipeline is not here.
    func history(of name: String, from cursor: String?) async throws -> BaselineBrief? {
        let asked = try AskedChange(name, in: summary)
        guard let first = asked.pictures.first, let id = SnapshotID(exactly: first.id) else {
            return nil
        }
        return try await source.baseline(of: id).map {
            try BaselineBrief($0, of: summary.run.id, from: cursor)
        }
    }

    /// Returns the command by which a person accepts a cause, change or picture, or `nil` if none
    /// does.
    func approval(of name: String) throws -> String? {
        try AskedChange(name, in: summary).selection.map { words.decide("approve", $0) }
    }

    // MARK: pictures

    /// Returns a picture file of the run, or its thumbnail; `nil` if there is no such file.
    func picture(_ path: String, as form: PictureForm) async throws -> Data? {
        switch form {
        case .whole: try await source.file(path)
        case .thumbnail: try await source.thumbnail(ofFile: path)
        }
    }

    /// Returns reference, failed picture and difference of the first record that has pictures, each
    /// with its role and the record's id.
    func first(
        of brief: ChangeBrief,
        as form: PictureForm
    ) async throws -> [(words: String, png: Data)] {
        let record = brief.records.first { $0.files != nil && !SnapshotFile.isText($0.id) }
        guard let record else { return [] }
        var pictures: [(words: String, png: Data)] = []
        for role in ["reference", "failed", "diff"] {
            guard let path = record.files?[role], let png = try await picture(path, as: form) else {
                continue
            }
            pictures.append(("\(role) of \(record.id):", png))
        }
        return pictures
    }

    /// Writes the pictures of an answer into a folder, and returns the answer with their absolute
    /// paths.
    private func written(
        _ brief: ChangeBrief,
        to folder: String,
        as form: PictureForm
    ) async throws -> ChangeBrief {
        let folder = PipelineSource.absolute(folder)
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true
        )
        var brief = brief
        for index in brief.records.indices {
            // The digest, because names of pictures may be longer than names of files.
            let name = Digest(of: Data(brief.records[index].id.utf8)).hex.prefix(12)
            for (role, path) in brief.records[index].files ?? [:] {
                let form = SnapshotFile.isText(brief.records[index].id) ? .whole : form
                guard let bytes = try await picture(path, as: form) else {
                    brief.records[index].files?[role] = nil
                    continue
                }
                let ending = path[(path.lastIndex(of: ".") ?? path.endIndex)...]
                let file = "\(folder)/\(name)-\(role)\(ending)"
                try DurableFile.write(bytes, to: file)
                brief.records[index].files?[role] = file
            }
        }
        return brief
    }

    // MARK: decisions

    /// Rejects the pictures of a cause, change or picture, or comments on them.
    ///
    /// Leaves accepted pictures accepted. Returns the number of decided pictures.
    ///
    /// - Throws: `DecisionRefusal`, and ``AgentRefusal/accepted(_:)`` if everything is accepted.
    func decide(
        _ kind: Decision.Kind,
        about name: String,
        reason: String,
        by who: String,
        now: Date
    ) async throws -> Int {
        let asked = try AskedChange(name, in: summary)
        let book = try await source.decided().book
        let form = try DecisionForm(
            kind: kind.rawValue,
            changes: asked.kind == .change ? [asked.id] : [],
            snapshots: asked.kind == .picture ? [asked.id] : [],
            causes: asked.kind == .cause ? [asked.id] : [],
            reason: reason
        )
        let made = try DecisionRules.decisions(
            form,
            about: summary,
            after: book,
            by: who,
            now: Int64(now.timeIntervalSince1970 * 1000)
        )
        let settled: Set<Decision.Kind> = [.accepted, .alternate, .published]
        let decisions = made.filter { decision in
            kind == .commented
                || !(book.standing[decision.subject].map { settled.contains($0.kind) } ?? false)
        }
        guard made.isEmpty || !decisions.isEmpty else { throw AgentRefusal.accepted(name) }
        try await source.add(decisions)
        return decisions.count
    }

    /// Accepts the pictures of a cause, change or picture as `approve` does, in the name of `who`.
    func approve(
        _ name: String,
        reason: String,
        by who: String,
        now: Date
    ) async throws -> ApprovalDocument {
        let asked = try AskedChange(name, in: summary)
        guard !asked.pictures.isEmpty else { throw DecisionRefusal.nothingNamed }
        var request = request
        request.reason = reason
        request.environment["SNAPFARM_REVIEWER"] = who
        switch asked.kind {
        case .cause: request.select = ["cause=\(asked.id)"]
        case .change: request.changes = [asked.id]
        case .picture, .test, .problem, .note: break
        }
        var session = try await ReviewSession.open(request)
        defer { withExtendedLifetime(session) {} }
        if asked.kind == .picture, let id = SnapshotID(exactly: asked.id) {
            session = session.narrowed(to: [id])
        }
        return try await session.approve(ApprovalOptions(), now: now)
    }
}
