// pytest-mpl (matplotlib/pytest-mpl 0.17, plugin.py) with --mpl-results-path inside the lease:
// one folder per failed test, named by its module and name with dots, holding result.png,
// baseline.png and result-failed-diff.png. The folder is the suite; nothing is read out of it.
import FarmCore

/// The adapter of the framework named above.
package enum PytestMPLPictures {
    /// The triples of failed comparisons, or their pictures as captures.
    package static func results(_ files: [String], areCaptures: Bool) -> AdapterReading {
        let all = Set(files)
        var reading = AdapterReading()
        for path in files {
            let (folder, file) = splitPath(path)
            guard file == "result.png", let test = folder.pathParts.last, !test.isEmpty else {
                continue
            }
            let baseline = "\(folder)/baseline.png"
            let diff = "\(folder)/result-failed-diff.png"
            // Anybody may call a file result.png; only with its neighbours it is pytest-mpl's.
            guard all.contains(baseline) || all.contains(diff) else { continue }
            reading.ignored += [baseline, diff].filter { all.contains($0) }
            if areCaptures {
                reading.captures.append(
                    CapturedFile(suite: test, name: "result", path: path)
                )
            } else {
                reading.differences.append(
                    FrameworkDifference(
                        suite: test,
                        name: "result",
                        reference: all.contains(baseline) ? baseline : nil,
                        failed: path,
                        diff: all.contains(diff) ? diff : nil
                    )
                )
            }
        }
        return reading
    }
}
