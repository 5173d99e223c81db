// The files that the tests of one job read: those that the job names, or the built products with the
// package around them.
import FarmCore
import FarmDrivers
import FarmFiles
import FarmPipeline
import Foundation

/// Reads the files that the tests of a job can read.
struct JobFiles: Sendable {
    let planned: PlannedJob
    /// The absolute path of the pipeline file's folder.
    let workTree: String
    /// The repository's inputs, for the paths that are none.
    let repository: RunInputs

    /// The reason why the inputs of a job are not known.
    enum Unknown: Error, Hashable {
        case pattern(String)
        case unreadable
        case link(String)

        var words: String {
            switch self {
            case .pattern(let text): "no file matches the pattern \(text) of its inputs."
            case .unreadable: "its inputs cannot be read, or have over 2 GB."
            case .link(let path): "its input \(path) is a link to a file that is no input."
            }
        }
    }

    /// Returns a line for each input, by the input's name.
    func read() async -> Result<[String: String], Unknown> {
        do {
            var lines: [String: String] = [:]
            if let patterns = named { lines = try await files(matching: patterns) }
            guard DriverCatalog.kinds.build(planned.job.driver) else { return .success(lines) }
            if planned.job.inputs == nil, let folder = packageFolder {
                lines.merge(try await package(folder)) { first, _ in first }
            }
            lines.merge(try await products()) { first, _ in first }
            return .success(lines)
        } catch {
            return .failure(error as? Unknown ?? .unreadable)
        }
    }

    /// The patterns of the job's inputs and of its bundle, with the files that its commands name.
    ///
    /// Of a bundle whose files are read one by one, the driver records those that are read.
    private var named: [String]? {
        let bundle = isRecorded ? [] : planned.job.bundle
        let patterns = (planned.job.inputs ?? []) + bundle
        let words = CommandWords.files(of: planned.job.driver, in: workTree)
        return patterns.isEmpty && words.isEmpty ? nil : patterns + words
    }

    private func files(matching patterns: [String]) async throws -> [String: String] {
        let globs = patterns.map { (text: $0, glob: Glob($0, mode: .path)) }
        let own = RunInputs(
            root: workTree,
            own: repository.own,
            pipelineFile: repository.pipelineFile,
            ignored: [],
            environment: repository.environment
        )
        let lines = try await tree(workTree, skipping: own.leavesOut) { path in
            globs.contains { $0.glob.matches(path) }
        }
        for glob in globs where !lines.contains(where: { glob.glob.matches($0.path) }) {
            throw Unknown.pattern(glob.text)
        }
        return try checked(lines, in: workTree)
    }

    /// Whether the driver records the files that each test reads.
    var isRecorded: Bool {
        DriverCatalog.kinds.first { $0.name == planned.job.driver.name }?.inputs == .recorded
    }

    /// The folder of the package that the driver builds, or `nil` if it builds none.
    private var packageFolder: String? {
        guard case .text(let written)? = planned.job.driver.values["package"] else { return nil }
        return written
    }

    /// Returns the files of a package, but for those of its builds and of `pathsIgnore`.
    private func package(_ written: String) async throws -> [String: String] {
        let folder = written.isAbsolutePath ? written : workTree + "/" + written
        let path = URL(fileURLWithPath: folder).standardizedFileURL.path
        let (real, root) = (RunInputs.real(path), RunInputs.real(repository.root))
        let below = real == root ? "" : real.path(below: root)
        let leavesOut = repository.leavesOut
        let lines = try await tree(path) { inner in
            guard let below else { return inner == ".build" }
            return inner == ".build" || leavesOut(below.isEmpty ? inner : "\(below)/\(inner)")
        }
        let name = written == "." ? "" : written + "/"
        let files = try checked(lines, in: path)
        return Dictionary(files.map { (name + $0.key, $0.value) }) { first, _ in first }
    }

    /// Returns the built products, which may be folders.
    private func products() async throws -> [String: String] {
        let products = try DriverCatalog.kinds.products(of: planned, workTree: workTree)
        var lines: [String: String] = [:]
        for path in products.paths {
            let name = (path as NSString).lastPathComponent
            let found = try await tree(path.parentFolder) { inner in
                inner != name && !inner.hasPrefix(name + "/")
            }
            guard !found.isEmpty else { throw Unknown.unreadable }
            lines[name] = found.map(\.line).joined()
        }
        return lines
    }

    private func tree(
        _ folder: String,
        skipping skips: @escaping @Sendable (String) -> Bool,
        taking takes: @escaping @Sendable (String) -> Bool = { _ in true }
    ) async throws -> [(path: String, line: String)] {
        let digest = TreeDigest(of: RunInputs.real(folder), skipping: skips, taking: takes)
        guard let lines = await digest.lines(bytesMax: RunInputs.bytesMax) else {
            throw Unknown.unreadable
        }
        return lines
    }

    /// Returns lines by their paths, if each link leads to one of these files.
    private func checked(
        _ lines: [(path: String, line: String)],
        in folder: String
    ) throws -> [String: String] {
        let files = Set(lines.filter { !$0.line.hasPrefix("link ") }.map(\.path))
        let top = RunInputs.real(folder)
        for link in lines where link.line.hasPrefix("link ") {
            let target = URL(fileURLWithPath: "\(top)/\(link.path)").resolvingSymlinksInPath().path
            guard let inner = target.path(below: top), files.contains(inner) else {
                throw Unknown.link(link.path)
            }
        }
        return Dictionary(lines.map { ($0.path, $0.line) }) { first, _ in first }
    }
}

/// The files that the commands of a job name.
enum CommandWords {
    /// Returns the paths below the work tree of the files that words of the commands name.
    static func files(of driver: DriverSettings, in workTree: String) -> [String] {
        let texts = ["discover", "run"].compactMap { key -> String? in
            guard case .text(let text)? = driver.values[key] else { return nil }
            return text
        }
        let words = texts.flatMap { text in
            text.split { !$0.isLetter && !$0.isNumber && !"._-+@/".contains($0) }.map(String.init)
        }
        let paths = words.compactMap { word -> String? in
            let full = word.isAbsolutePath ? word : workTree + "/" + word
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: full, isDirectory: &isFolder),
                !isFolder.boolValue
            else { return nil }
            let path = URL(fileURLWithPath: full).standardizedFileURL.path
            return path.path(below: URL(fileURLWithPath: workTree).standardizedFileURL.path)
        }
        return Set(paths).sorted()
    }
}
