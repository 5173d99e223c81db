// `refs log PICTURE --report`: the history of one reference as a folder that opens from a disk.
import FarmCore
import FarmGit
import FarmReferences
import FarmReports
import Foundation

package enum HistoryFolder {
    /// Writes the page of a reference's history, with the pictures that the store has.
    ///
    /// `language` is one of ``CatalogueFolder/languages``; any other text means English.
    ///
    /// - Throws: `CompareError` for a folder with other content.
    package static func write(
        _ baseline: Baseline,
        of store: ReferenceStore,
        to path: String,
        language: String
    ) throws {
        let folder = try DiffFolder(path, .report)
        try folder.remove(["pictures"])
        var files: Set<ObjectID> = []
        for object in HTMLReport.pictures(of: baseline) {
            // A clone of a remote store has only the pictures that it needed so far.
            guard let bytes = try present(object, in: store) else { continue }
            let name = PathBytes("pictures/\(object.hex).png")
            _ = try folder.write(name, Array(bytes), number: files.count)
            files.insert(object)
        }
        let known = PageLanguage(rawValue: language) ?? .english
        let page = HTMLReport.history(baseline, files: files, language: known)
        _ = try folder.write(PathBytes("index.html"), Array(page.utf8), number: 0)
    }

    private static func present(_ object: ObjectID, in store: ReferenceStore) throws -> Data? {
        do {
            return try store.read(object)
        } catch GitError.objectMissing {
            return nil
        }
    }
}
