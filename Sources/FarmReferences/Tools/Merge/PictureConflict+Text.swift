// The text about a picture in conflict: its three versions, and the commands that decide.
import FarmCore
import Foundation

extension PictureConflict {
    /// The lines for a terminal: the picture, its three versions, the commands.
    package var lines: [String] {
        let versions = MergeSide.allCases.map { side in
            "\(side.rawValue) \(self[side].map { String($0.hex.prefix(12)) } ?? "none")"
        }
        return ["\(id)", "    " + versions.joined(separator: " · ")] + commands.map { "    " + $0 }
    }

    /// The commands that decide the conflict, one for each version. (Recording the picture again
    /// always works too.)
    package var commands: [String] {
        let name = Self.quoted(Glob.only(id.text))
        return [
            "snapfarm refs merge --take-ours \(name)",
            "snapfarm refs merge --take-theirs \(name)",
            "snapfarm refs merge --take-base \(name)",
        ]
    }

    /// Returns a text as one word of a shell.
    private static func quoted(_ text: String) -> String {
        "'" + text.replacing("'", with: "'\\''") + "'"
    }
}

/// The paths of the written versions of a picture in conflict.
package struct ConflictPictures: Sendable, Hashable, Codable {
    package var id: SnapshotID
    /// The path of the base's picture, absolute or relative as the folder was; `nil` if the base
    /// has no picture.
    package var base: String?
    package var ours: String?
    package var theirs: String?
}

extension ReferenceStore {
    /// Writes the versions of pictures in conflict to `<folder>/<id>/{base,ours,theirs}.png`, for
    /// people to compare.
    ///
    /// A text keeps its own ending.
    package func writePictures(
        of conflicts: [PictureConflict],
        to folder: String
    ) throws -> [ConflictPictures] {
        try conflicts.map { conflict in
            let place = folder + "/" + conflict.id.text
            var written = ConflictPictures(id: conflict.id)
            for side in MergeSide.allCases {
                guard let object = conflict[side] else { continue }
                let path = "\(place)/\(side.rawValue)\(conflict.id.ending)"
                try MergeFiles.write(try read(object), to: path)
                switch side {
                case .base: written.base = path
                case .ours: written.ours = path
                case .theirs: written.theirs = path
                }
            }
            return written
        }
    }
}

extension SnapshotID {
    /// The ending of the snapshot's file.
    fileprivate var ending: Substring { file[(file.lastIndex(of: ".") ?? file.endIndex)...] }
}
