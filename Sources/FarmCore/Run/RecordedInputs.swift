// The files that one test case read, as its driver recorded them while the test case ran. The rules of
// reuse compare their contents in later runs.

/// The files that a test case read, and what else decided its result.
package struct RecordedInputs: Hashable, Sendable, Codable {
    /// The paths of the files, sorted; relative to the pipeline file's folder, or absolute outside of
    /// it.
    ///
    /// Includes the paths at which the test case looked for a file and found none.
    package var files: [String]
    /// An input that is no file, such as `a WebSocket`, or `nil` if there is none.
    package var unknown: String?

    /// Makes the inputs of a test case; more files than `FarmLimits.recordedFilesMax` are unknown.
    package init(files: some Sequence<String>, unknown: String? = nil) {
        let sorted = Set(files).sorted()
        let isMany = sorted.count > FarmLimits.recordedFilesMax
        self.files = isMany ? [] : sorted
        self.unknown = isMany ? "over \(FarmLimits.recordedFilesMax) files" : unknown
    }

    /// The first mistake in the inputs, or `nil` if a driver can have recorded them.
    var fault: String? {
        guard files.count <= FarmLimits.recordedFilesMax,
            files.allSatisfy({ $0.utf8.count <= FarmLimits.recordedPathBytesMax })
        else { return "inputs are too many or too long" }
        return unknown?.isReportText == false ? "inputs: unknown is too long" : nil
    }
}
