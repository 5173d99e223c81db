// The name of the proposed pipeline.
import FarmCore

enum ProjectName {
    /// Returns a pipeline name made from that of the repository's folder, in letters that fit a
    /// file's name; `app` if none is left.
    static func from(_ folder: String) -> String {
        let letters = folder.unicodeScalars.map { scalar -> Character in
            let isPlain =
                ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
                || ("0"..."9").contains(scalar) || "._-".unicodeScalars.contains(scalar)
            return isPlain ? Character(scalar) : "-"
        }
        let name = String(String(letters).drop { "-._".contains($0) }.prefix(60))
        return name.isEmpty ? "app" : name.lowercased()
    }
}
