// Makes test cases from the elements of a JUnit file. The parts of a case are cut while they are
// read: names to the length of a test's name, texts to the length that a result may contain. All
// cases together have a limit too, since each case repeats its suite's file.
import FarmCore
import Foundation

/// Reads the test cases of one JUnit file in one pass.
struct JUnitReader {
    private enum Element: String {
        case testsuites, testsuite, testcase, failure, error, skipped
        case output = "system-out"
        case errors = "system-err"
    }
    private enum Attribute: String {
        case name, classname, file, time, message, type, status, result, failures, errors

        /// The most bytes of the attribute's value that are read.
        ///
        /// For names it is one byte more than a test's name may have, so that a name that was cut
        /// matches no test.
        var bytesMax: Int {
            switch self {
            case .name, .classname, .file: FarmLimits.testIDBytesMax + 1
            case .message, .type: FarmLimits.resultOutputBytesMax
            case .time, .status, .result, .failures, .errors: 100
            }
        }
    }
    /// The number of tags, attributes and pieces of text between two calls of `mayGoOn`.
    private static let stepsBetweenLooks = 256

    private var scanner: XMLScanner
    private var cases: [JUnitCase] = []
    private var isJUnit = false
    private var current: JUnitCase?
    /// The element whose tag was read last, or `nil` if it is of no interest.
    private var element: Element?
    private var attributes: [Attribute: String] = [:]
    /// The text of the element that is being read inside a test case or suite.
    private var text: OutputTail?
    /// The output of the test case that is being read.
    private var output: OutputTail?
    private var failures = JUnitFailures()
    private var status: JUnitStatus?
    /// The suites around the current position, the outermost first.
    private var suites: [JUnitSuite] = []
    /// The number of bytes of text in all cases together.
    private var textBytes = 0
    /// The line and column of the last replaced character that was reported.
    private var place: TextPlace

    init(_ scanner: XMLScanner) {
        self.scanner = scanner
        place = TextPlace(offset: scanner.at)
    }

    /// Reads the whole file; returns `nil` if `mayGoOn` stopped the reading.
    mutating func read(while mayGoOn: () -> Bool) throws(JUnitError) -> JUnitResults? {
        var steps = 0
        while true {
            let event: XMLEvent
            do { event = try scanner.next() } catch {
                guard [.broken, .empty].contains(error) else { throw JUnitError(error) }
                return JUnitResults(cases: try casesBeforeFault(), cutOff: words(of: error))
            }
            guard try take(event) else { break }
            steps += 1
            if steps % Self.stepsBetweenLooks == 0, !mayGoOn() { return nil }
        }
        guard isJUnit else {
            throw JUnitError(reason: "it has neither <testsuites> nor <testsuite>")
        }
        return JUnitResults(cases: cases)
    }

    /// Returns the cases that were read before a fault of the file.
    ///
    /// The counts of an unfinished suite are ignored, its own failures are not.
    private mutating func casesBeforeFault() throws(JUnitError) -> [JUnitCase] {
        while let suite = suites.popLast() { try finish(suite, isWhole: false) }
        return cases
    }

    private func words(of fault: XMLFault) -> String {
        let reason = JUnitError(fault).reason
        guard fault == .broken else { return reason }
        let line = 1 + scanner.bytes.prefix(scanner.at).count { $0 == UInt8(ascii: "\n") }
        return "\(reason) at line \(line)"
    }

    /// Handles an event of the scanner; returns false at the end of the file.
    private mutating func take(_ event: XMLEvent) throws(JUnitError) -> Bool {
        switch event {
        case .finished: return false
        case .start(let name):
            element = Element(rawValue: scanner.string(name))
            attributes = [:]
            if element == .testcase { _ = scanner.takeReplaced() }
        case .attribute(let name, let value): take(attribute: name, value)
        case .opened: opened()
        case .text(let range): take(text: range, hasReferences: true)
        case .characterData(let range): take(text: range, hasReferences: false)
        case .end(let name):
            try closed(Element(rawValue: scanner.string(name)))
            text = nil
        }
        return true
    }

    /// Keeps the value of an attribute; if it comes twice, the first one counts.
    private mutating func take(attribute name: Range<Int>, _ value: Range<Int>) {
        guard element != nil, let key = Attribute(rawValue: scanner.string(name)),
            attributes[key] == nil
        else { return }
        attributes[key] = scanner.value(value, bytesMax: key.bytesMax)
    }

    private mutating func opened() {
        text = nil
        switch element {
        case .testsuites, .testsuite:
            isJUnit = true
            suites.append(suite())
        case .testcase:
            current = JUnitCase(
                name: normal(attributes[.name]),
                className: normal(attributes[.classname]),
                file: fileOfElement,
                seconds: seconds(attributes[.time] ?? "")
            )
            output = nil
            failures = JUnitFailures()
            status = JUnitStatus(of: [attributes[.status], attributes[.result]])
        case .failure, .error:
            let (message, type) = (attributes[.message], attributes[.type])
            if current != nil {
                failures.begin(message: message, type: type)
            } else if !suites.isEmpty {
                suites[suites.count - 1].failures.begin(message: message, type: type)
            }
            text = OutputTail()
        case .skipped:
            skip(attributes[.message] ?? "")
            text = current.map { _ in OutputTail() }
        case .output, .errors:
            if current != nil, output == nil { output = OutputTail() }
            text = output
        case nil: break
        }
    }

