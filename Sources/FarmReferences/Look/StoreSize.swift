// `refs size`: the size of the pictures by cell, by suite and by age. Sizes are those of the
// pictures; the store's packs are as large, because it keeps pictures uncompressed.
//
// A picture that two cells share counts in each of them but only once in the sums, so parts may
// add up to more than the whole.
import FarmCore
import FarmGit
import Foundation

/// The number of distinct pictures and their size in bytes.
package struct PictureBytes: Sendable, Hashable, Codable {
    package var pictures = 0
    package var bytes = 0

    mutating func add(_ count: Int) {
        pictures += 1
        bytes += count
    }
}

/// The sizes of a store's pictures.
package struct StoreSize: Sendable, Hashable, Codable {
    /// The size of the pictures of one cell or suite.
    package struct Part: Sendable, Hashable, Codable {
        /// The name `<cell>` or `<cell>/<folder>`.
        package var name: String
        /// The size of the pictures that the caller's pins name.
        package var live = PictureBytes()
        /// The size of the pictures of all sets.
        package var total = PictureBytes()
    }

    /// The size of the pictures that first appeared in one set.
    package struct Age: Sendable, Hashable, Codable {
        package var set: ObjectID
        /// The time of the set's journal entry, in seconds since 1970, or `nil` if it has no entry.
        package var seconds: Int64?
        package var title: String
        package var live = PictureBytes()
        package var total = PictureBytes()
    }

    package internal(set) var live = PictureBytes()
    package internal(set) var total = PictureBytes()
    /// The sizes of the cells, sorted by name.
    package internal(set) var cells: [Part] = []
    /// The sizes of the suites, sorted by name.
    package internal(set) var suites: [Part] = []
    /// The sets that added pictures, oldest first; sets without a journal entry come last.
    package internal(set) var ages: [Age] = []
    /// The number of pictures whose bytes are not in this store.
    package internal(set) var absent = 0
    /// The size of all files in the store's folder, in bytes.
    package internal(set) var diskBytes = 0

    /// The sizes as lines for a terminal, with tabs between columns.
    package var lines: [String] {
        func row(_ live: PictureBytes, _ total: PictureBytes, _ name: String) -> String {
            "\(live.bytes)\t\(total.bytes)\t\(live.pictures)\t\(total.pictures)\t\(name)"
        }
        var lines = ["live bytes\tall bytes\tlive\tall\twhat", row(live, total, "store")]
        lines += cells.map { row($0.live, $0.total, $0.name) }
        lines += suites.map { row($0.live, $0.total, $0.name) }
        lines += ages.map { row($0.live, $0.total, "\($0.set.hex.prefix(12)) \($0.title)") }
        lines.append("\(diskBytes) bytes on disk")
        return lines
    }
}

extension ReferenceStore {
    /// Measures all sets; the pictures of `pins` count as live.
    ///
    /// - Throws: `GitError` if a set or a pin is incomplete.
    package func size(live pins: [ReferencePin]) throws -> StoreSize {
        let repository = try openRepository()
        var scale = PictureScale(repository)
        for pin in pins { try scale.markLive(pin) }
        let visible = try repository.sets()
        let listed = Set(visible)
        var dated: [ObjectID: LogEntry] = [:]
        var order: [ObjectID] = []
        for entry in try repository.log(limit: Self.logEntriesMax).reversed() {
            guard let set = entry.set, listed.contains(set), dated[set] == nil else { continue }
            dated[set] = entry
            order.append(set)
        }
        order += visible.filter { dated[$0] == nil }
        for set in order { try scale.weigh(set, entry: dated[set]) }
        var size = scale.finish()
        size.diskBytes = Self.diskBytes(of: path)
        return size
    }

    private static func diskBytes(of folder: String) -> Int {
        let keys: Set<URLResourceKey> = [.fileSizeKey, .isRegularFileKey]
        let url = URL(fileURLWithPath: folder)
        let files = FileManager.default.enumerator(
            at: url,
            includingPropertiesForKeys: Array(keys)
        )
        var bytes = 0
        while let file = files?.nextObject() as? URL {
            bytes += (try? file.resourceValues(forKeys: keys))?.fileSize ?? 0
        }
        return bytes
    }
}

/// Adds up the sizes of sets; counts each subtree at each place once.
private struct PictureScale {
    private let repository: GitRepository
    private var size = StoreSize()
    private var live = LivePictures()
    private var seen = ObjectSet()
    private var subtrees: Set<PlacedTree> = []
    private var cells: [String: WeighedPart] = [:]
    private var suites: [String: WeighedPart] = [:]

    private struct PlacedTree: Hashable {
        let path: SubtreePath
        let tree: ObjectKey
    }

    private struct WeighedPart {
        var part: StoreSize.Part
        var seen = ObjectSet()

        mutating func add(_ object: ObjectID, bytes: Int, live: Bool) {
            guard seen.insert(object) else { return }
            part.total.add(bytes)
            if live { part.live.add(bytes) }
        }
    }

    /// The live pictures, of the whole store and by place (a cell or a suite).
    private struct LivePictures {
        var anywhere: Set<ObjectKey> = []
        var byPlace: [String: Set<ObjectKey>] = [:]
    }

    init(_ repository: GitRepository) { self.repository = repository }

    mutating func markLive(_ pin: ReferencePin) throws {
        for (path, subtree) in pin.entries {
            for object in try repository.files(of: path, in: subtree) {
                let key = ObjectKey(object)
                live.anywhere.insert(key)
                live.byPlace[path.cell.text, default: []].insert(key)
                live.byPlace[path.text, default: []].insert(key)
            }
        }
    }

    mutating func weigh(_ set: ObjectID, entry: LogEntry?) throws {
        var age = StoreSize.Age(set: set, seconds: entry?.seconds, title: entry?.title ?? "")
        for (path, subtree) in try repository.pin(ofSet: set).entries {
            let placed = PlacedTree(path: path, tree: ObjectKey(subtree))
            guard subtrees.insert(placed).inserted else { continue }
            for object in try repository.files(of: path, in: subtree) {
                let bytes = try repository.header(of: object)?.bytes
                add(object, bytes ?? 0, at: path.cell.text, to: &cells)
                add(object, bytes ?? 0, at: path.text, to: &suites)
                guard seen.insert(object) else { continue }
                if bytes == nil { size.absent += 1 }
                age.total.add(bytes ?? 0)
                size.total.add(bytes ?? 0)
                guard live.anywhere.contains(ObjectKey(object)) else { continue }
                age.live.add(bytes ?? 0)
                size.live.add(bytes ?? 0)
            }
        }
        if age.total.pictures > 0 { size.ages.append(age) }
    }

    private func add(
        _ object: ObjectID,
        _ bytes: Int,
        at place: String,
        to parts: inout [String: WeighedPart]
    ) {
        parts[place, default: WeighedPart(part: StoreSize.Part(name: place))].add(
            object,
            bytes: bytes,
            live: live.byPlace[place]?.contains(ObjectKey(object)) ?? false
        )
    }

    func finish() -> StoreSize {
        func sorted(_ parts: [String: WeighedPart]) -> [StoreSize.Part] {
            parts.values.map(\.part).sorted {
                $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
            }
        }
        var size = size
        size.cells = sorted(cells)
        size.suites = sorted(suites)
        return size
    }
}

extension GitRepository {
    /// Returns the pictures, alternates and companions below one subtree of a pin.
    fileprivate func files(of path: SubtreePath, in subtree: ObjectID) throws -> [ObjectID] {
        try contents(of: path, in: subtree).objects
    }
}
