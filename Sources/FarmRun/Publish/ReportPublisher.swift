// Publishes a report: its files, its facts and the index of the place. Two machines may publish at
// the same time: each writes its facts first, then an index of all facts, and writes the index again
// if new facts came meanwhile. So the last index has both.
import FarmArtifacts
import FarmCore
import FarmDrivers
import FarmReports
import Foundation
import Synchronization

/// Publishes reports at one place.
struct ReportPublisher: Sendable {
    private enum Way: Sendable {
        case place(any ReportPlace)
        case command(String, address: String?)
    }

    private let way: Way
    private let environment: [String: String]
    /// The folder of the pipeline file.
    private let workTree: String
    private let notice: ReportNotice?

    /// The folder of the reports' facts below a place.
    private static let facts = "facts"
    /// The most times that an index is written in one publication.
    private static let roundsMax = 5

    /// Creates the publisher of a destination; relative paths start at `workTree`.
    ///
    /// - Throws: `PublishError` if the environment lacks the keys of the bucket.
    init(
        _ destination: ReportDestination,
        workTree: String,
        environment: [String: String]
    ) throws {
        self.environment = environment
        self.workTree = workTree
        notice = try ReportNotice(destination.notify, environment)
        switch destination.place {
        case .command(let command):
            way = .command(command, address: destination.address)
        case .folder(let path):
            let absolute = path.hasPrefix("/") ? path : "\(workTree)/\(path)"
            let url = URL(fileURLWithPath: absolute, isDirectory: false).absoluteString
            way = .place(FolderReports(path: absolute, address: destination.address ?? url))
        case .bucket(let name, let prefix):
            let client = try Self.client(destination, name, prefix, environment)
            let folder = BucketFolder(client)
            way = .place(
                BucketReports(folder: folder, address: destination.address ?? folder.address)
            )
        }
    }

    private static func client(
        _ destination: ReportDestination,
        _ name: String,
        _ prefix: String,
        _ environment: [String: String]
    ) throws -> BucketClient {
        func variable(_ names: String...) -> String? {
            names.compactMap { environment[$0] }.first { !$0.isEmpty }
        }
        guard let access = variable("AWS_ACCESS_KEY_ID"),
            let secret = variable("AWS_SECRET_ACCESS_KEY")
        else { throw PublishError.noKeys(bucket: name) }
        let region = destination.region ?? variable("AWS_REGION", "AWS_DEFAULT_REGION")
        let own = destination.endpoint ?? variable("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")
        var settings = BucketSettings(
            endpoint: own ?? "https://s3.\(region ?? "us-east-1").amazonaws.com",
            bucket: name,
            prefix: prefix,
            isPathStyle: own != nil,
            accessKey: "AWS_ACCESS_KEY_ID",
            secretKey: "AWS_SECRET_ACCESS_KEY"
        )
        if let region { settings.region = region }
        return BucketClient(
            settings,
            accessKey: access,
            secretKey: secret,
            sessionToken: variable("AWS_SESSION_TOKEN"),
            now: { Int64(Date().timeIntervalSince1970 * 1000) }
        )
    }

    // MARK: one report

    /// Publishes the files of a folder as a report, and returns the report's address; `nil` if the
    /// command of the place does not say it.
    ///
    /// - Throws: `PublishError`, `BucketError`, and errors of the disk.
    func publish(_ report: PublishedReport, folder: String) async throws -> String? {
        let address: String?
        switch way {
        case .place(let place):
            let files = try Self.files(in: folder)
            try await place.put(files, into: report.name)
            try await Self.list(report, at: place)
            address = "\(place.address)/\(report.name)/\(HTMLReport.zipName)"
        case .command(let command, let base):
            let said = try await run(command, report, folder)
            address = said ?? base.map { "\($0)/\(report.name)/\(HTMLReport.zipName)" }
        }
        if let notice { await notice.send(report, address) }
        return address
    }

