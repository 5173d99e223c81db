// Finds the pictures of a lease: in the contract's folders, in the folders of the job's frameworks
// by their profiles, and by the job's own glob. Each file is taken once, by the first of these that
// recognises it.
import FarmCore
import FarmPipeline
import Foundation

/// A picture that was found, with the test case that its sidecar names, if any.
struct FoundCapture: Hashable, Sendable {
    var file: CapturedFile
    var test: TestID?
}

/// A file beside pictures that is not compared, with the suite and name that a picture in its place
/// would have.
struct FoundUnread: Hashable, Sendable {
    var suite: String
    var name: String
    /// The absolute path, inside the lease's folder.
    var path: String
    var file: UnreadFile
}

/// The pictures and other files found in a lease's folder.
struct FoundPictures: Sendable {
    var captures: [FoundCapture] = []
    var differences: [FrameworkDifference] = []
    var unread: [FoundUnread] = []
    /// The problems of sidecars that cannot be read.
    var problems: [Problem] = []
}

/// Collects the pictures of one lease; reports each file once, however often it is called.
struct LeasePictures {
    private let shard: Shard
    private let folders: LeaseFolders
    private let glob: (pattern: Glob, prefix: String)?
    private var taken: Set<String> = []

    init(_ shard: Shard, _ folders: LeaseFolders, glob: String?) {
        self.shard = shard
        self.folders = folders
        self.glob = glob.map { (Glob($0, mode: .path), Self.fixedPrefix(of: $0)) }
    }

    /// Returns the pictures made since the last call; none for a unit job.
    mutating func collect() throws -> FoundPictures {
        guard shard.job.kind == .snapshot else { return FoundPictures() }
        var found = FoundPictures()
        try takeFromSources()
        let listing = try LeaseListing(of: folders.lease)
        var fresh = listing.files.filter { !taken.contains($0) }
        setAsideReferences(fresh)
        fresh.removeAll { taken.contains($0) }
        collectCaptureFolder(fresh, of: listing.files, into: &found)
        collectFrameworks(fresh, listing.links, into: &found)
        if let glob { collectGlob(glob, fresh, into: &found) }
        collectUnread(fresh, listing, into: &found)
        guard found.captures.count <= FarmLimits.capturesPerLeaseMax else {
            throw DriverError.tooManyPictures(folder: folders.lease)
        }
        return found
    }

    /// Moves files that a recording framework wrote beside the sources into the folder of the test
    /// that made them.
    ///
    /// All tests of the lease share the folders beside the sources.
    private func takeFromSources() throws {
        guard CleanEnvironment.records(shard) else { return }
        for path in try LeaseListing(of: folders.besideSources).files where isWritten(path) {
            let target = "\(folders.lease)/tree/\(path)"
            do {
                try FileManager.default.createDirectory(
                    atPath: splitPath(target).folder,
                    withIntermediateDirectories: true
                )
                try? FileManager.default.removeItem(atPath: target)
                try FileManager.default.moveItem(
                    atPath: "\(folders.besideSources)/\(path)",
                    toPath: target
                )
            } catch {
                throw DriverError.fileUnwritable(path: target, reason: error.inWords)
            }
        }
    }

    /// Whether a test wrote a file in the folders beside the sources: the tree's own files there
    /// are no PNG and keep their date.
    private func isWritten(_ path: String) -> Bool {
        guard !path.hasSuffix(".png") else { return true }
        let file = "\(folders.besideSources)/\(path)"
        let date = try? FileManager.default.attributesOfItem(atPath: file)[.modificationDate]
        return date as? Date != TreeJournal.copyDate
    }

    /// Removes files, by their absolute paths, whose tests run again and make them anew.
    ///
    /// A file that stayed would count as a picture of the next test.
    mutating func giveBack(_ files: [String]) {
        for file in files {
            guard let path = file.path(below: folders.lease) else { continue }
            taken.remove(path)
            try? FileManager.default.removeItem(atPath: file)
        }
    }

