// Resolves `framework: NAME` or `framework: path/to/own.yaml` of a job to a profile while the
// pipeline file is read, so that the profile's mistakes are reported with the pipeline's.
import FarmCore
import Foundation

/// Finds the framework profiles that pipeline files name.
package struct FrameworkChoice: FrameworkLookup {
    /// The folder of the pipeline file, as an absolute path.
    private let folder: String

    package init(folder: String) { self.folder = folder }

    package var names: [String] { FrameworkCatalog.profiles.map(\.name) }

    /// Returns the profile of a word: a word with a `/` or an ending is a file, any other is a
    /// name.
    package func profile(_ word: String) throws(DocumentErrors) -> FrameworkProfile? {
        guard Self.isFile(word) else { return FrameworkCatalog.profile(named: word) }
        return try ProfileDecoder.decode(Self.text(of: word, in: folder), file: word)
    }

    /// Returns the unparsed YAML of a name or a file.
    package func text(_ word: String) throws(DocumentErrors) -> String? {
        guard Self.isFile(word) else {
            return FrameworkCatalog.texts.first { $0.name == word }?.text
        }
        return try Self.text(of: word, in: folder)
    }

    private static func isFile(_ word: String) -> Bool {
        word.contains("/") || word.hasSuffix(".yaml") || word.hasSuffix(".yml")
    }

    private static func text(
        of file: String,
        in folder: String
    ) throws(DocumentErrors) -> String {
        let path = file.isAbsolutePath ? file : "\(folder)/\(file)"
        var reader = DocumentReader(file: file)
        let bytes = FileHandle(forReadingAtPath: path).flatMap {
            try? $0.read(upToCount: FarmLimits.profileBytesMax + 1)
        }
        guard let bytes else {
            reader.report(
                nil,
                "the profile cannot be read.",
                "Check its path, which begins at the pipeline file's folder; profiles of this "
                    + "program are named without an ending.",
                code: "framework-unreadable"
            )
            throw reader.errors
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
