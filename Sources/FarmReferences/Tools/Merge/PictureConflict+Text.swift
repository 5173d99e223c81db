// What a person sees of a picture in conflict: its three versions, and the commands that decide.
import FarmCore
import Foundation

extension PictureConflict {
    /// Lines for a terminal: the picture, its three versions, what to type.
    package var lines: [String] {
        let versions = MergeSide.allCases.map { side in
            "\(side.rawValue) \(self[side].map { String($0.hex.prefix(12)) } ?? "none")"
        }
        return ["\(id)", "    " + versions.joined(separator: " · ")] + commands.map { "    " + $0 }
    }

    /// The commands that decide it, one for each version. (To record it again is always possible.)
    package var commands: [String] {
        let name = Self.quoted(Glob.only(id.text))
        return [
            "snapfarm refs merge --take-ours \(name)",
            "snapfarm refs merge --take-theirs \(name)",
            "snapfarm refs merge --take-base \(name)",
        ]
    }

    /// A word for a shell.
    private static func quoted(_ text: String) -> String {
        "'" + text.replacing("'", with: "'\\''") + "'"
    }
}

/// Where the versions of a picture in conflict were written.
package struct ConflictPictures: Sendable, Hashable, Codable {
    package var id: SnapshotID
    /// Absolute or relative as the folder was; nil where the side has no picture.
    package var base: String?
    package var ours: String?
    package var theirs: String?
}

extension ReferenceStore {
    /// Writes the versions of pictures in conflict as `<folder>/<id>/{base,ours,theirs}.png`, to
    /// be looked at.
    package func writePictures(
        of conflicts: [PictureConflict],
        to folder: String
    ) throws -> [ConflictPictures] {
        try conflicts.map { conflict in
            let place = folder + "/" + conflict.id.text
            var written = ConflictPictures(id: conflict.id)
            for side in MergeSide.allCases {
                guard let object = conflict[side] else { continue }
                let path = "\(place)/\(side.rawValue).png"
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
