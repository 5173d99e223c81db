// Tests of results files that attack the reader's time or memory. The limits are generous:
// quadratic time would take minutes. The figures of the largest files are printed;
// docs/operations.md lists them.
import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmDrivers

@Suite("hostile JUnit files", .serialized)
struct HostileJUnitTests {
    private func parse(_ text: String) throws -> [JUnitCase] {
        try JUnitFile.parse(Data(text.utf8)) { true }?.cases ?? []
    }

    /// Returns the case parsed from a test case with `inside` as its content.
    private func one(_ inside: String, _ attributes: String = "") throws -> JUnitCase? {
        try parse(
            "<testsuite><testcase name=\"a\" \(attributes)>\(inside)</testcase></testsuite>"
        ).first
    }

    /// Returns the seconds of the work, and prints them with the additional memory of the process.
    private func seconds(_ what: String, _ work: () throws -> Void) rethrows -> Double {
        let before = PeakMemory.begin()
        let clock = ContinuousClock()
        let took = try clock.measure(work) / .seconds(1)
        let megabytes = max(0, (PeakMemory.now ?? 0) - (before ?? 0)) / 1_024
        print("\(what): \((took * 10).rounded() / 10) s, \(megabytes) MB with the tests beside it")
        return took
    }

    @Test("300,000 failures of one test take as long as their bytes, and the first are kept")
    func failures() throws {
        let failures = (0..<300_000).map { "<failure message=\"m\($0)\"/>" }.joined()
        let took = try seconds("300,000 failures") {
            guard case .failed(let text) = try one(failures)?.ending else {
                Issue.record("it did not fail")
                return
            }
            #expect(text.hasPrefix("m0\nm1\n") && text.utf8.count < 1_000)
        }
        #expect(took < 90)
    }

    @Test("64 MB of cases with long texts are read, and no byte more")
    func largest() throws {
        let lines = String(repeating: "0123456789abcde\n", count: 256)
        let entry = "<testcase name=\"a\"><failure message=\"m\">\(lines)</failure></testcase>"
        let (head, tail) = ("<testsuite>", "</testsuite>")
        let room = FarmLimits.junitBytesMax - head.utf8.count - tail.utf8.count
        var file = Data(head.utf8)
        let bytes = Data(entry.utf8)
        for _ in 0..<room / bytes.count { file.append(bytes) }
        file.append(Data(tail.utf8))
        let folder = try TemporaryFolder()
        try folder.write("results.xml", file)
        let took = seconds("64 MB of results") {
            let reading = read(folder, of: ["a"])
            #expect(reading.problem == nil)
            guard case .failed(let text) = reading.results[TestID("a")]?.ending else {
                Issue.record("it did not fail")
                return
            }
            #expect(text.utf8.count == FarmLimits.resultOutputBytesMax)
        }
        #expect(took < 90)
        file.append(Data(repeating: 10, count: FarmLimits.junitBytesMax + 1 - file.count))
        try folder.write("results.xml", file)
        #expect(read(folder, of: ["a"]).problem?.message.contains("larger than 64 MB") == true)
    }

    private func read(_ folder: TemporaryFolder, of tests: [String]) -> ResultsReading {
        ResultsReading(["results.xml"], in: folder.path, of: tests.map { TestID($0) }) { true }
    }

    @Test("all cases of a suite share the text of its file, however it is spelled")
    func suiteFile() throws {
        let cases = try parse(
            "<testsuite file=\"tests/e\u{301}te\u{301}/a_very_long_name.py\">"
                + String(repeating: "<testcase/>", count: 1_000)
                + "<testcase file=\"other.py\"/></testsuite>"
        )
        let shared = cases.dropLast()
        let composed = Array("tests/\u{E9}t\u{E9}/a_very_long_name.py".utf8)
        #expect(shared.allSatisfy { Array($0.file.utf8) == composed })
        #expect(cases.last?.file == "other.py")
        // Compares the addresses of the bytes: with a text for each case, 2 MB of file took 850 MB
        // of memory.
        let places = shared.map { entry in
            entry.file.utf8.withContiguousStorageIfAvailable { UInt(bitPattern: $0.baseAddress) }
        }
        #expect(Set(places).count == 1)
    }

