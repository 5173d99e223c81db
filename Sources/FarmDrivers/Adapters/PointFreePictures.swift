// swift-snapshot-testing (pointfreeco/swift-snapshot-testing 1.18, AssertSnapshot.swift): the
// failed picture of a comparison lies at <SNAPSHOT_ARTIFACTS>/<test file>/<name>.png. There is no
// variable for the reference folder, so references and diffs never reach the lease: the worker takes
// the pin's reference, and draws the difference itself.
import FarmCore

/// The adapter of the framework named above.
package enum PointFreePictures {
    /// Failed pictures; captures where the framework was told to record.
    package static func artifacts(_ files: [String], areCaptures: Bool) -> AdapterReading {
        var reading = AdapterReading()
        for path in files {
            let (suite, file) = splitPath(path)
            guard !suite.isEmpty, let name = file.withoutPNG else { continue }
            if areCaptures {
                reading.captures.append(CapturedFile(suite: suite, name: name, path: path))
            } else {
                reading.differences.append(
                    FrameworkDifference(
                        suite: suite,
                        name: name,
                        reference: nil,
                        failed: path,
                        diff: nil
                    )
                )
            }
        }
        return reading
    }
}
