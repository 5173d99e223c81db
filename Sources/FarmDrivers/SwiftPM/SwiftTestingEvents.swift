// Reads Swift Testing's event stream, version 6.3: one JSON object per line, written as events
// happen, complete up to a crash. Schema: swiftlang/swift-testing 6.3, Documentation/ABI/JSON.md.
//
// A test's id ends in its place (`…/S.swift:4:4`), because overloads share a name. The farm's test
// case is all overloads together, and ends when the last of them has.
import FarmCore
import Foundation

/// Reads the event stream of one Swift Testing process.
package struct SwiftTestingEvents: Sendable {
    private struct Instance {
        var test: TestID
        /// The failures as text for people; `told` has them as data for comparisons.
        var failures: [String] = []
        var told: [TestFailure] = []
        var startedAt: Double?
    }
    private struct Case {
        var open: Set<String> = []
        var ending: TestEnding?
        /// The failures of all overloads of the test case.
        var failures: [TestFailure] = []
        var seconds = 0.0
        var isStarted = false
    }

    /// The test functions, by their ids in the stream; overloads have different ids.
    private var instances: [String: Instance] = [:]
    private var cases: [TestID: Case] = [:]
    /// The absolute path of the folder of attachments; an attachment elsewhere is rejected.
    private let attachments: String

    /// Creates a reader; `attachments` is the absolute path of the folder given as
    /// `--attachments-path`.
    init(attachments: String) { self.attachments = attachments }

    /// Returns the events of one line; a line that cannot be parsed has none.
    package mutating func feed(_ line: String) -> [ProgramEvent] {
        guard let record = try? JSONDecoder().decode(StreamRecord.self, from: Data(line.utf8))
        else {
            return []
        }
        let payload = record.payload
        if record.kind == "test" {
            declare(payload)
            return []
        }
        guard let id = payload.testID else {
            return payload.failureText.map { [.failureOutsideTests($0)] } ?? []
        }
        guard let test = instances[id]?.test else {
            return payload.failureText.map { [.suiteFailed(id, $0)] } ?? []
        }
        switch payload.kind {
        case "testStarted": return start(id, test, at: payload.instant?.absolute)
        case "testSkipped": return end(id, test, .skipped(payload.reason), at: nil)
        case "issueRecorded":
            if let text = payload.failureText {
                instances[id]?.failures.append(text)
                instances[id]?.told.append(payload.failure)
            }
            return []
        case "valueAttached": return capture(payload, test)
        case "testEnded": return finish(id, test, payload)
        default: return []
        }
    }

    /// The meaning of one line of a list.
    package enum Listed: Equatable {
        case test(TestID)
        /// The line is about a suite, or an event.
        case noTest
    }

    /// Reads a line of the stream that a listing writes; returns `nil` for a line that cannot be
    /// parsed, and for a test whose name cannot be passed back to Swift Testing.
    package static func listed(_ line: Data) -> Listed? {
        guard let record = try? JSONDecoder().decode(StreamRecord.self, from: line) else {
            return nil
        }
        guard record.kind == "test" else { return .noTest }
        switch record.payload.kind {
        case "suite": return .noTest
        case "function":
            // Only such names can be passed back to Swift Testing (see `SwiftTestName`).
            guard let test = test(of: record.payload), SwiftTestName(test).isSwiftTesting else {
                return nil
            }
            return .test(test)
        default: return nil
        }
    }

    /// Returns the test case that a function is, or is an overload of, or `nil` for anything but a
    /// function.
    private static func test(of payload: StreamPayload) -> TestID? {
        guard payload.kind == "function", var name = payload.id else { return nil }
        if let place = payload.sourceLocation {
            let file = place.fileID.split(separator: "/").last.map(String.init) ?? ""
            let suffix = "/\(file):\(place.line):\(place.column)"
            if name.hasSuffix(suffix) { name = String(name.dropLast(suffix.count)) }
        }
        return TestID(name)
    }

    private mutating func declare(_ payload: StreamPayload) {
        guard let id = payload.id, let test = Self.test(of: payload) else { return }
        instances[id] = Instance(test: test)
        cases[test, default: Case()].open.insert(id)
    }

    private mutating func start(_ id: String, _ test: TestID, at seconds: Double?) -> [ProgramEvent]
    {
        instances[id]?.startedAt = seconds
        if cases[test]?.isStarted == true { return [] }
        cases[test]?.isStarted = true
        return [.started(test)]
    }

    private mutating func finish(
        _ id: String,
        _ test: TestID,
        _ payload: StreamPayload
    ) -> [ProgramEvent] {
        let failures = instances[id]?.failures ?? []
        let symbol = payload.messages?.first?.symbol
        let ending: TestEnding =
            if !failures.isEmpty {
                .failed(failures.joined(separator: "\n"))
            } else if symbol == "fail" {
                .failed(payload.failure.message)
            } else if symbol == "skip" {
                .skipped(payload.reason)
            } else {
                .passed
            }
        let told = instances[id]?.told ?? []
        let isUntold = told.isEmpty && !ending.isGood
        cases[test, default: Case()].failures += isUntold ? [payload.failure] : told
        return end(id, test, ending, at: payload.instant?.absolute)
    }

    private mutating func end(
        _ id: String,
        _ test: TestID,
        _ ending: TestEnding,
        at seconds: Double?
    ) -> [ProgramEvent] {
        var state = cases[test] ?? Case()
        state.open.remove(id)
        if let begin = instances[id]?.startedAt, let seconds {
            state.seconds += max(0, seconds - begin)
        }
        state.ending = state.ending.map { $0.worse(than: ending) } ?? ending
        cases[test] = state
        guard state.open.isEmpty, let all = state.ending else { return [] }
        return [
            .ended(
                test,
                all,
                seconds: state.seconds,
                output: "",
                failures: state.failures
            )
        ]
    }

    /// Returns a PNG attachment as a capture of the test's suite, or no event for any other file.
    ///
    /// Its file may have a random suffix if two tests use one name; the message has the name as the
    /// test wrote it.
    private func capture(_ payload: StreamPayload, _ test: TestID) -> [ProgramEvent] {
        guard let path = payload.attachment?.path, path.path(below: attachments) != nil,
            isRegularFile(path), let name = payload.attachmentName, let stem = name.withoutPNG
        else { return [] }
        let (folder, file) = splitPath(stem)
        let suite = SwiftTestName(test).folder + (folder.isEmpty ? "" : "/" + folder)
        return [.captured(test, CapturedFile(suite: suite, name: file, path: path))]
    }
}

