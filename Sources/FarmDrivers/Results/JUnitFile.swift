// Reads JUnit XML as test programs write it. The format has no standard; what is read here is
// what pytest, Gradle, Jest, gtest, go-junit-report and swift-testing have in common.
import FarmCore
import Foundation

/// One `<testcase>`.
package struct JUnitCase: Hashable, Sendable {
    /// How it ended.
    package enum Ending: Hashable, Sendable {
        case passed
        case failed(String)
        case skipped(String)
    }
    package var name: String
    package var className: String
    /// The attribute `file`; empty where the program does not write it.
    package var file: String
    /// At most `FarmLimits.resultSecondsMax`.
    package var seconds: Double
    package var ending: Ending
    /// Every `<failure>` and `<error>` by itself; one without words stands for those that are left
    /// out.
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

/// Why a results file cannot be used; the text is a part of a sentence.
package struct JUnitError: Error, Equatable {
    package var reason: String
}

/// JUnit XML.
package enum JUnitFile {
    /// Every test case of a file, in order; nil where `mayGoOn`, asked every few milliseconds,
    /// ended the reading.
    ///
    /// Takes time in proportion to the bytes, and memory for what a result may hold of each case.
    package static func parse(
        _ bytes: Data,
        while mayGoOn: () -> Bool
    ) throws(JUnitError) -> [JUnitCase]? {
        guard bytes.count <= FarmLimits.junitBytesMax else {
            throw JUnitError(reason: "it is larger than \(FarmLimits.junitBytesMax >> 20) MB")
        }
        let result = bytes.withUnsafeBytes { raw in
            let bytes = raw.bindMemory(to: UInt8.self)
            return Result { () throws(JUnitError) in try parse(bytes, while: mayGoOn) }
        }
        return try result.get()
    }

    private static func parse(
        _ bytes: UnsafeBufferPointer<UInt8>,
        while mayGoOn: () -> Bool
    ) throws(JUnitError) -> [JUnitCase]? {
        guard XMLScanner.isText(bytes) else { throw JUnitError(.notXML) }
        let scanner: XMLScanner
        do { scanner = try XMLScanner(bytes) } catch { throw JUnitError(error) }
        var reader = JUnitReader(scanner)
        do { return try reader.read(while: mayGoOn) } catch {
            guard error == JUnitError(.broken) else { throw error }
            let line = 1 + bytes.prefix(reader.position).count { $0 == UInt8(ascii: "\n") }
            throw JUnitError(reason: "\(error.reason) at line \(line)")
        }
    }
}

extension JUnitError {
    init(_ fault: XMLFault) {
        self.reason =
            switch fault {
            case .empty: "it is empty"
            case .notXML: "it is not XML in UTF-8"
            case .documentType: "it has a document type"
            case .tooDeep: "it is nested deeper than \(FarmLimits.xmlDepthMax)"
            case .longName: "it has a name of more than \(FarmLimits.xmlNameBytesMax) bytes"
            case .longValue:
                "it has an attribute of more than \(FarmLimits.xmlValueBytesMax) bytes"
            case .broken: "it breaks off or is not XML"
            }
    }
}