    /// Collects `SNAPFARM_CAPTURE_DIR/<suite>/<name>.png`, with an optional `<name>.json` and
    /// `<name>.elements.json` beside it, and texts.
    ///
    /// `all` are the files of the lease: a picture that was collected before still has its sidecar.
    private mutating func collectCaptureFolder(
        _ fresh: [String],
        of all: [String],
        into found: inout FoundPictures
    ) {
        let stems = Set(all.compactMap(\.pictureStem))
        for (path, inside) in below(folders.captures, fresh) {
            let (suite, file) = splitPath(inside)
            guard let name = SnapshotFile.name(of: file), !path.isBeside(stems) else { continue }
            var capture = FoundCapture(
                file: CapturedFile(suite: suite, name: name, path: "\(folders.lease)/\(path)")
            )
            guard path.withoutPNG != nil else {
                found.captures.append(capture)
                taken.insert(path)
                continue
            }
            let sidecar = "\(folders.lease)/\(path.dropLast(4)).json"
            switch Sidecar.read(sidecar) {
            case .absent: break
            case .read(let sidecar):
                capture.test = sidecar.test.map { TestID($0) }
                capture.file.identifier = sidecar.identifier
            case .broken(let problem): found.problems.append(problem)
            }
            let elements = path.dropLast(4) + CapturedFile.elementsEnding
            if isRegularFile("\(folders.lease)/\(elements)") {
                capture.file.elements = "\(folders.lease)/\(elements)"
                taken.insert(String(elements))
            }
            found.captures.append(capture)
            taken.insert(path)
        }
    }

    private mutating func collectFrameworks(
        _ fresh: [String],
        _ links: [String: String],
        into found: inout FoundPictures
    ) {
        let records = CleanEnvironment.records(shard)
        let places = FrameworkCatalog.profiles(of: shard.job).flatMap(\.pictures)
        for place in places where place.isRead(records: records) {
            for folder in place.folders.map(folders.places.filled) {
                let files = below(folder, fresh).filter { !taken.contains($0.path) }
                let texts = records ? files.filter { SnapshotFile.isText($0.inside) } : []
                // The patterns of profiles end in `.png`: a text is read as `greeting.txt.png`.
                let read = place.read(
                    (files.map(\.inside) + texts.map { $0.inside + ".png" }).sorted()
                )
                let absolute = Dictionary(
                    files.map { ($0.inside, $0.path) }
                        + texts.map { ($0.inside + ".png", $0.path) }
                ) { first, _ in first }
                for path in read.taken { if let path = absolute[path] { taken.insert(path) } }
                found.captures += read.captures.compactMap { capture in
                    absolute[capture.path].map {
                        FoundCapture(file: capture.found(at: "\(folders.lease)/\($0)"))
                    }
                }
                found.differences += read.differences.map {
                    var difference = $0.below(folder)
                    if let expected = $0.failed.flatMap({ read.expected[$0] }) {
                        difference.reference = linked(expected, below: folder, links)
                    }
                    return difference
                }
            }
        }
    }

    /// Returns the target of a link in the lease, or `nil` if the path is no link.
    ///
    /// matplotlib links its expected pictures, which lie beside the tests.
    private func linked(
        _ path: String,
        below folder: String,
        _ links: [String: String]
    ) -> String? {
        "\(folder)/\(path)".path(below: folders.lease).flatMap { links[$0] }
    }

    /// Excludes the references that lie in the lease for the framework: they are no captures.
    private mutating func setAsideReferences(_ fresh: [String]) {
        guard let references = shard.job.framework?.references, references.layout == .lease,
            !CleanEnvironment.records(shard)
        else { return }
        for file in below(folders.places.filled(references.folder), fresh) {
            taken.insert(file.path)
        }
    }

    private mutating func collectGlob(
        _ glob: (pattern: Glob, prefix: String),
        _ fresh: [String],
        into found: inout FoundPictures
    ) {
        for path in fresh where !taken.contains(path) && glob.pattern.matches(path) {
            let (suite, file) = splitPath(String(path.dropFirst(glob.prefix.count)))
            found.captures.append(
                FoundCapture(
                    file: CapturedFile(
                        suite: suite,
                        name: SnapshotFile.name(of: file) ?? file,
                        path: "\(folders.lease)/\(path)"
                    )
                )
            )
            taken.insert(path)
        }
    }

    /// Collects the files in the folders of captures that are no captures.
    ///
    /// Collects none if the framework judges: it compares its files itself, so none of them is
    /// read.
    private mutating func collectUnread(
        _ fresh: [String],
        _ listing: LeaseListing,
        into found: inout FoundPictures
    ) {
        guard CleanEnvironment.records(shard) else { return }
        let places = FrameworkCatalog.profiles(of: shard.job).flatMap(\.pictures)
        let filled = places.filter { $0.isRead(records: true) && $0.paths[.capture] != nil }
            .flatMap(\.folders).map(folders.places.filled).filter { $0 != folders.lease }
        let links = (Array(listing.links.keys) + listing.otherLinks).sorted()
        let sidecars = Set(listing.files.compactMap(\.sidecar))
        for folder in [folders.captures] + filled {
            for (path, inside) in below(folder, links) where taken.insert(path).inserted {
                found.unread.append(unread(path, inside, .link))
            }
            for (path, inside) in below(folder, fresh) where !taken.contains(path) {
                guard let kind = UnreadFile.kind(ofFile: splitPath(inside).name),
                    !sidecars.contains(path)
                else { continue }
                taken.insert(path)
                found.unread.append(unread(path, inside, kind))
            }
        }
    }

