// The repository's own text files, for tests of their contents.
import Foundation

/// A text file of the repository.
struct RepositoryFile: Sendable {
    /// The path from the root, with `/`.
    let path: String
    let text: String

    var name: Substring { path.split(separator: "/").last ?? "" }
    var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }

    /// Returns whether the file contains the bytes of a word.
    func holds(_ word: String) -> Bool {
        Data(text.utf8).range(of: Data(word.utf8)) != nil
    }
}

enum Repository {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path

    /// Every text file, sorted by path; read once.
    static let files = read("")

    /// Folders that Git, builds and runs create, as in `.gitignore`.
    private static let ignored: Set<String> = [
        ".git", ".snapfarm", ".swiftpm", "snapfarm-out", "__pycache__",
    ]

    private static func read(_ folder: String) -> [RepositoryFile] {
        let files = FileManager.default
        let names = (try? files.contentsOfDirectory(atPath: root + "/" + folder)) ?? []
        return names.sorted().flatMap { name -> [RepositoryFile] in
            guard !ignored.contains(name), !name.hasPrefix(".build") else { return [] }
            let path = folder.isEmpty ? name : folder + "/" + name
            let attributes = try? files.attributesOfItem(atPath: root + "/" + path)
            switch attributes?[.type] as? FileAttributeType {
            case .typeDirectory: return read(path)
            case .typeRegular:
                let text = try? String(contentsOfFile: root + "/" + path, encoding: .utf8)
                return text.map { [RepositoryFile(path: path, text: $0)] } ?? []
            default: return []
            }
        }
    }

    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root + "/" + path)
    }

    static func text(_ path: String) -> String {
        files.first { $0.path == path }?.text ?? ""
    }

    /// Returns the Swift files of a folder.
    static func swift(in folder: String) -> [RepositoryFile] {
        files.filter { $0.path.hasPrefix(folder + "/") && $0.path.hasSuffix(".swift") }
    }
}

/// A document in Markdown.
struct Document {
    let lines: [Substring]

    init(_ path: String) {
        lines = Repository.text(path).split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// Returns the lines below a heading, up to the next one of any depth.
    func section(_ heading: String) -> [Substring] {
        guard let start = lines.firstIndex(where: { Self.heading($0) == heading }) else {
            return []
        }
        return Array(lines[(start + 1)...].prefix { Self.heading($0) == nil })
    }

    /// The anchors that GitHub gives to the document's headings.
    var anchors: Set<String> {
        Set(
            lines.compactMap(Self.heading).map { heading in
                heading.lowercased().filter {
                    $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" || $0 == " "
                }.replacing(" ", with: "-")
            }
        )
    }

    private static func heading(_ line: Substring) -> String? {
        let text = line.drop { $0 == "#" }
        guard text.count < line.count, text.hasPrefix(" ") else { return nil }
        return String(text.dropFirst())
    }
}
