// The places of all objects in a store, from the indexes of its packs and the names of its loose
// files. The packs themselves are not read.
import FarmCore
import Foundation

/// The objects of one `objects` folder, without those of alternates.
package struct ObjectTable {
    package struct Pack {
        /// The path of the pack without the extension `.pack`.
        package var base: String
        /// The size of the `.pack` file in bytes.
        package var bytes: Int
        /// The entries of the pack, sorted by offset.
        package var entries: [PackedEntry]
        /// Whether a `.keep` file forbids changing the pack.
        package var isKept: Bool

        package func bytes(of entry: Int) -> Int {
            let next =
                entry + 1 < entries.count
                ? entries[entry + 1].offset : bytes - PackFormat.tailBytes
            return next - entries[entry].offset
        }

        /// Returns the object whose entry starts at an offset, or `nil` if none does.
        package func key(at offset: Int) -> ObjectKey? {
            var low = 0
            var high = entries.count
            while low < high {
                let middle = (low + high) / 2
                if entries[middle].offset < offset { low = middle + 1 } else { high = middle }
            }
            guard low < entries.count, entries[low].offset == offset else { return nil }
            return entries[low].key
        }
    }

    /// The place of one copy of an object.
    package struct Place: Comparable {
        /// The index of the pack, or `loose` for a loose file.
        package var pack: Int
        package var entry: Int
        package static let loose = Int.max

        package static func < (left: Place, right: Place) -> Bool {
            (left.pack, left.entry) < (right.pack, right.entry)
        }
    }

    /// The path of the `objects` folder.
    package let folder: String
    /// The packs: those with a `.keep` first, then by size, largest first.
    package private(set) var packs: [Pack] = []
    /// The sizes of the loose objects' files, in bytes.
    package private(set) var loose: [ObjectKey: Int] = [:]
    /// The place of the first copy of each object; a copy in a pack goes before a loose one.
    package private(set) var places: [ObjectKey: Place] = [:]

    package init(store: String) throws {
        folder = store + "/objects"
        try readPacks()
        try readLoose()
        for (pack, value) in packs.enumerated() {
            for (entry, item) in value.entries.enumerated() where places[item.key] == nil {
                places[item.key] = Place(pack: pack, entry: entry)
            }
        }
        for (index, key) in loose.keys.sorted().enumerated() where places[key] == nil {
            places[key] = Place(pack: Place.loose, entry: index)
        }
    }

    private mutating func readPacks() throws {
        let packFolder = folder + "/pack"
        let names = Set(try RepositoryFiles.names(in: packFolder))
        for name in names where name.hasPrefix("pack-") && name.hasSuffix(".idx") {
            let base = String(name.dropLast(4))
            let path = packFolder + "/" + base
            guard names.contains(base + ".pack"),
                let status = RepositoryFiles.status(path + ".pack")
            else {
                continue
            }
            packs.append(
                Pack(
                    base: path,
                    bytes: status.bytes,
                    entries: try PackIndex.read(path + ".idx", packBytes: status.bytes),
                    isKept: names.contains(base + ".keep")
                )
            )
        }
        packs.sort { left, right in
            if left.isKept != right.isKept { return left.isKept }
            return (left.bytes, right.base) > (right.bytes, left.base)
        }
    }

    private mutating func readLoose() throws {
        for fan in try RepositoryFiles.names(in: folder) where fan.utf8.count == 2 {
            for name in try RepositoryFiles.names(in: "\(folder)/\(fan)") {
                guard let object = ObjectID(fan + name),
                    let status = RepositoryFiles.status("\(folder)/\(fan)/\(name)")
                else { continue }
                loose[ObjectKey(object)] = status.bytes
            }
        }
    }

    package func loosePath(_ key: ObjectKey) -> String {
        let hex = key.object.hex
        return "\(folder)/\(hex.prefix(2))/\(hex.dropFirst(2))"
    }

    /// The size of an object's first copy on the disk in bytes, or `nil` if the object is not here.
    package func bytes(of key: ObjectKey) -> Int? {
        guard let place = places[key] else { return nil }
        guard place.pack != Place.loose else { return loose[key] }
        return packs[place.pack].bytes(of: place.entry)
    }

    /// The size of all packs and loose objects in bytes.
    package var totalBytes: Int {
        packs.reduce(0) { $0 + $1.bytes } + loose.values.reduce(0, +)
    }
}
