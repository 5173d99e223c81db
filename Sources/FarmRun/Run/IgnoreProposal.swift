// The flow of `snapfarm ignore`: finds the job of a picture, and writes the ignored regions into the
// pipeline file with `--write`.
import FarmCore
import FarmFiles
import FarmPipeline
import FarmReferences
import Foundation

/// The options of `snapfarm ignore`.
package struct IgnoreProposal {
    /// The path of the pipeline file.
    let file: String
    /// The picture's suite and name, or its id, as people wrote it.
    let picture: String
    /// The name of the picture's job, or `nil` if only one job can have it.
    let job: String?
    let boxes: [PixelBox]
    let environment: [String: String]

    package init(
        file: String,
        picture: String,
        job: String?,
        boxes: [PixelBox],
        environment: [String: String]
    ) {
        self.file = file
        self.picture = picture
        self.job = job
        self.boxes = boxes
        self.environment = environment
    }

    /// Prints the ignored regions as a patch of the pipeline file, and applies it if `writes`.
    package func perform(writes: Bool) throws {
        let source = try PipelineSource(file: file)
        let (job, name) = try place(in: source.pipeline)
        let change = try IgnorePatch(
            ignoring: boxes,
            of: name,
            job: job.name,
            in: source.text,
            path: file
        ) { try source.decoded($0, file: file) }
        warnOfUnknown(name, source)
        guard change.text != source.text else {
            return Console.say("nothing to write: \(file) ignores this in \(name) already.")
        }
        Console.print(change.patch)
        guard writes else {
            return Console.say("Nothing is written yet: add --write, and commit the file.")
        }
        try DurableFile.write(Data(change.text.utf8), to: source.file)
        Console.say(
            "\(Amount.count(boxes.count, "region")) of \(name) ignored on every device, in \(file). "
                + "Commit it; "
                + "`snapfarm judge --run latest` judges the last run with it."
        )
    }

    /// Warns of a picture without a reference: its name may be misspelled.
    ///
    /// Says nothing if the references are not on this machine.
    private func warnOfUnknown(_ name: String, _ source: PipelineSource) {
        guard let place = try? source.references(environment), let pin = try? place.pin(),
            let references = try? place.store().references(pin), !references.isEmpty
        else { return }
        let names = Set(references.map { "\($0.id.suite)/\($0.id.name)" })
        guard !names.contains(name) else { return }
        let hint = nearest(name, among: names.sorted()).map { " Did you mean \($0)?" } ?? ""
        Console.say("warning: no reference is called \(name).\(hint)")
    }

    /// Returns the picture's job, and its suite and name with a slash between.
    private func place(in pipeline: Pipeline) throws(IgnoreProposalError) -> (Job, name: String) {
        var jobs = pipeline.jobs.filter { $0.kind == .snapshot }
        if let job {
            guard let named = jobs.first(where: { $0.name.text == job }) else {
                throw .unknownJob(job, file: file, jobs.map(\.name))
            }
            jobs = [named]
        }
        // Splits bytes, as the decoding of an id does.
        var parts = picture.utf8.split(separator: UInt8(ascii: "/")).map { String($0) ?? "" }
        let ofCell = jobs.filter { $0.cells.contains { $0.id.text == parts.first } }
        if !ofCell.isEmpty, parts.count > 2 {
            jobs = ofCell
            parts.removeFirst()
        }
        guard parts.count > 1, let name = parts.popLast(),
            let id = try? SnapshotID(
                cell: .host,
                suite: parts.joined(separator: "/"),
                name: name
            )
        else { throw .noName(picture) }
        let compared = jobs.filter { $0.judge == .farm }
        guard let only = compared.first else {
            throw jobs.isEmpty ? .noJob(file: file) : .otherJudge(jobs[0].name)
        }
        guard compared.count == 1 else {
            throw .severalJobs("\(id.suite)/\(id.name)", compared.map(\.name))
        }
        return (only, "\(id.suite)/\(id.name)")
    }
}

/// The reason why the job of a picture is not known.
private enum IgnoreProposalError: ExplainedError {
    case noName(String)
    case unknownJob(String, file: String, [JobName])
    case severalJobs(String, [JobName])
    case noJob(file: String)
    case otherJudge(JobName)

    var code: String { "ignore-no-picture" }
    var exit: ExitCode {
        switch self {
        case .noName, .unknownJob, .severalJobs: .usage
        case .noJob, .otherJudge: .invalidInput
        }
    }
    var message: String {
        switch self {
        case .noName(let text):
            "\(String(text.prefix(80)).debugDescription) is no picture's name."
        case .unknownJob(let job, let file, _):
            "\(file) has no snapshot job \(String(job.prefix(80)).debugDescription)."
        case .severalJobs(let picture, let jobs):
            "\(Amount.count(jobs.count, "job")) may have the picture \(picture)."
        case .noJob(let file): "\(file) has no snapshot job."
        case .otherJudge(let job):
            "the job \(job) leaves the comparison to its framework (`judge: framework`), so snapfarm "
                + "cannot ignore a region there."
        }
    }
    var remedy: String {
        switch self {
        case .noName:
            "Write SUITE/NAME, or the id CELL/SUITE/NAME, as the page and summary.json have it."
        case .unknownJob(_, _, let jobs):
            jobs.isEmpty
                ? "Name another pipeline file with --pipeline."
                : "It has \(Self.list(jobs))."
        case .severalJobs(_, let jobs): "Add --job with one of them: \(Self.list(jobs))."
        case .noJob: "Name another pipeline file with --pipeline."
        case .otherJudge: "Ignore it in the test, or let snapfarm compare: `judge: farm`."
        }
    }

    private static func list(_ jobs: [JobName]) -> String {
        jobs.prefix(10).map(\.text).joined(separator: ", ") + (jobs.count > 10 ? ", …" : "")
    }
}
