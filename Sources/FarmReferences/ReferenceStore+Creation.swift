// Creates stores. A new store is built in a folder beside its place and moved there complete, so
// that a crash leaves either no store or a complete one.
import FarmCore
import FarmGit
import Foundation

extension ReferenceStore {
    /// The Git configuration that every new store gets.
    ///
    /// In order: PNG does not compress (both compressions); snapfarm prunes, not Git; deltas of PNG
    /// cost time; workers fetch exactly the objects they lack (filter and wants); each push stays
    /// one pack.
    private static let settings: [(name: String, value: String)] = [
        ("core.compression", "0"),
        ("pack.compression", "0"),
        ("gc.auto", "0"),
        ("pack.deltaCacheSize", "1"),
        ("uploadpack.allowFilter", "true"),
        ("uploadpack.allowAnySHA1InWant", "true"),
        ("receive.unpackLimit", "1"),
    ]

    /// Creates an empty store, and the folders that lead to it.
    ///
    /// - Throws: `ReferenceStoreError.pathTaken` if something is at the path already.
    package static func create(at path: String) throws -> ReferenceStore {
        let target = URL(fileURLWithPath: path).standardizedFileURL.path
        let parent = target.parentFolder
        let files = FileManager.default
        do {
            try files.createDirectory(atPath: parent, withIntermediateDirectories: true)
        } catch {
            throw GitError.system(
                doing: "make the folder \(parent)",
                reason: error.inWords
            )
        }
        let scratch = try makeFolder(beside: target)
        defer { try? files.removeItem(atPath: scratch) }
        let draft = scratch + "/store.git"
        try initialise(draft)
        // Renaming replaces an empty folder; it fails, and loses nothing, if anything else is
        // there.
        guard rename(draft, target) == 0 else {
            let code = errno
            guard ![EEXIST, ENOTEMPTY, ENOTDIR].contains(code) else {
                throw ReferenceStoreError.pathTaken(path: path)
            }
            throw GitError.system(
                doing: "move the new store to \(path)",
                reason: String(cString: strerror(code))
            )
        }
        return try ReferenceStore(opening: path)
    }

    /// Makes an existing empty bare repository (as of `git init --bare`) a store.
    ///
    /// The format is written last, because it makes the repository a store.
    /// - Throws: `ReferenceStoreError.pathTaken` if anything else is at the path.
    package static func create(inEmptyRepository path: String) throws -> ReferenceStore {
        guard let repository = try? GitRepository(opening: path),
            try repository.setting("core.bare") == "true"
        else { throw ReferenceStoreError.pathTaken(path: path) }
        // The first page of a journal may be there: an earlier call that was cut off left it.
        let page = try emptyJournal(in: repository)
        guard
            try repository.allReferences().allSatisfy({
                $0.name == Journal.reference && $0.object == page
            })
        else { throw ReferenceStoreError.pathTaken(path: path) }
        try initialise(repository)
        try repository.pointHead(to: Journal.reference)
        return try ReferenceStore(opening: path)
    }

    private static func makeFolder(beside target: String) throws -> String {
        var template = Array("\(target).creating-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw GitError.system(
                doing: "make a folder beside \(target)",
                reason: String(cString: strerror(errno))
            )
        }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func initialise(_ path: String) throws {
        try GitRepository.create(at: path)
        try initialise(try GitRepository(opening: path))
    }

    private static func initialise(_ repository: GitRepository) throws {
        try repository.configure(settings)
        let commit = try emptyJournal(in: repository)
        _ = try repository.create(reference: Journal.reference, to: commit)
        let format = try repository.write(blob: Data(Self.format.utf8))
        _ = try repository.create(reference: formatReference, to: format)
    }

    /// Writes the commit that every journal begins with; its id is the same in every store.
    static func emptyJournal(in repository: GitRepository) throws -> ObjectID {
        var root = TreeFolder()
        let readme = Data(Journal.readme(counts: [:], links: []).utf8)
        root.children["README.md"] = .file(try repository.write(blob: readme))
        return try repository.commit(
            tree: try repository.write(root, what: "journal"),
            parents: [],
            message: "Empty reference store\n",
            seconds: 0
        )
    }
}
