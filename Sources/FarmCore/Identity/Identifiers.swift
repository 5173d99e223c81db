// The types of identifiers: names that must not be confused have different types.

/// An identifier with a type of its own, encoded as plain text.
package protocol TextIdentifier: RawRepresentable, Hashable, Comparable, Codable, Sendable,
    CustomStringConvertible
where RawValue == String {
    init(rawValue: String)
}

extension TextIdentifier {
    package init(_ text: String) { self.init(rawValue: text) }
    package var text: String { rawValue }
    package var description: String { rawValue }
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The id of a run; the coordinator makes it, unique in its ledger.
package struct RunID: TextIdentifier {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
}

/// The name of one worker process.
package struct WorkerID: TextIdentifier {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
}

/// The id of one lease.
package struct LeaseID: TextIdentifier {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
}

/// The name of a job: its key in the pipeline file.
package struct JobName: TextIdentifier {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
}

/// The name of a test: the smallest thing that a driver can run, in the driver's own spelling
/// (`Target/Class/method`, `suite/name` of a scene, a line that `discover` printed).
package struct TestID: TextIdentifier {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    /// Returns the test's class and method in JUnit files: `Target/Class/method` is the method
    /// `method` of the class `Target.Class`.
    ///
    /// For a name without a slash, the class is the job.
    package func names(in job: JobName) -> (className: String, method: String) {
        guard let slash = rawValue.lastIndex(of: "/"), slash != rawValue.startIndex,
            rawValue.index(after: slash) != rawValue.endIndex
        else { return (job.text, rawValue) }
        let folder = rawValue[..<slash].split(separator: "/").joined(separator: ".")
        return (folder, String(rawValue[rawValue.index(after: slash)...]))
    }

    package func className(in job: JobName) -> String { names(in: job).className }
}

/// The id and folder name of a cell (`iPhone-8_13.1_dark_ja`).
package struct CellID: TextIdentifier {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
    /// The id of the only cell of a job without a matrix.
    package static let host = CellID("host")
}

/// The key of a test case: one test of a job on one cell, which ends in exactly one verdict.
package struct TestKey: Hashable, Comparable, Codable, Sendable, CustomStringConvertible {
    package var job: JobName
    package var cell: CellID
    package var test: TestID

    package init(job: JobName, cell: CellID, test: TestID) {
        self.job = job
        self.cell = cell
        self.test = test
    }

    package var description: String { "\(job)/\(cell)/\(test)" }

    package static func < (left: TestKey, right: TestKey) -> Bool {
        (left.job, left.cell, left.test) < (right.job, right.cell, right.test)
    }
}
