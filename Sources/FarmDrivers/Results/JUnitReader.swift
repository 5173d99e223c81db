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
        case name, classname, file, time, message, type, status, result, failures, errors

        /// One byte more than a test's name may have: a name that was cut is no test's.
        var bytesMax: Int {
            switch self {
            case .name, .classname, .file: FarmLimits.testIDBytesMax + 1
            case .message, .type: FarmLimits.resultOutputBytesMax
            case .time, .status, .result, .failures, .errors: 100
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
    /// Of the element inside a test case or suite that is being read.
    private var text: OutputTail?
    /// Of the test case that is being read.
    private var output: OutputTail?
    private var failures = JUnitFailures()
    private var status: JUnitStatus?
    /// The suites that are open.
    private var suites: [JUnitSuite] = []
    /// Bytes of text that the cases have.
    private var textBytes = 0
    /// The place of the last replaced character.
    private var place: TextPlace

    init(_ scanner: XMLScanner) {
        self.scanner = scanner
        place = TextPlace(offset: scanner.at)
    }

    /// Reads the whole file; nil where `mayGoOn` ended the reading.
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

    /// Of a suite that has no end the counts say nothing yet, its own failures do.
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

    /// False at the end of the file.
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

    /// Of an attribute that comes twice the first counts.
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

    /// In normal form: made for each case, it would be as many texts as there are cases.
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

    /// Names the first character of the case that could not be read.
    private mutating func replacedNote() -> String {
        let places = scanner.takeReplaced()
        guard let first = places.min() else { return "" }
        place.move(to: first, in: scanner.bytes)
        let more = places.count > 1 ? ", and \(places.count - 1) after it," : ""
        return "\n[snapfarm: the character at line \(place.line), column \(place.column) of the "
            + "results file\(more) cannot be read; U+FFFD stands for it]\n"
    }

    /// Cases that passed in a suite that did not are not known to be well.
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

    /// `1,234.5` and `0,004`: programs write numbers as their machine's language does.
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
