// Exchanges packs and loose objects for one new pack. Nothing is deleted before the new pack is on
// the disk and holds everything; old packs go index first, so that Git never opens half of one.
import CGit2
import FarmCore
import Foundation

struct PackReplacement {
    /// Objects of the new pack that are read and hashed before anything is deleted.
    private static let samplesMax = 200
    /// Beside the new pack: its index, and Git's own small files.
    private static let spareBytes = 1 << 20
    private static let indexBytesPerObject = 36
    /// What may stand beside a pack.
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

    /// Writes the new pack and deletes nothing; nil where none is needed.
    func write() throws -> WrittenPack? {
        guard choice.isNeeded, !choice.selected.isEmpty else { return nil }
        try requireSpace()
        let pack = try PackFilter.write(
            choice.selected,
            from: table,
            of: repository,
            into: table.folder + "/pack",
            before: conditions.before
        )
        try Self.verify(pack, holds: choice.selected)
        return pack
    }

    /// Deletes what the new pack stands for, and the garbage.
    func deleteReplaced(by new: WrittenPack?) throws {
        guard choice.isNeeded else { return }
        let folder = table.folder + "/pack"
        try removeDerived(folder)
        for index in choice.replaced where table.packs[index].base != new?.base {
            try remove(table.packs[index])
        }
        try flushFolder(folder)
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

    /// Opens the new pack alone, finds every object in it, and reads some of them.
    static func verify(_ pack: WrittenPack, holds keys: [ObjectKey]) throws {
        var database: OpaquePointer?
        try GitLibrary.check(git_odb_new(&database), "verify \(pack.base).pack")
        defer { git_odb_free(database) }
        var backend: OpaquePointer?
        try GitLibrary.check(
            git_odb_backend_one_pack(&backend, pack.base + ".idx"),
            "open \(pack.base).idx"
        )
        try GitLibrary.check(
            git_odb_add_backend(database, backend, 1),
            "open \(pack.base).idx"
        )
        let stride = max(1, keys.count / samplesMax)
        for (index, key) in keys.enumerated() {
            var oid = key.oid
            guard git_odb_exists_ext(database, &oid, GIT_ODB_LOOKUP_NO_REFRESH.rawValue) == 1
            else {
                throw PruneError.verificationFailed(
                    pack: pack.base + ".pack",
                    fact: "\(key.object) is not in it"
                )
            }
            guard index.isMultiple(of: stride) else { continue }
            var raw: OpaquePointer?
            let code = git_odb_read(&raw, database, &oid)
            git_odb_object_free(raw)
            guard code == 0 else {
                throw PruneError.verificationFailed(
                    pack: pack.base + ".pack",
                    fact: "\(key.object) cannot be read: \(GitLibrary.reason(code))"
                )
            }
        }
    }

    // MARK: deleting

    /// What Git derived from packs: it would name objects that go.
    private func removeDerived(_ folder: String) throws {
        let index = "multi-pack-index"
        for name in try names(in: folder) where name == index || name.hasPrefix(index + "-") {
            try conditions.before(.removeMultiPackIndex)
            try removeFile("\(folder)/\(name)")
        }
        let graphs = table.folder + "/info/commit-graphs"
        for name in try names(in: graphs) { try removeFile("\(graphs)/\(name)") }
        try removeFile(table.folder + "/info/commit-graph")
    }

    private func remove(_ pack: ObjectTable.Pack) throws {
        try conditions.before(.removeOldIndex)
        try removeFile(pack.base + ".idx")
        try conditions.before(.removeOldPack)
        try removeFile(pack.base + ".pack")
        for companion in Self.companions { try removeFile("\(pack.base).\(companion)") }
    }

    private func removeLoose() throws {
        for key in table.loose.keys.sorted() {
            try conditions.before(.removeLoose)
            try removeFile(table.loosePath(key))
        }
        // Folders that are empty now; Git makes them again.
        for fan in try names(in: table.folder) where fan.utf8.count == 2 {
            rmdir("\(table.folder)/\(fan)")
        }
    }

    /// `objects/info/packs` is what clients of plain HTTP read.
    private func rewritePackList(_ folder: String) throws {
        let path = table.folder + "/info/packs"
        guard fileStatus(path) != nil else { return }
        let packs = try names(in: folder).filter { $0.hasPrefix("pack-") && $0.hasSuffix(".pack") }
        let text = packs.map { "P \($0)\n" }.joined() + "\n"
        do {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw ReferenceStoreError.system(doing: "write \(path)", reason: "\(error)")
        }
    }
}