    private func suite() -> JUnitSuite {
        let counts = [attributes[.failures], attributes[.errors]].map { Int($0 ?? "") ?? 0 }
        return JUnitSuite(
            name: normal(attributes[.name]),
            file: fileOfElement,
            counted: counts.reduce(0) { $0 + min(max(0, $1), FarmLimits.plannedTestsMax) },
            firstCase: cases.count
        )
    }

    /// The file that the element names, or else its suite's, in normal form; empty if neither names
    /// one.
    ///
    /// Cases share their suite's text, so that there are not as many texts as cases.
    private var fileOfElement: String {
        attributes[.file].map { normal($0) } ?? suites.last?.file ?? ""
    }

    private mutating func take(text range: Range<Int>, hasReferences: Bool) {
        guard let text else { return }
        scanner.pieces(of: range, hasReferences: hasReferences) { piece in
            text.append(piece)
            return true
        }
    }

    private mutating func closed(_ element: Element?) throws(JUnitError) {
        switch element {
        case .failure, .error:
            let said = text?.text ?? ""
            if current != nil {
                failures.end(text: said)
            } else if !suites.isEmpty {
                suites[suites.count - 1].failures.end(text: said)
            }
        case .skipped: skip(text?.text ?? "")
        case .testcase: try finishCase()
        case .testsuites, .testsuite:
            if let suite = suites.popLast() { try finish(suite, isWhole: true) }
        case .output, .errors, nil: break
        }
    }

    private mutating func finishCase() throws(JUnitError) {
        guard var finished = current else { return }
        if let text = failures.text {
            finished.ending = .failed(text)
        } else if let status {
            finished.ending = status.ending(of: finished.ending)
        }
        finished.failures = failures.all
        finished.output = (output?.text ?? "") + replacedNote()
        current = nil
        output = nil
        if finished.hasFailed, !suites.isEmpty {
            suites[suites.count - 1].addFailed(1, elements: max(1, failures.count))
        }
        try keep(finished)
    }

    /// Returns a note on the first character of the case that could not be read, or an empty text.
    private mutating func replacedNote() -> String {
        let places = scanner.takeReplaced()
        guard let first = places.min() else { return "" }
        place.move(to: first, in: scanner.bytes)
        let more = places.count > 1 ? ", and \(places.count - 1) after it," : ""
        return "\n[snapfarm: the character at line \(place.line), column \(place.column) of the "
            + "results file\(more) cannot be read; U+FFFD stands for it]\n"
    }

    /// Adds the failures of a suite that ends to the cases, and to the counts of the suite around
    /// it.
    ///
    /// If the suite failed, its passed cases fail too, because they are not known to be good.
    private mutating func finish(_ suite: JUnitSuite, isWhole: Bool) throws(JUnitError) {
        if !suites.isEmpty {
            suites[suites.count - 1].addFailed(suite.failedAtLeast, elements: suite.elements)
        }
        guard let words = suite.words(isWhole: isWhole) else { return }
        for index in suite.firstCase..<cases.count where cases[index].ending == .passed {
            cases[index].ending = .failed(words)
            try count(words.utf8.count)
        }
        try keep(suite.asCase(words))
    }

    private mutating func count(_ bytes: Int) throws(JUnitError) {
        textBytes += bytes
        guard textBytes <= FarmLimits.junitTextBytesMax else {
            let limit = FarmLimits.junitTextBytesMax >> 20
            throw JUnitError(reason: "its cases have more than \(limit) MB of text together")
        }
    }

    private mutating func keep(_ finished: JUnitCase) throws(JUnitError) {
        guard cases.count < FarmLimits.plannedTestsMax else {
            throw JUnitError(reason: "it has too many cases")
        }
        try count(finished.textBytes)
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

    /// Parses seconds such as `1,234.5` and `0,004`: programs write numbers in the form of their
    /// machine's language.
    private func seconds(_ text: String) -> Double {
        var plain = text
        let hasDecimalComma =
            text.count { $0 == "," } == 1 && text.last { $0 == "," || $0 == "." } == ","
        if hasDecimalComma { plain = plain.filter { $0 != "." } }
        plain =
            hasDecimalComma
            ? plain.replacing(",", with: ".") : plain.filter { $0 != "," }
        let value = Double(plain) ?? 0
        return value.isFinite ? min(max(0, value), FarmLimits.resultSecondsMax) : 0
    }
}

extension JUnitCase {
    var hasFailed: Bool {
        if case .failed = ending { true } else { false }
    }

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
