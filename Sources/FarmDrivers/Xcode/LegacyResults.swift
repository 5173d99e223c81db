// The form of result bundles before Xcode 16: `xcresulttool get --format json --path P [--id ID]`
// prints one object of a graph. Every value in it is wrapped: `{"_value": "Success"}`; lists are
// `{"_values": […]}`; other objects are named by ids. From Xcode 16 on, this needs `--legacy`.
import FarmCore
import Foundation

/// A value of the graph: a text, a list or an object.
enum LegacyValue: Decodable, Sendable {
    case text(String)
    case list([LegacyValue])
    case object([String: LegacyValue])

    private struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        guard let container = try? decoder.container(keyedBy: Key.self) else {
            self = .text((try? decoder.singleValueContainer().decode(String.self)) ?? "")
            return
        }
        if let values = try? container.decode(
            [LegacyValue].self,
            forKey: Key(stringValue: "_values")
        ) {
            self = .list(values)
        } else if let value = try? container.decode(String.self, forKey: Key(stringValue: "_value"))
        {
            self = .text(value)
        } else {
            var fields: [String: LegacyValue] = [:]
            for key in container.allKeys {
                fields[key.stringValue] = try container.decode(LegacyValue.self, forKey: key)
            }
            self = .object(fields)
        }
    }

    /// Returns the value at the end of a path of fields, or `nil` if there is none.
    subscript(path: String...) -> LegacyValue? {
        path.reduce(self as LegacyValue?) { value, field in
            if case .object(let fields)? = value { fields[field] } else { nil }
        }
    }

    var text: String? { if case .text(let text) = self { text } else { nil } }
    var list: [LegacyValue] { if case .list(let list) = self { list } else { [] } }
}

/// A picture that a test attached, before it is exported.
struct LegacyAttachment: Equatable, Sendable {
    var test: TestID
    var name: String
    /// The id for `xcresulttool export --type file --id`.
    var payload: String
}

/// Collects the results from the graph's objects, which are read one after the other.
struct LegacyResults: Sendable {
    private(set) var results = BundleResults()
    /// The ids of the tests' summaries, which have their attachments.
    private(set) var summaries: [(test: TestID, id: String)] = []
    /// The failures by test, as `Class.method`.
    private let failures: [String: [String]]
    /// The ids of the objects that hold the results of test plans.
    let tests: [String]

    /// Reads the record of the bundle, which names all other objects of the graph.
    init(record: LegacyValue) {
        var failures: [String: [String]] = [:]
        for issue in record["issues", "testFailureSummaries"]?.list ?? [] {
            let name = Self.method(issue["testCaseName"]?.text ?? "")
            let message = issue["message"]?.text ?? "failed"
            failures[name, default: []].append(Self.placed(message, issue))
        }
        self.failures = failures
        let actions = (record["actions"]?.list ?? []).filter {
            $0["actionResult", "testsRef"] != nil
        }
        tests = actions.compactMap { $0["actionResult", "testsRef", "id"]?.text }
        // A repetition is one more result of its test here; only the action shows whether it
        // counts.
        results.hasSucceeded = actions.allSatisfy {
            $0["actionResult", "status"]?.text == "succeeded"
        }
    }

    /// Returns the name of a test as `Class.method`, for `Class.method()` and Objective-C's
    /// `-[Class method]`.
    private static func method(_ name: String) -> String {
        guard name.hasPrefix("-["), name.hasSuffix("]") else { return XcodeTestName.plain(name) }
        return String(name.dropFirst(2).dropLast()).replacing(" ", with: ".")
    }

    /// Returns a message after its place, `File.swift:12: message`, for a place such as
    /// `file:///p/File.swift#…StartingLineNumber=11…`.
    private static func placed(_ message: String, _ issue: LegacyValue) -> String {
        guard let url = issue["documentLocationInCreatingWorkspace", "url"]?.text,
            let hash = url.firstIndex(of: "#"),
            let file = url[..<hash].split(separator: "/").last
        else { return message }
        let line = url[hash...].split(whereSeparator: { "#&".contains($0) })
            .first { $0.hasPrefix("StartingLineNumber=") }
            .flatMap { Int($0.dropFirst("StartingLineNumber=".count)) }
        // Xcode counts these lines from 0.
        return "\(file)" + (line.map { ":\($0 + 1)" } ?? "") + ": \(message)"
    }

    /// Reads the results of one test plan.
    mutating func read(plan: LegacyValue, _ names: XcodeNames) {
        for summary in plan["summaries"]?.list ?? [] {
            for bundle in summary["testableSummaries"]?.list ?? [] {
                let target = bundle["targetName"]?.text ?? bundle["name"]?.text ?? ""
                for test in bundle["tests"]?.list ?? [] { visit(test, target, names) }
            }
        }
    }

    private mutating func visit(_ node: LegacyValue, _ target: String, _ names: XcodeNames) {
        let children = node["subtests"]?.list ?? []
        for child in children { visit(child, target, names) }
        guard let path = node["identifier"]?.text, let word = node["testStatus"]?.text,
            let test = names.test(target: target, path: path)
        else { return }
        let own = XcodeTestName(test)
        let name = own.suites.suffix(1) + [XcodeTestName.plain(own.function)]
        let messages = failures[name.joined(separator: ".")] ?? []
        guard let ending = BundleResults.ending(word, messages) else { return }
        let isBad = if case .failed = ending { true } else { false }
        results.results.append(
            BundleResult(
                test: test,
                ending: ending,
                seconds: node["duration"]?.text.flatMap { Double($0) } ?? 0,
                failures: isBad ? messages.map { TestFailure($0) } : []
            )
        )
        if let id = node["summaryRef", "id"]?.text { summaries.append((test, id)) }
    }

    /// Returns the attachments of one test's summary, those of nested activities too.
    static func attachments(of summary: LegacyValue, _ test: TestID) -> [LegacyAttachment] {
        let activities =
            (summary["activitySummaries"]?.list ?? []) + (summary["subactivities"]?.list ?? [])
        // Frameworks attach PNGs as untyped data, too: only text is certainly no picture.
        let own = (summary["attachments"]?.list ?? []).filter {
            $0["uniformTypeIdentifier"]?.text?.contains("text") != true
        }.compactMap { attachment in
            attachment["payloadRef", "id"]?.text.map { id in
                LegacyAttachment(
                    test: test,
                    name: attachment["name"]?.text ?? attachment["filename"]?.text ?? "attachment",
                    payload: id
                )
            }
        }
        return own + activities.flatMap { attachments(of: $0, test) }
    }
}
