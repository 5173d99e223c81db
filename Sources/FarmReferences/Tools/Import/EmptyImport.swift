// Explains an import that found no picture: a person who mistyped a folder or a pattern learns
// where the pictures are.
import FarmCore
import FarmFiles
import Foundation

extension ImportSettings {
    /// Returns the fault that explains why an import takes nothing from a work tree.
    ///
    /// `leftOut` is the number of files that could not be mapped; they are reported separately.
    package func nothingFound(in root: String, leftOut: Int) throws -> ImportFault {
        let place = folder.isEmpty ? root : "\(root)/\(folder)"
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: place, isDirectory: &isFolder),
            isFolder.boolValue
        else {
            return .nothing(
                fact: "there is no folder \(place)",
                hint: "Name a folder of the repository, as its path from the root."
            )
        }
        guard leftOut == 0 else {
            return .nothing(
                fact: "\(leftOut) file\(leftOut == 1 ? " was" : "s were") left out for the "
                    + "reasons above",
                hint: "Mend what is listed, or describe the paths with --pattern and --cell."
            )
        }
        let words =
            switch source {
            case .frameworks:
                "below \(place) lies no ReferenceImages…/, no __Snapshots__/ and no folder of "
                    + VisualTool.allCases.map(\.rawValue).joined(separator: ", ") + " with pictures"
            case .pattern(let pattern): "below \(place) no path matches '\(pattern.text)'"
            }
        return .nothing(fact: words, hint: try hint(root: root))
    }

    private func hint(root: String) throws -> String {
        let listing = try FolderListing(of: GuardedFolder(root), below: folder) { path in
            ["node_modules", ".build", ".snapfarm"].contains(GuardedFolder.split(path).name)
        }
        guard let path = listing.files.first(where: { $0.hasSuffix(".png") }) else {
            return "No PNG file lies there: fetch or record the pictures first."
        }
        let example = "A picture lies at \(path)"
        guard let pattern = pattern(like: path) else {
            return example + "; it needs the folder of a suite above it."
        }
        return example + ": is it --pattern '\(pattern)'?"
    }

    /// Returns a pattern that matches a path, or `nil` if the file is in no folder.
    private func pattern(like path: String) -> String? {
        var folders = path.split(separator: "/").dropLast().map(String.init)
        guard folders.popLast() != nil else { return nil }
        let rest = folders.map { choice.knows($0) ? "{cell}" : $0 }
        return (rest + ["{suite}", "{name}.png"]).joined(separator: "/")
    }
}
