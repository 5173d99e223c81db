// One side of a comparison: files below a folder, the captures of a run, or the references of a
// pin. Pictures have one form of path on both sides, `<cell>/<suite>/<name>.png` where cells are
// known.
import FarmArtifacts
import FarmCore
import FarmReports
import Foundation

/// The pictures of one side of a comparison.
struct ComparedSide: Sendable {
    /// A way to read a picture by its path.
    enum Source: Sendable {
        /// Files below a folder; an empty folder means that the paths stand for themselves.
        case files(below: [UInt8])
        /// Pictures of a run or of a reference store.
        case kept(@Sendable (PathBytes) throws -> Data)
    }

    var source: Source
    /// The name and the kind of the side, for the page.
    var title: SideTitle
    /// The paths of all pictures, sorted by bytes; `nil` for a folder, which is walked while its
    /// pictures are compared.
    var paths: [PathBytes]?
    /// An identity of each picture's bytes that is known without reading them: the Git id of a
    /// reference, the digest of a run's capture.
    var identities: [PathBytes: String] = [:]
    /// The rows of the cells that the paths begin with; empty if the paths have none.
    var cells: [CellSummary] = []
    /// The pin of the side's references, with their store; `nil` for other sides.
    var references: PinnedReferences?

    /// The path of the folder, or `nil` for a side that is no folder.
    var folder: PathBytes? {
        guard case .files(let folder) = source, paths == nil, !folder.isEmpty else { return nil }
        return PathBytes(folder)
    }

    /// Returns the side with the paths of all its pictures; a folder is walked now, but for one.
    func listed(but written: FolderIdentity?) throws -> ComparedSide {
        guard let folder else { return self }
        // Walked beside itself, a folder has each picture on both sides.
        var walk = try FolderPairs(a: folder, b: folder, differences: written)
        var found: [PathBytes] = []
        while case .item(let item) = walk.next(waiting: true) {
            if case .broken(let problem) = item.kind { throw UnlistedFolder(problem: problem) }
            guard found.count < FarmLimits.comparedNamesMax else {
                throw FolderError(path: folder, reason: "it holds too many pictures")
            }
            found.append(item.pair.b)
        }
        var side = self
        side.paths = found.sorted()
        return side
    }
}

extension ComparedSide {
    /// Makes the side of a single file.
    init(file: PathBytes) {
        self.init(
            source: .files(below: []),
            title: SideTitle(name: file.text, kind: .file)
        )
    }
}

/// The error of a folder below a compared folder that cannot be listed.
private struct UnlistedFolder: ExplainedError {
    let problem: Problem

    var code: String { problem.code }
    var message: String { problem.message }
    var remedy: String { problem.remedy }
    var exit: ExitCode { .invalidInput }
}

extension ComparedSide.Source {
    /// Reads a picture into a buffer, in place of the previous one.
    func read(_ path: PathBytes, into buffer: inout FileBuffer) throws {
        switch self {
        case .files(let folder): try buffer.read(folder, path)
        case .kept(let read): buffer.take(try read(path))
        }
    }

    /// Reads enough of a picture for its width and height.
    func readHead(_ path: PathBytes, into buffer: inout FileBuffer) throws {
        switch self {
        case .files(let folder): try buffer.readHead(folder, path)
        case .kept(let read): buffer.take(try read(path))
        }
    }

    /// Returns the path of a picture for messages.
    func shown(_ path: PathBytes) -> String {
        guard case .files(let folder) = self else { return path.shown }
        return PathBytes(folder).appending(path.bytes).shown
    }
}

/// The pairs of two sides whose pictures are known by path.
///
/// A pair with one identity is equal, and neither of its pictures is read.
struct ListedSides: PairSource {
    private let matched: [(name: [UInt8], found: FoundIn)]
    private let left: [PathBytes: String]
    private let right: [PathBytes: String]
    private var given = 0

    /// Matches the pictures of two sides by path.
    ///
    /// Two identities of different kinds are different texts, which only means that the pair is
    /// read.
    init(_ left: ComparedSide, _ right: ComparedSide) {
        matched = FolderMatch.names(
            (left.paths ?? []).map(\.bytes),
            (right.paths ?? []).map(\.bytes)
        )
        self.left = left.identities
        self.right = right.identities
    }

    var share: Double? { matched.isEmpty ? 1 : Double(given) / Double(matched.count) }

    mutating func next(waiting: Bool) -> SourceStep {
        guard given < matched.count else { return .end }
        let (name, found) = matched[given]
        given += 1
        let path = PathBytes(name)
        let pair = PicturePair(number: given, a: path, b: path)
        switch found {
        case .onlyA: return .item(CompareItem(pair: pair, kind: .removed))
        case .onlyB: return .item(CompareItem(pair: pair, kind: .added))
        case .both:
            let isOne = left[path].map { $0 == right[path] } ?? false
            return .item(CompareItem(pair: pair, kind: isOne ? .equal : .pair))
        }
    }
}
