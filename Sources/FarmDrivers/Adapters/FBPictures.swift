// iOSSnapshotTestCase (uber/ios-snapshot-test-case 8.0.0, FBSnapshotTestController.m):
//   references  <FB_REFERENCE_IMAGE_DIR>_64/<folder>/<name>.png
//   failures    <IMAGE_DIFF_DIR>/<folder>/{reference_,failed_,diff_}<name>.png
// A selector begins with `test`, so no name begins with one of the three prefixes itself.
import FarmCore

/// The adapter of the framework named above.
package enum FBPictures {
    /// What the framework recorded into the scratch reference folder.
    package static func recorded(_ files: [String]) -> AdapterReading {
        var reading = AdapterReading()
        for path in files {
            let (suite, file) = splitPath(path)
            guard !suite.isEmpty, let name = file.withoutPNG else { continue }
            reading.captures.append(CapturedFile(suite: suite, name: name, path: path))
        }
        return reading
    }

    /// The triples of failed comparisons; each picture of one may be missing.
    package static func failures(_ files: [String]) -> AdapterReading {
        var found: [String: FrameworkDifference] = [:]
        for path in files {
            let (suite, file) = splitPath(path)
            guard let stem = file.withoutPNG else { continue }
            for prefix in ["reference_", "failed_", "diff_"] where stem.hasPrefix(prefix) {
                let name = String(stem.dropFirst(prefix.count))
                guard !name.isEmpty else { continue }
                var difference =
                    found["\(suite)/\(name)"]
                    ?? FrameworkDifference(
                        suite: suite,
                        name: name,
                        reference: nil,
                        failed: nil,
                        diff: nil
                    )
                switch prefix {
                case "reference_": difference.reference = path
                case "failed_": difference.failed = path
                default: difference.diff = path
                }
                found["\(suite)/\(name)"] = difference
            }
        }
        return AdapterReading(
            differences: found.sorted { $0.key < $1.key }.map(\.value)
        )
    }
}