extension TestEnding {
    /// Returns the worse of two endings; a test with a part that ran was not skipped.
    func worse(than other: TestEnding) -> TestEnding {
        func rank(_ ending: TestEnding) -> Int {
            switch ending {
            case .skipped: 0
            case .passed: 1
            case .failed, .changed, .new: 2
            case .errored: 3
            }
        }
        return rank(self) >= rank(other) ? self : other
    }
}

private struct StreamRecord: Decodable {
    var kind: String
    var payload: StreamPayload
}

private struct StreamPayload: Decodable {
    struct Place: Decodable {
        var fileID: String
        var line: Int
        var column: Int
    }
    struct Instant: Decodable { var absolute: Double }
    struct Message: Decodable {
        var symbol: String
        var text: String
    }
    struct Issue: Decodable {
        var isFailure: Bool?
        var isKnown: Bool?
        var sourceLocation: Place?
    }
    struct Attachment: Decodable { var path: String? }

    var kind: String
    var id: String?
    var testID: String?
    var sourceLocation: Place?
    var instant: Instant?
    var messages: [Message]?
    var issue: Issue?
    var attachment: Attachment?

    /// The text of an issue that fails the run, or `nil` for warnings and known issues.
    var failureText: String? {
        guard kind == "issueRecorded", let issue, issue.isKnown != true, issue.isFailure != false
        else { return nil }
        let place = issue.sourceLocation.map { place in
            "\(place.fileID.split(separator: "/").last ?? ""):\(place.line):\(place.column): "
        }
        return (place ?? "") + (messages ?? []).map(\.text).joined(separator: "\n")
    }

    /// The failure that the messages of an issue describe.
    ///
    /// If a test records an issue, its own text comes after a line of Swift Testing's.
    var failure: TestFailure {
        let texts = (messages ?? []).map(\.text)
        let isRecorded = texts.count > 1 && texts[0].hasSuffix("Issue recorded")
        let words = texts.dropFirst(isRecorded ? 1 : 0)
        return TestFailure(
            words.first ?? "failed",
            detail: words.dropFirst().joined(separator: "\n")
        )
    }

    /// The reason of a skip, or an empty text: `off today` for `Test off() skipped: "off today"`.
    var reason: String {
        guard let text = messages?.first?.text, text.hasSuffix("\""),
            let colon = text.ranges(of: ": \"").first
        else { return "" }
        return String(text[colon.upperBound...].dropLast())
    }

    /// The name of an attachment, or `nil` if there is none: `home.png` for `Attached 'home.png' to
    /// picture()`.
    var attachmentName: String? {
        guard let text = messages?.first?.text, text.hasPrefix("Attached '"),
            let end = text.ranges(of: "' to ").last
        else { return attachment?.path.map { splitPath($0).name } }
        return String(text[..<end.lowerBound].dropFirst("Attached '".count))
    }
}