    private func unread(_ path: String, _ inside: String, _ kind: UnreadFile.Kind) -> FoundUnread {
        let (folder, file) = splitPath(inside)
        // A framework's folders may lie deep in a tree; the last is the suite.
        return FoundUnread(
            suite: splitPath(folder).name,
            name: file,
            path: "\(folders.lease)/\(path)",
            file: UnreadFile(path: inside, kind: kind)
        )
    }

    /// Returns the files below an absolute folder of the lease, each by its path relative to the
    /// lease and its path relative to that folder.
    private func below(_ folder: String, _ files: [String]) -> [(path: String, inside: String)] {
        if folder == folders.lease { return files.map { ($0, $0) } }
        guard let inner = folder.path(below: folders.lease) else { return [] }
        return files.compactMap { path in path.path(below: inner).map { (path, $0) } }
    }

    /// Returns the folders of a glob before its first wildcard, with the final slash, or an empty
    /// text.
    static func fixedPrefix(of glob: String) -> String {
        let literal = glob.prefix { $0 != "*" && $0 != "?" }
        guard let slash = literal.lastIndex(of: "/") else { return "" }
        return String(literal[...slash])
    }
}

/// The file that may lie beside a capture: `{test, identifier, metadata}`.
struct Sidecar: Decodable {
    private static let bytesMax = 64 << 10

    var test: String?
    var identifier: String?

    enum Reading {
        case absent
        case read(Sidecar)
        case broken(Problem)
    }

    static func read(_ path: String) -> Reading {
        guard isRegularFile(path), let file = FileHandle(forReadingAtPath: path) else {
            return .absent
        }
        defer { try? file.close() }
        guard let bytes = try? file.read(upToCount: bytesMax + 1), bytes.count <= bytesMax,
            var sidecar = try? JSONDecoder().decode(Sidecar.self, from: bytes)
        else { return .broken(.sidecarInvalid(path: path)) }
        sidecar.test = sidecar.test?.precomposedStringWithCanonicalMapping
        return .read(sidecar)
    }
}

extension String {
    /// The path of a picture without its ending, or `nil` if the file is not meant as one.
    fileprivate var pictureStem: String? {
        if let stem = withoutPNG { return stem }
        let isPicture = UnreadFile.kind(ofFile: splitPath(self).name) == .otherPicture
        guard isPicture, !SnapshotFile.isText(self), let dot = lastIndex(of: ".") else {
            return nil
        }
        return String(self[..<dot])
    }

    /// Whether the file belongs to a picture: `stems` are the pictures' paths without endings.
    fileprivate func isBeside(_ stems: Set<String>) -> Bool {
        [CapturedFile.elementsEnding, ".json"].contains { ending in
            hasSuffix(ending) && stems.contains(String(dropLast(ending.count)))
        }
    }

    /// The path of a picture's sidecar, or `nil` for a file that may be a sidecar itself.
    fileprivate var sidecar: String? {
        let (folder, name) = splitPath(self)
        guard !name.hasSuffix(".json"), let dot = name.lastIndex(of: ".") else { return nil }
        return (folder.isEmpty ? "" : folder + "/") + name[..<dot] + ".json"
    }
}

extension CapturedFile {
    /// Returns the file at its absolute path, with the name of a snapshot for the name that a
    /// pattern read.
    fileprivate func found(at path: String) -> CapturedFile {
        let isPicture = path.withoutPNG != nil
        return CapturedFile(
            suite: suite,
            name: isPicture ? SnapshotFile.name(of: name + ".png") ?? name : name,
            path: path,
            identifier: identifier
        )
    }
}

extension FrameworkDifference {
    fileprivate func below(_ folder: String) -> FrameworkDifference {
        FrameworkDifference(
            suite: suite,
            name: name,
            reference: reference.map { "\(folder)/\($0)" },
            failed: failed.map { "\(folder)/\($0)" },
            diff: diff.map { "\(folder)/\($0)" }
        )
    }
}
