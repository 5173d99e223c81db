// The pairs of two folders, which are walked side by side. Only the names of the folders on the
// current path are in memory. Each folder gives its pictures first, then its subfolders, both in
// byte order.
import FarmCore
import Foundation

/// The pairs of pictures with the same path in two folders.
struct FolderPairs: PairSource {
    /// A folder on the current path of the walk.
    private struct Level {
        let path: PathBytes
        let pictures: [(name: [UInt8], found: FoundIn)]
        let folders: [(name: [UInt8], found: FoundIn)]
        var given = 0

        var count: Int { pictures.count + folders.count }
    }

    private let a: PathBytes
    private let b: PathBytes
    private let skippedInA: Set<FolderIdentity>
    private let skippedInB: Set<FolderIdentity>
    private var levels: [Level] = []
    private var number = 0
    private(set) var others = OtherNames()

    /// Starts the walk at both folders.
    ///
    /// If one folder lies in the other, its pictures belong to itself only. The walk never enters
    /// `differences`.
    ///
    /// - Throws: `FolderError` if one of the two folders cannot be listed.
    init(a: PathBytes, b: PathBytes, differences: FolderIdentity?) throws(FolderError) {
        self.a = a
        self.b = b
        let (one, other) = (FolderIdentity(path: a.text), FolderIdentity(path: b.text))
        let never = Set([differences].compactMap(\.self))
        skippedInA = one == other ? never : never.union([other].compactMap(\.self))
        skippedInB = one == other ? never : never.union([one].compactMap(\.self))
        levels.append(try level(PathBytes(""), found: .both))
    }

    /// The finished part of the walk, 0...1: exact for one folder; for more, as if all folders of
    /// one level were equally large.
    var share: Double? {
        var share = 0.0
        var width = 1.0
        for level in levels where level.count > 0 {
            width /= Double(level.count)
            share += width * Double(max(0, level.given - 1))
        }
        return share
    }

    mutating func next(waiting: Bool) -> SourceStep {
        while let index = levels.indices.last {
            let given = levels[index].given
            guard given < levels[index].count else {
                levels.removeLast()
                continue
            }
            levels[index].given += 1
            let pictures = levels[index].pictures
            if given < pictures.count { return item(pictures[given], in: levels[index].path) }
            let folder = levels[index].folders[given - pictures.count]
            let path = levels[index].path.appending(folder.name)
            do throws(FolderError) {
                guard levels.count <= FarmLimits.comparedDepthMax else {
                    throw FolderError(
                        path: path,
                        reason: "it lies deeper than \(FarmLimits.comparedDepthMax) folders"
                    )
                }
                levels.append(try level(path, found: folder.found))
            } catch {
                return .item(CompareItem(pair: numbered(path), kind: .broken(Problem(error))))
            }
        }
        return .end
    }

    private mutating func item(
        _ picture: (name: [UInt8], found: FoundIn),
        in folder: PathBytes
    ) -> SourceStep {
        let pair = numbered(folder.appending(picture.name))
        switch picture.found {
        case .both: return .item(CompareItem(pair: pair))
        case .onlyA: return .item(CompareItem(pair: pair, kind: .removed))
        case .onlyB: return .item(CompareItem(pair: pair, kind: .added))
        }
    }

    private mutating func numbered(_ path: PathBytes) -> PicturePair {
        number += 1
        return PicturePair(number: number, a: path, b: path)
    }

    private mutating func level(
        _ path: PathBytes,
        found: FoundIn
    ) throws(FolderError) -> Level {
        let isRoot = path.bytes.isEmpty
        var inA = FolderEntries()
        var inB = FolderEntries()
        if found != .onlyB {
            let skipped = isRoot ? [] : skippedInA
            inA = try FolderEntries(path: a.below(path), isRoot: isRoot, skipping: skipped)
        }
        if found != .onlyA {
            let skipped = isRoot ? [] : skippedInB
            inB = try FolderEntries(path: b.below(path), isRoot: isRoot, skipping: skipped)
        }
        for name in inA.others { others.add(a.below(path).appending(name)) }
        for name in inB.others { others.add(b.below(path).appending(name)) }
        return Level(
            path: path,
            pictures: FolderMatch.names(inA.pictures, inB.pictures),
            folders: FolderMatch.names(inA.folders, inB.folders)
        )
    }
}

extension PathBytes {
    fileprivate func below(_ relative: PathBytes) -> PathBytes {
        relative.bytes.isEmpty ? self : appending(relative.bytes)
    }
}
