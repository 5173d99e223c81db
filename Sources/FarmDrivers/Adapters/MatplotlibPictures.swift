// matplotlib's own tests (matplotlib.testing.decorators.image_comparison) write below the folder
// they run in: result_images/<module>/<name>.png, <name>-expected.png for every comparison, and
// <name>-failed-diff.png for those that failed. The command must run in SNAPFARM_LEASE_DIR.
import FarmCore

/// The adapter of the framework named above.
package enum MatplotlibPictures {
    /// The triples of failed comparisons, or every picture as a capture.
    package static func results(_ files: [String], areCaptures: Bool) -> AdapterReading {
        let all = Set(files)
        var reading = AdapterReading()
        for path in files {
            let (folder, file) = splitPath(path)
            guard let suite = suite(of: folder), let name = file.withoutPNG else { continue }
            guard !name.hasSuffix("-expected"), !name.hasSuffix("-failed-diff") else {
                reading.ignored.append(path)
                continue
            }
            let expected = "\(folder)/\(name)-expected.png"
            let diff = "\(folder)/\(name)-failed-diff.png"
            if areCaptures {
                reading.captures.append(CapturedFile(suite: suite, name: name, path: path))
            } else if all.contains(diff) {
                reading.differences.append(
                    FrameworkDifference(
                        suite: suite,
                        name: name,
                        reference: all.contains(expected) ? expected : nil,
                        failed: path,
                        diff: diff
                    )
                )
            }
        }
        return reading
    }

    /// What follows the folder `result_images`.
    private static func suite(of folder: String) -> String? {
        let parts = folder.pathParts
        guard let index = parts.firstIndex(of: "result_images"), index + 1 < parts.count else {
            return nil
        }
        return parts[(index + 1)...].joined(separator: "/")
    }
}
