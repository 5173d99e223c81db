// Replaces packs and loose objects by one new pack. Nothing is deleted before the new pack is on
// the disk and holds every selected object. Old packs lose their index first, so that Git never
// opens half a pack.
import FarmCore
import FarmGit
import Foundation

struct PackReplacement {
    /// The bytes that must stay free beside the new pack, for Git's own small files.
    private static let spareBytes = 1 << 20
    private static let indexBytesPerObject = 36
    /// The extensions of the files that may lie beside a pack.
    private static let companions = ["rev", "bitmap", "mtimes"]

    private let store: String
    private let repository: GitRepository
    private let table: ObjectTable
    private let choice: PackChoice
    private let conditions: PruneConditions

    init(
        store: String,
        _ repository: GitRepository,
        _ table: ObjectTable,
        live: Set<ObjectKey>,
        _ conditions: PruneConditions
    ) {
        self.store = store
        self.repository = repository
        self.table = table
        self.conditions = conditions
        choice = PackChoice(table, live: live)
    }

    /// Writes the new pack and deletes nothing; returns `nil` if no new pack is needed.
    func write() throws -> WrittenPack? {
        guard choice.isNeeded, !choice.selected.isEmpty else { return nil }
        try requireSpace()
        let pack = try PackFilter.write(
            choice.selected,
            from: table,
            of: repository,
            into: table.folder + "/pack",
            before: conditions.beforePack
        )
        try Self.verify(pack, holds: choice.selected)
        return pack
    }

    /// Deletes the packs and loose objects that the new pack replaces, and the garbage.
    func deleteReplaced(by new: WrittenPack?) throws {
        guard choice.isNeeded else { return }
        let folder = table.folder + "/pack"
        try removeDerived(folder)
        for index in choice.replaced where table.packs[index].base != new?.base {
            try remove(table.packs[index])
        }
        try RepositoryFiles.flushFolder(folder)
        try removeLoose()
        try rewritePackList(folder)
    }

    private func requireSpace() throws {
        let needed =
            choice.selectedBytes + choice.selected.count * Self.indexBytesPerObject
            + Self.spareBytes
        let free = try conditions.freeBytes(table.folder)
        guard free >= needed else {
            throw PruneError.diskFull(path: store, needed: needed, free: free)
        }
    }

    /// Throws if an object of `keys` is missing from a new pack or damaged there.
    static func verify(_ pack: WrittenPack, holds keys: [ObjectKey]) throws {
        guard let fault = try pack.fault(holding: keys) else { return }
        throw PruneError.verificationFailed(pack: pack.base + ".pack", fact: fault)
    }

    // MARK: deleting

    /// Removes files that Git derived from packs: they would name objects that are deleted.
    private func removeDerived(_ folder: String) throws {
        let index = "multi-pack-index"
        for name in try RepositoryFiles.names(in: folder)
        where name == index || name.hasPrefix(index + "-") {
            try conditions.before(.removeMultiPackIndex)
            try RepositoryFiles.remove("\(folder)/\(name)")
        }
        let graphs = table.folder + "/info/commit-graphs"
        for name in try RepositoryFiles.names(in: graphs) {
            try RepositoryFiles.remove("\(graphs)/\(name)")
        }
        try RepositoryFiles.remove(table.folder + "/info/commit-graph")
    }

    private func remove(_ pack: ObjectTable.Pack) throws {
        try conditions.before(.removeOldIndex)
        try RepositoryFiles.remove(pack.base + ".idx")
        try conditions.before(.removeOldPack)
        try RepositoryFiles.remove(pack.base + ".pack")
        for companion in Self.companions { try RepositoryFiles.remove("\(pack.base).\(companion)") }
    }

    private func removeLoose() throws {
        for key in table.loose.keys.sorted() {
            try conditions.before(.removeLoose)
            try RepositoryFiles.remove(table.loosePath(key))
        }
        // Removes the folders that are empty now; Git creates them again.
        for fan in try RepositoryFiles.names(in: table.folder) where fan.utf8.count == 2 {
            rmdir("\(table.folder)/\(fan)")
        }
    }

    /// Rewrites `objects/info/packs`, which clients of plain HTTP read, if it exists.
    private func rewritePackList(_ folder: String) throws {
        let path = table.folder + "/info/packs"
        guard RepositoryFiles.status(path) != nil else { return }
        let packs = try RepositoryFiles.names(in: folder).filter {
            $0.hasPrefix("pack-") && $0.hasSuffix(".pack")
        }
        let text = packs.map { "P \($0)\n" }.joined() + "\n"
        try RepositoryFiles.write(text, to: path)
    }
}
