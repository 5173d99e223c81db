// Reads JUnit XML as test programs write it. The format has no standard; this reads the common part
// of pytest, Gradle, Jest, gtest, go-junit-report and swift-testing.
import FarmCore
import Foundation

/// A `<testcase>` of a JUnit file.
package struct JUnitCase: Hashable, Sendable {
    /// The ending of a test case.
    package enum Ending: Hashable, Sendable {
        case passed
        case failed(String)
        case skipped(String)
    }
    package var name: String
    package var className: String
    /// The attribute `file`; empty if the program does not write it.
    package var file: String
    /// The duration in seconds, at most `FarmLimits.resultSecondsMax`.
    package var seconds: Double
    package var ending: Ending
    /// The `<failure>` and `<error>` elements.
    ///
    /// If a limit cuts the list, the last element has no text.
    package var failures: [TestFailure]
    /// The end of `<system-out>` and `<system-err>`.
    package var output: String

    package init(
        name: String,
        className: String = "",
        file: String = "",
        seconds: Double = 0,
        ending: Ending = .passed,
        failures: [TestFailure] = [],
        output: String = ""
    ) {
        self.name = name
        self.className = className
        self.file = file
        self.seconds = seconds
        self.ending = ending
        self.failures = failures
        self.output = output
    }
}

/// The content of a results file.
package struct JUnitResults: Hashable, Sendable {
    /// The complete test cases of the file, in order.
    package var cases: [JUnitCase]
    /// The reason why nothing more could be read, as part of a sentence, or `nil` for a complete
    /// file.
    ///
    /// A program that writes while it tests, and dies, leaves an incomplete file.
    package var cutOff: String?
}

/// The reason why a results file cannot be used, as part of a sentence.
package struct JUnitError: Error, Equatable {
    package var reason: String
}

/// Reads JUnit XML.
package enum JUnitFile {
    /// Returns the content of a JUnit file, or `nil` if `mayGoOn`, called every few milliseconds,
    /// stopped the reading.
    ///
    /// Takes time in proportion to the bytes, and memory for what a result may contain of each
    /// case.
    package static func parse(
        _ bytes: Data,
        while mayGoOn: () -> Bool
    ) throws(JUnitError) -> JUnitResults? {
        guard bytes.count <= FarmLimits.junitBytesMax else {
            throw JUnitError(reason: "it is larger than \(FarmLimits.junitBytesMax >> 20) MB")
        }
        let result = bytes.withUnsafeBytes { raw in
            let bytes = raw.bindMemory(to: UInt8.self)
            return Result { () throws(JUnitError) in try decode(bytes, while: mayGoOn) }
        }
        return try result.get()
    }

    private static func decode(
        _ bytes: UnsafeBufferPointer<UInt8>,
        while mayGoOn: () -> Bool
    ) throws(JUnitError) -> JUnitResults? {
        let text: ResultsText?
        do { text = try ResultsText(bytes, while: mayGoOn) } catch { return nil }
        guard let text else { return try parse(bytes, while: mayGoOn) }
        let result = text.bytes.withUnsafeBufferPointer { bytes in
            Result { () throws(JUnitError) in
                try parse(bytes, replaced: text.replaced, while: mayGoOn)
            }
        }
        return try result.get()
    }

    private static func parse(
        _ bytes: UnsafeBufferPointer<UInt8>,
        replaced: [Int] = [],
        while mayGoOn: () -> Bool
    ) throws(JUnitError) -> JUnitResults? {
        guard let scanner = try? XMLScanner(bytes, replaced: replaced) else {
            return JUnitResults(cases: [], cutOff: JUnitError(.empty).reason)
        }
        var reader = JUnitReader(scanner)
        return try reader.read(while: mayGoOn)
    }
}

extension JUnitError {
    init(_ fault: XMLFault) {
        self.reason =
            switch fault {
            case .empty: "it is empty"
            case .notXML: "it is not XML"
            case .documentType: "it has a document type"
            case .tooDeep: "it is nested deeper than \(FarmLimits.xmlDepthMax)"
            case .longName: "it has a name of more than \(FarmLimits.xmlNameBytesMax) bytes"
            case .longValue:
                "it has an attribute of more than \(FarmLimits.xmlValueBytesMax) bytes"
            case .broken: "it breaks off or is not XML"
            }
    }
}
