// Reads JUnit XML as test programs write it. The format has no standard; what is read here is
// what pytest, Gradle, Jest, gtest, go-junit-report and swift-testing have in common.
//
// The file is hostile: bytes, depth and kept text are bounded, and a document type is refused,
// because entities can grow without end and read other files.
import FarmCore
import Foundation

#if canImport(FoundationXML)
import FoundationXML
#endif

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
    package var seconds: Double
    package var ending: Ending
    /// The end of `<system-out>` and `<system-err>`.
    package var output: String

    package init(
        name: String,
        className: String = "",
        file: String = "",
        seconds: Double = 0,
        ending: Ending = .passed,
        output: String = ""
    ) {
        self.name = name
        self.className = className
        self.file = file
        self.seconds = seconds
        self.ending = ending
        self.output = output
    }
}

/// Why a results file cannot be used; the text is a part of a sentence.
package struct JUnitError: Error, Equatable {
    package var reason: String
}

/// JUnit XML.
package enum JUnitFile {
    /// Every test case of a file, in order.
    package static func parse(_ bytes: Data) throws(JUnitError) -> [JUnitCase] {
        guard bytes.count <= FarmLimits.junitBytesMax else {
            throw JUnitError(reason: "it is larger than \(FarmLimits.junitBytesMax >> 20) MB")
        }
        try checkProlog(bytes)
        let parser = XMLParser(data: bytes)
        parser.shouldResolveExternalEntities = false
        let reader = JUnitReader()
        parser.delegate = reader
        let isComplete = parser.parse()
        if let reason = reader.refusal { throw JUnitError(reason: reason) }
        // The parser forgives a file that breaks off, and a test cut in two would look passed.
        guard isComplete, reader.isClosed, endsInTag(bytes, of: reader.root) else {
            throw JUnitError(reason: "it breaks off or is not XML at line \(parser.lineNumber)")
        }
        guard reader.isJUnit else {
            throw JUnitError(reason: "it has neither <testsuites> nor <testsuite>")
        }
        return reader.cases
    }

    /// Whether the last tag of a file closes its first element.
    private static func endsInTag(_ bytes: Data, of root: String) -> Bool {
        let tail = String(decoding: bytes.suffix(4_096), as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        guard let start = tail.lastIndex(of: "<"), tail.hasSuffix(">") else { return false }
        let tag = tail[start...].filter { !$0.isWhitespace }
        return tag == "</\(root)>" || tag.hasPrefix("<!--")
            || (tag.hasPrefix("<\(root)") && tag.hasSuffix("/>"))
    }

    /// Refuses what may come before the first element and is not a declaration or a comment.
    private static func checkProlog(_ bytes: Data) throws(JUnitError) {
        var rest = bytes[...]
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        while true {
            rest = rest.drop { [9, 10, 13, 32].contains($0) }
            if rest.starts(with: Array("<?".utf8)) {
                rest = after("?>", in: rest)
            } else if rest.starts(with: Array("<!--".utf8)) {
                rest = after("-->", in: rest)
            } else if rest.starts(with: Array("<!".utf8)) {
                throw JUnitError(reason: "it has a document type")
            } else {
                guard rest.first == UInt8(ascii: "<") else {
                    throw JUnitError(
                        reason: rest.isEmpty ? "it is empty" : "it is not XML in UTF-8"
                    )
                }
                return
            }
        }
    }

    private static func after(_ text: String, in bytes: Data) -> Data {
        guard let range = bytes.firstRange(of: Data(text.utf8)) else { return Data() }
        return bytes[range.upperBound...]
    }
}

/// Collects test cases from XMLParser's events; used by one call of `parse` and then dropped.
private final class JUnitReader: NSObject, XMLParserDelegate {
    private static let depthMax = 64

    var cases: [JUnitCase] = []
    var refusal: String?
    var isJUnit = false
    var root = ""
    var isClosed: Bool { depth == 0 && !root.isEmpty }
    private var depth = 0
    private var current: JUnitCase?
    /// Of the element inside a test case that is being read.
    private var text = ""
    private var suiteFile = ""

    func parser(
        _ parser: XMLParser,
        didStartElement name: String,
        namespaceURI: String?,
        qualifiedName: String?,
        attributes: [String: String]
    ) {
        depth += 1
        if depth > Self.depthMax { refuse(parser, "it is nested deeper than \(Self.depthMax)") }
        if root.isEmpty { root = name }
        text = ""
        switch name {
        case "testsuites": isJUnit = true
        case "testsuite":
            isJUnit = true
            suiteFile = attributes["file"] ?? ""
        case "testcase":
            current = JUnitCase(
                name: normal(attributes["name"]),
                className: normal(attributes["classname"]),
                file: normal(attributes["file"] ?? suiteFile),
                seconds: seconds(attributes["time"]),
                ending: .passed,
                output: ""
            )
        case "failure", "error": add(failure: attributes["message"] ?? attributes["type"] ?? "")
        case "skipped": skip(attributes["message"] ?? "")
        default: break
        }
    }

    func parser(_ parser: XMLParser, parseErrorOccurred error: any Error) {
        refusal = refusal ?? "it breaks off or is not XML at line \(parser.lineNumber)"
    }

    func parser(_ parser: XMLParser, foundCharacters more: String) { append(more) }

    func parser(_ parser: XMLParser, foundCDATA block: Data) {
        append(String(decoding: block, as: UTF8.self))
    }

    func parser(
        _ parser: XMLParser,
        didEndElement name: String,
        namespaceURI: String?,
        qualifiedName: String?
    ) {
        depth -= 1
        defer { text = "" }
        switch name {
        case "failure", "error": add(failure: text)
        case "skipped": skip(text)
        case "system-out", "system-err": current?.output += text
        case "testcase":
            guard let finished = current else { return }
            cases.append(finished)
            current = nil
            if cases.count > FarmLimits.plannedTestsMax { refuse(parser, "it has too many cases") }
        default: break
        }
    }

    private func append(_ more: String) {
        guard current != nil else { return }
        text += more
        // The end of an output says more than its beginning; a failure begins with its message,
        // which is an attribute and kept apart.
        let limit = FarmLimits.resultOutputBytesMax
        if text.utf8.count > 2 * limit {
            text = String(decoding: text.utf8.suffix(limit), as: UTF8.self)
        }
    }

    /// A case may hold several failures, and each has a message and a text that may repeat it.
    private func add(failure more: String) {
        let more = more.trimmingCharacters(in: .whitespacesAndNewlines)
        guard case .failed(let before) = current?.ending else {
            current?.ending = .failed(more)
            return
        }
        guard !more.isEmpty, !before.contains(more) else { return }
        let all = before.isEmpty || more.hasPrefix(before) ? more : before + "\n" + more
        current?.ending = .failed(String(all.prefix(FarmLimits.resultOutputBytesMax)))
    }

    private func skip(_ reason: String) {
        let reason = reason.trimmingCharacters(in: .whitespacesAndNewlines)
        switch current?.ending {
        case .passed: current?.ending = .skipped(reason)
        case .skipped(""): current?.ending = .skipped(reason)
        default: break
        }
    }

    private func refuse(_ parser: XMLParser, _ reason: String) {
        refusal = refusal ?? reason
        parser.abortParsing()
    }

    private func normal(_ text: String?) -> String {
        (text ?? "").inNormalForm
    }

    /// `1,234.5` is written by some Java versions.
    private func seconds(_ text: String?) -> Double {
        let text = text ?? ""
        let value = Double(text) ?? Double(text.filter { $0 != "," }) ?? 0
        return value.isFinite && value >= 0 ? value : 0
    }
}