    @Test("cases whose texts are far more together than a file holds are refused")
    func multiplied() throws {
        let name = String(repeating: "a", count: FarmLimits.testIDBytesMax)
        func file(_ cases: Int) -> String {
            "<testsuite file=\"\(name)\">" + String(repeating: "<testcase/>", count: cases)
                + "</testsuite>"
        }
        let most = FarmLimits.junitTextBytesMax / FarmLimits.testIDBytesMax
        #expect(try parse(file(most)).count == most)
        #expect(throws: JUnitError(reason: "its cases have more than 256 MB of text together")) {
            try parse(file(most + 1))
        }
    }

    @Test("100,000 attributes of one tag take as long as their bytes, and of two the first counts")
    func attributes() throws {
        let many = (0..<100_000).map { "x\($0)=\"1\"" }.joined(separator: " ")
        let took = try seconds("100,000 attributes") {
            let entry = try one("", "\(many) name=\"b\"")
            #expect(entry?.name == "a")
        }
        #expect(took < 15)
    }

    @Test("a text of 16 MB is read, and its end is kept")
    func longText() throws {
        let text = String(repeating: "0123456789abcde\n", count: 1 << 20)
        for content in [text, "<![CDATA[\(text)]]>"] {
            let output = try #require(try one("<system-out>\(content)end</system-out>")).output
            #expect(output.hasSuffix("abcde\nend"))
            #expect(output.utf8.count <= FarmLimits.resultOutputBytesMax)
        }
    }

    @Test("what a test is called and says is cut while it is read")
    func cut() throws {
        let long = String(repeating: "ä", count: 1 << 20)
        let entry = try #require(
            try one("<failure message=\"\(long)\">\(long)</failure>", "classname=\"\(long)\"")
        )
        #expect(entry.className.utf8.count <= FarmLimits.testIDBytesMax + 1)
        guard case .failed(let text) = entry.ending else { return }
        #expect(text.utf8.count <= FarmLimits.resultOutputBytesMax)
        #expect(text.allSatisfy { $0 == "ä" })
    }

    @Test(
        "a time beyond a day is a day, and what is no time is none",
        arguments: [
            ("0,004", 0.004), ("1,234,567.5", FarmLimits.resultSecondsMax), ("1.234,5", 1234.5),
            ("1,234.5", 1234.5), ("0.", 0), ("9.3e15", FarmLimits.resultSecondsMax),
            ("1e308", FarmLimits.resultSecondsMax),
            ("1e999", 0), ("-1", 0), ("nan", 0), ("1.5", 1.5),
        ]
    )
    func time(text: String, seconds: Double) throws {
        let entry = try #require(try one("", "time=\"\(text)\""))
        #expect(entry.seconds == seconds)
        let result = JUnitMatch.result(of: TestID("a"), Array(repeating: entry, count: 3))
        #expect(result.seconds <= FarmLimits.resultSecondsMax)
    }

    @Test(
        "names without end and document types are refused",
        arguments: [
            (
                "<testsuite><" + String(repeating: "a", count: 2_000) + "/></testsuite>",
                "it has a name of more than 1000 bytes"
            ),
            (
                "<testsuite a=\"" + String(repeating: "a", count: 10_000_001) + "\"/>",
                "it has an attribute of more than 10000000 bytes"
            ),
            (
                "<!DOCTYPE lolz [<!ENTITY lol \"lol\"><!ENTITY lol2 \"&lol;&lol;\">]><a>&lol2;</a>",
                "it has a document type"
            ),
            (
                "<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><testsuite>&x;</testsuite>",
                "it has a document type"
            ),
            (
                "<?xml version=\"1.0\"?>\n<!DOCTYPE a SYSTEM \"http://127.0.0.1:9/a.dtd\"><testsuite/>",
                "it has a document type"
            ),
        ]
    )
    func refused(text: String, reason: String) {
        #expect(throws: JUnitError(reason: reason)) {
            try JUnitFile.parse(Data(text.utf8)) { true }
        }
    }

    @Test(
        "a file that stops being XML is read up to there",
        arguments: [
            "<testsuite a=\"<\"/>", "<testsuite a=\"1\"b=\"2\"/>", "<testsuite/><testsuite/>",
            "<testsuite/>text", "<testsuite><!-- no end --", "<testsuite><![CDATA[ no end ]]",
            "<testsuite><!DOCTYPE a></testsuite>",
        ]
    )
    func notXML(text: String) throws {
        let results = try JUnitFile.parse(Data(text.utf8)) { true }
        #expect(results?.cases == [])
        #expect(results?.cutOff == "it breaks off or is not XML at line 1")
    }

    @Test(
        "a reference to no character is U+FFFD, a pair of surrogates is one, other & are text",
        arguments: [
            ("&#0;&#xD800;&#x110000;", "\u{FFFD}\u{FFFD}\u{FFFD}"),
            ("&#55357;&#56832; &#xd83d;&#xDE00;", "😀 😀"),
            ("&#56832;&#55357;&#65;", "\u{FFFD}\u{FFFD}A"),
            (
                "a & b &lol; &#x; &#+5; &#99999999999999999999; &",
                "a & b &lol; &#x; &#+5; "
                    + "&#99999999999999999999; &"
            ),
        ]
    )
    func references(text: String, read: String) throws {
        let entry = try #require(try one("<failure>\(text)</failure>", "classname=\"\(text)\""))
        #expect(entry.ending == .failed(read))
        #expect(entry.className == read)
    }

    @Test("a byte that is not UTF-8 costs its character, wherever it is, and its place is named")
    func notText() throws {
        let filler = String(repeating: "é", count: 600_000)
        var file = Data("<testsuite><!-- \(filler) -->\n<testcase name=\"a\"/>".utf8)
        file += Data("<testcase name=\"b\"><system-out>\né".utf8) + [0xFF, 0xC3]
        file += Data("x</system-out></testcase><testcase name=\"c\"/></testsuite>".utf8)
        let cases = try #require(try JUnitFile.parse(file) { true }).cases
        #expect(cases.map(\.name) == ["a", "b", "c"])
        #expect(cases.map { $0.output.isEmpty } == [true, false, true])
        let note =
            "[snapfarm: the character at line 3, column 2 of the results file, and 1 after it, cannot "
            + "be read; U+FFFD stands for it]"
        #expect(cases[1].output == "\né\u{FFFD}\u{FFFD}x\n\(note)\n")
    }

    @Test("many bad characters take as long as their bytes")
    func manyBad() throws {
        let bad = Data("<testcase name=\"a&#0;\">".utf8) + [0xFF] + Data("</testcase>".utf8)
        var file = Data("<testsuite>".utf8)
        for _ in 0..<100_000 { file += bad }
        let took = try seconds("100,000 cases with bad characters") {
            let read = try #require(try JUnitFile.parse(file) { true })
            #expect(read.cases.count == 100_000)
            #expect(read.cases.last?.name == "a\u{FFFD}")
        }
        #expect(took < 60)
    }

    @Test(
        "a file is read as its first bytes or its declaration say",
        arguments: [
            ("encoding='ISO-8859-1'", "caf\u{E9} \u{201C}x\u{201D}", String.Encoding.windowsCP1252),
            ("encoding=\"windows-1252\"", "caf\u{E9} \u{20AC}", .windowsCP1252),
            ("encoding=\"UTF-16\"", "caf\u{E9} 😀", .utf16LittleEndian),
            ("encoding=\"UTF-16\"", "caf\u{E9} 😀", .utf16BigEndian),
            ("encoding=\"UTF-16\"", "caf\u{E9} 😀", .utf16),
            // The declaration is wrong.
            ("encoding=\"UTF-16\"", "caf\u{E9} 😀", .utf8),
        ]
    )
    func encodings(declaration: String, name: String, encoding: String.Encoding) throws {
        let text =
            "<?xml version=\"1.0\" \(declaration)?><testsuite><testcase name=\"\(name)\"/>"
            + "</testsuite>"
        let file = try #require(text.data(using: encoding))
        let cases = try #require(try JUnitFile.parse(file) { true }).cases
        #expect(cases == [JUnitCase(name: name)])
    }

    @Test("references, line ends and white space read as XML says")
    func text() throws {
        let entry = try #require(
            try one(
                "<system-out>a\r\nb\rc&#xD;&#65;&#x42;&lt;&gt;&amp;&quot;&apos;<!-- x -->d"
                    + "<?pi > ?><![CDATA[&amp;]]]]><![CDATA[>]]></system-out>",
                "classname='x\ty\nz\"'"
            )
        )
        #expect(entry.output == "a\nb\nc\rAB<>&\"'d&amp;]]>")
        #expect(entry.className == "x y z\"")
    }

    @Test("a text that comes in pieces is the same text, wherever it is cut")
    func pieces() throws {
        for shift in 0..<36 {
            let filler = String(repeating: "x", count: (1 << 16) - 1 - shift) + "\n"
            let entry = try one(
                "<system-out>\(filler)&#x000041;\r\n&#xD83D;&#xDE00;\r\n</system-out>"
            )
            #expect(entry?.output == "A\n😀\n", "\(shift)")
        }
    }

    @Test("control characters that a program printed do not spoil the file")
    func controls() throws {
        #expect(try one("<system-out>\u{1B}[31mred</system-out>")?.output == "\u{1B}[31mred")
    }

    @Test("reading ends when its caller says so")
    func ended() throws {
        let cases = String(repeating: "<testcase name=\"a\"/>", count: 20_000)
        let file = Data("<testsuite>\(cases)</testsuite>".utf8)
        var looks = 0
        let read = try JUnitFile.parse(file) {
            looks += 1
            return looks < 30
        }
        #expect(read == nil)
        #expect(looks == 30)
    }

    @Test("reading that never ends takes no thread from tasks, and ends with its task or its time")
    func ownThread() async throws {
        let later = ContinuousClock.now.advanced(by: .seconds(60))
        let readers = (0..<16).map { _ in
            Task {
                try await onOwnThread(until: later) { mayGoOn in
                    while mayGoOn() { Thread.sleep(forTimeInterval: 0.005) }
                }
            }
        }
        // If the readers took all of the pool's threads, this would wait for them.
        let clock = ContinuousClock()
        let began = clock.now
        for _ in 0..<20 { try await Task.sleep(for: .milliseconds(5)) }
        #expect(began.duration(to: clock.now) < .seconds(20))
        for reader in readers { reader.cancel() }
        for reader in readers {
            await #expect(throws: CancellationError.self) { try await reader.value }
        }
        try await onOwnThread(until: clock.now.advanced(by: .milliseconds(20))) { mayGoOn in
            while mayGoOn() { Thread.sleep(forTimeInterval: 0.005) }
        }
        #expect(clock.now < later)
    }
}

/// The peak memory of this process, including the tests that run in parallel.
private enum PeakMemory {
    /// Resets the peak and returns the current kilobytes, or `nil` if the system does not report
    /// them.
    static func begin() -> Int? {
        try? "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
        return now
    }

    /// The peak since `begin`, in kilobytes.
    static var now: Int? {
        let status = FileManager.default.contents(atPath: "/proc/self/status") ?? Data()
        let line = String(decoding: status, as: UTF8.self).split(separator: "\n")
            .first { $0.hasPrefix("VmHWM:") }
        return line.flatMap { Int($0.filter(\.isNumber)) }
    }
}
