// Names that must not be mixed up are distinct types over the same text form.

/// A name with a type of its own; encoded as its plain text.
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

/// One run, made by the coordinator; unique in its ledger.
package struct RunID: TextIdentifier {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
}

/// One worker process, for as long as it lives.
package struct WorkerID: TextIdentifier {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
}

/// One lease: the right of one worker to one shard.
package struct LeaseID: TextIdentifier {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
}

/// The key of a job in the pipeline file.
package struct JobName: TextIdentifier {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
}

/// The smallest thing that can be asked for, in its driver's own spelling
/// (`Target/Class/method`, `suite/name` of a scene, a line that `discover` printed).
package struct TestID: TextIdentifier {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    /// How JUnit names the test: `Target/Class/method` is the case `method` of the class
    /// `Target.Class`; an id without a slash belongs to its job.
    package func names(in job: JobName) -> (className: String, method: String) {
        guard let slash = rawValue.lastIndex(of: "/"), slash != rawValue.startIndex,
            rawValue.index(after: slash) != rawValue.endIndex
        else { return (job.text, rawValue) }
        let folder = rawValue[..<slash].split(separator: "/").joined(separator: ".")
        return (folder, String(rawValue[rawValue.index(after: slash)...]))
    }

    package func className(in job: JobName) -> String { names(in: job).className }
}

/// The id and folder name of a cell of the device matrix (`iPhone-8_13.1_dark_ja`).
package struct CellID: TextIdentifier {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
    /// The one cell of a job without a matrix.
    package static let host = CellID("host")
}

/// One (test case × cell) of a job: what ends in exactly one verdict.
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
