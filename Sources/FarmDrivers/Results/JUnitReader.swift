// Makes test cases of the elements of a JUnit file. What is kept of a case is cut while it is
// read: names at what a test may be called, texts at what a result may hold. What all of them say
// together has a limit, since each case has its suite's file too.
import FarmCore
import Foundation

/// One pass over one file.
struct JUnitReader {
    private enum Element: String {
        case testsuites, testsuite, testcase, failure, error, skipped
        case output = "system-out"
        case errors = "system-err"
    }
    private enum Attribute: String {
        case name, classname, file, time, message, type

        /// One byte more than a test's name may have: a name that was cut is no test's.
        var bytesMax: Int {
            switch self {
            case .name, .classname, .file, .time: FarmLimits.testIDBytesMax + 1
            case .message, .type: FarmLimits.resultOutputBytesMax
            }
        }
    }
    /// Tags, attributes and pieces of text between two looks at whether to go on.
    private static let stepsBetweenLooks = 256

    private var scanner: XMLScanner
    private var cases: [JUnitCase] = []
    private var isJUnit = false
    private var current: JUnitCase?
    /// The element whose tag was read last, where it says anything.
    private var element: Element?
    private var attributes: [Attribute: String] = [:]
    /// Of the element inside a test case that is being read.
    private var text: OutputTail?
    /// Of the test case that is being read.
    private var output: OutputTail?
    private var failures = JUnitFailures()
    /// In normal form: made for each case, it would be as many texts as there are cases.
    private var suiteFile = ""
    /// Bytes of text that the cases have.
    private var textBytes = 0

    init(_ scanner: XMLScanner) { self.scanner = scanner }

    /// Where the reader is; after a fault, where it was seen.
    var position: Int { scanner.at }

    /// The cases of the whole file; nil where `mayGoOn` ended the reading.
    mutating func read(while mayGoOn: () -> Bool) throws(JUnitError) -> [JUnitCase]? {
        var steps = 0
        while try take(nextEvent()) {
            steps += 1
            if steps % Self.stepsBetweenLooks == 0, !mayGoOn() { return nil }
        }
        guard isJUnit else {
            throw JUnitError(reason: "it has neither <testsuites> nor <testsuite>")
        }
        return cases
    }

    private mutating func nextEvent() throws(JUnitError) -> XMLEvent {
        do { return try scanner.next() } catch { throw JUnitError(error) }
    }

    /// False at the end of the file.
    private mutating func take(_ event: XMLEvent) throws(JUnitError) -> Bool {
        switch event {
        case .finished: return false
        case .start(let name):
            element = Element(rawValue: scanner.string(name))
            attributes = [:]
        case .attribute(let name, let value): try take(attribute: name, value)
        case .opened: opened()
        case .text(let range): try take(text: range, hasReferences: true)
        case .characterData(let range): try take(text: range, hasReferences: false)
        case .end(let name):
            try closed(Element(rawValue: scanner.string(name)))
            text = nil
        }
        return true
    }

    /// Of an attribute that comes twice the first counts.
    private mutating func take(
        attribute name: Range<Int>,
        _ value: Range<Int>
    ) throws(JUnitError) {
        guard element != nil, let key = Attribute(rawValue: scanner.string(name)),
            attributes[key] == nil
        else { return }
        do {
            attributes[key] = try scanner.value(value, bytesMax: key.bytesMax)
        } catch { throw JUnitError(error) }
    }

    private mutating func opened() {
        text = nil
        switch element {
        case .testsuites: isJUnit = true
        case .testsuite:
            isJUnit = true
            suiteFile = normal(attributes[.file])
        case .testcase:
            current = JUnitCase(
                name: normal(attributes[.name]),
                className: normal(attributes[.classname]),
                file: attributes[.file].map { normal($0) } ?? suiteFile,
                seconds: seconds(attributes[.time] ?? "")
            )
            output = nil
            failures = JUnitFailures()
        case .failure, .error:
            failures.begin(message: attributes[.message], type: attributes[.type])
            text = current.map { _ in OutputTail() }
        case .skipped:
            skip(attributes[.message] ?? "")
            text = current.map { _ in OutputTail() }
        case .output, .errors:
            if current != nil, output == nil { output = OutputTail() }
            text = output
        case nil: break
        }
    }

    private mutating func take(
        text range: Range<Int>,
        hasReferences: Bool
    ) throws(JUnitError) {
        guard let text else { return }
        do {
            try scanner.pieces(of: range, hasReferences: hasReferences) { piece in
                text.append(piece)
                return true
            }
        } catch { throw JUnitError(error) }
    }

    private mutating func closed(_ element: Element?) throws(JUnitError) {
        switch element {
        case .failure, .error: failures.end(text: text?.text ?? "")
        case .skipped: skip(text?.text ?? "")
        case .testcase:
            guard var finished = current else { return }
            if let text = failures.text { finished.ending = .failed(text) }
            finished.failures = failures.all
            finished.output = output?.text ?? ""
            current = nil
            output = nil
            try keep(finished)
        default: break
        }
    }

    private mutating func keep(_ finished: JUnitCase) throws(JUnitError) {
        textBytes += finished.textBytes
        guard cases.count < FarmLimits.plannedTestsMax else {
            throw JUnitError(reason: "it has too many cases")
        }
        guard textBytes <= FarmLimits.junitTextBytesMax else {
            let limit = FarmLimits.junitTextBytesMax >> 20
            throw JUnitError(reason: "its cases have more than \(limit) MB of text together")
        }
        cases.append(finished)
    }

    private mutating func skip(_ reason: String) {
        let reason = reason.trimmingCharacters(in: .whitespacesAndNewlines)
        switch current?.ending {
        case .passed, .skipped(""): current?.ending = .skipped(reason)
        default: break
        }
    }

    private func normal(_ text: String?) -> String { (text ?? "").inNormalForm }

    /// `1,234.5` is written by some Java versions.
    private func seconds(_ text: String) -> Double {
        let value = Double(text) ?? Double(text.filter { $0 != "," }) ?? 0
        return value.isFinite ? min(max(0, value), FarmLimits.resultSecondsMax) : 0
    }
}

extension JUnitCase {
    fileprivate var textBytes: Int {
        let said =
            switch ending {
            case .passed: 0
            case .failed(let text), .skipped(let text): text.utf8.count
            }
        return name.utf8.count + className.utf8.count + file.utf8.count + said
            + output.utf8.count
    }
}
