// Pictures that tests wrote into the work tree instead of the farm's folder. The problem
// `no-pictures` names them.
import FarmCore
import Foundation

struct MisplacedPictures {
    /// The most files that are looked at; a larger work tree is searched only in part.
    private static let filesMax = 200_000
    /// The most names in a message.
    private static let namesMax = 5

    let workTree: String
    /// The paths of the farm's own folders in the work tree, which are skipped.
    let except: [String]

    /// Adds the pictures written since the run's start to the problem `no-pictures`.
    func name(in summary: inout RunSummary) {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        guard let place = summary.problems.firstIndex(where: { $0.code == "no-pictures" }),
            let start = try? style.parse(summary.run.started)
        else { return }
        let names = changed(since: start)
        guard !names.isEmpty else { return }
        let shown = names.prefix(Self.namesMax).joined(separator: ", ")
        let rest = names.count > Self.namesMax ? " and \(names.count - Self.namesMax) more" : ""
        summary.problems[place].message +=
            " Meanwhile the tests wrote into the work tree: \(shown)\(rest)."
    }

    /// Returns the sorted relative paths of the pictures modified since `start`.
    private func changed(since start: Date) -> [String] {
        let root = URL(fileURLWithPath: workTree)
        let keys: Set<URLResourceKey> = [.contentModificationDateKey, .isDirectoryKey]
        guard
            let files = FileManager.default.enumerator(
                at: root,
                includingPropertiesForKeys: Array(keys),
                options: [.skipsHiddenFiles]
            )
        else { return [] }
        var names: [String] = []
        var seen = 0
        for case let file as URL in files {
            seen += 1
            if seen > Self.filesMax { break }
            let path = file.path
            if except.contains(path) { files.skipDescendants() }
            guard path.hasSuffix(".png"), let name = path.path(below: root.path),
                let date = try? file.resourceValues(forKeys: keys).contentModificationDate,
                date >= start
            else { continue }
            names.append(name)
        }
        return names.sorted()
    }
}