    /// Returns the files of a folder and of the folders in it; those whose names begin with a dot
    /// are not published.
    private static func files(in folder: String) throws -> [ReportFile] {
        guard let walk = FileManager.default.enumerator(atPath: folder) else {
            throw PublishError.noFiles(folder)
        }
        var files: [ReportFile] = []
        for case let name as String in walk {
            let isHidden = name.split(separator: "/").contains { $0.hasPrefix(".") }
            guard !isHidden, walk.fileAttributes?[.type] as? FileAttributeType == .typeRegular
            else { continue }
            files.append(ReportFile(name: name, path: "\(folder)/\(name)"))
            guard files.count <= FarmLimits.reportFilesMax else {
                throw PublishError.tooManyFiles(folder)
            }
        }
        guard files.contains(where: { $0.name == HTMLReport.zipName }) else {
            throw PublishError.noFiles(folder)
        }
        // The page comes last, so that an interrupted upload leaves no page with dead pictures.
        return files.filter { $0.name != HTMLReport.zipName }
            + files.filter { $0.name == HTMLReport.zipName }
    }

    // MARK: the index

    /// Writes the facts of a report, and an index that has it.
    static func list(_ report: PublishedReport, at place: any ReportPlace) async throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let name = report.factsFile
        try await place.put(encoder.encode(report), as: "\(facts)/\(name)")
        var written: Set<String> = []
        for _ in 0..<roundsMax {
            let names = Set(try await place.names(in: facts))
            guard !names.isSubset(of: written) else { return }
            written = names
            let page = try await place.read(ReportIndex.name)
            let known = page.map { ReportIndex(page: $0).reports } ?? [:]
            var reports = known.filter { names.contains($0.key) }
            reports[name] = report
            for missing in missing(names, in: reports) {
                guard let bytes = try await place.read("\(facts)/\(missing)"),
                    let other = try? JSONDecoder().decode(PublishedReport.self, from: bytes)
                else { continue }
                reports[missing] = other
            }
            let index = ReportIndex(reports).render()
            try await place.put(Data(index.utf8), as: ReportIndex.name)
        }
    }

    /// Returns the files of facts that the index lacks and that are new enough for it.
    private static func missing(
        _ names: Set<String>,
        in reports: [String: PublishedReport]
    ) -> [String] {
        names.sorted(by: >).prefix(ReportIndex.reportsMax).filter { reports[$0] == nil }
    }

    // MARK: a command

    /// Runs the command of the place; returns the URL in its last line, or `nil`.
    private func run(
        _ command: String,
        _ report: PublishedReport,
        _ folder: String
    ) async throws -> String? {
        var environment = environment
        for name in OwnEnvironment.secrets { environment[name] = nil }
        environment["SNAPFARM_REPORT"] = folder
        environment["SNAPFARM_REPORT_NAME"] = report.name
        var child = ChildProcess(
            executable: "/bin/sh",
            arguments: ["-c", command],
            environment: environment,
            folder: workTree
        )
        child.timeLimitSeconds = FarmLimits.publishCommandSeconds
        child.outputBytesMax = FarmLimits.smallMessageBytesMax
        let printed = Mutex<[ChildStream: [UInt8]]>([:])
        let ending = try await child.run { stream, bytes in
            printed.withLock { $0[stream, default: []] += bytes }
        }
        let texts = printed.withLock { $0.mapValues { String(decoding: $0, as: UTF8.self) } }
        let said = texts[.standardOutput] ?? ""
        guard case .exited(0) = ending else {
            Console.say(said + (texts[.standardError] ?? ""))
            throw PublishError.command(command, ending: Self.words(ending))
        }
        let last = said.split(whereSeparator: \.isNewline).last.map { String($0).trimmingSpaces() }
        return last.flatMap { line in
            ["https://", "http://"].contains(where: line.hasPrefix) ? line : nil
        }
    }

    private static func words(_ ending: ChildEnding) -> String {
        switch ending {
        case .exited(let status): "ended with status \(status)"
        case .signalled(let signal): "was ended by signal \(signal)"
        case .timedOut: "did not end within \(Int(FarmLimits.publishCommandSeconds)) s"
        case .flooded: "printed too much"
        }
    }
}
