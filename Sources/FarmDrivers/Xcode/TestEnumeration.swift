// Reads the list that `xcodebuild -enumerate-tests -test-enumeration-style flat
// -test-enumeration-format json` writes:
//   {"errors": [], "values": [{"testPlan": "Plan", "enabledTests": [{"identifier": "T/C/m()"}],
//                              "disabledTests": []}]}
// A build without a test, or one whose tests could not be listed, must never look like an empty
// suite that passes.
import FarmCore
import Foundation

/// The tests of a build.
struct TestEnumeration: Equatable, Sendable {
    /// Every test of the job in Xcode's order, once; the disabled ones come last.
    var tests: [TestID] = []
    /// The tests that the test plan or their own trait switches off; `-only-testing` would run
    /// them.
    var disabled: Set<TestID> = []

    private struct Document: Decodable {
        struct Plan: Decodable {
            var testPlan: String?
            var enabledTests: [Test]?
            var disabledTests: [Test]?
        }
        struct Test: Decodable { var identifier: String }
        var errors: [Message]?
        var values: [Plan]?
    }

    /// The text of an error, which Xcode may write as a text, or as an object or list that contains
    /// some, beside numbers and other values.
    private struct Message: Decodable {
        var text: String

        init(from decoder: any Decoder) throws {
            text = Self.texts(in: decoder).joined(separator: " ")
            if text.isEmpty { text = "an error without words" }
        }

        private struct Key: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        private static func texts(in decoder: any Decoder) -> [String] {
            if let text = try? decoder.singleValueContainer().decode(String.self) { return [text] }
            if let object = try? decoder.container(keyedBy: Key.self) {
                return object.allKeys.sorted { $0.stringValue < $1.stringValue }
                    .compactMap { try? object.superDecoder(forKey: $0) }.flatMap(texts(in:))
            }
            guard var list = try? decoder.unkeyedContainer() else { return [] }
            return (0..<(list.count ?? 0)).compactMap { _ in try? list.superDecoder() }
                .flatMap(texts(in:))
        }
    }

    init(tests: [TestID] = [], disabled: Set<TestID> = []) {
        self.tests = tests
        self.disabled = disabled
    }

    /// Reads Xcode's list, without the tests that the job does not want.
    ///
    /// `plan` is the test plan of the job, or `nil` if every plan counts.
    init(
        _ json: Data,
        plan: String? = nil,
        targets: [String] = [],
        skip: [String] = []
    ) throws(XcodeError) {
        guard let document = try? JSONDecoder().decode(Document.self, from: json) else {
            throw .enumerationUnreadable
        }
        let errors = Self.errors(in: document)
        guard errors.isEmpty else { throw .enumerationFailed(errors) }
        let plans = (document.values ?? []).filter {
            plan == nil || $0.testPlan == nil || $0.testPlan == plan
        }
        // A plan with neither list has a form that this reader does not know.
        guard plans.allSatisfy({ $0.enabledTests != nil || $0.disabledTests != nil }) else {
            throw .enumerationUnreadable
        }
        var seen: Set<TestID> = []
        func wanted(_ tests: [Document.Test]?) throws(XcodeError) -> [TestID] {
            let named = (tests ?? []).map { TestID($0.identifier) }.filter { test in
                let name = XcodeTestName(test)
                return !skip.contains { name.isBelow($0) } && seen.insert(test).inserted
            }
            // Checked before the targets are chosen: a name without a target would belong to none
            // of them.
            if let broken = named.first(where: { !Self.isUsable($0) }) {
                throw .testUnusable(broken)
            }
            return targets.isEmpty
                ? named : named.filter { targets.contains(XcodeTestName($0).target) }
        }
        for plan in plans { tests += try wanted(plan.enabledTests) }
        // A test runs if any plan runs it.
        for plan in plans {
            let off = try wanted(plan.disabledTests)
            tests += off
            disabled.formUnion(off)
        }
        guard !tests.isEmpty else { throw .noTests(targets: targets) }
    }

    /// Returns Xcode's own error texts; none if the text is no list of tests.
    static func errors(in json: Data?) -> [String] {
        json.flatMap { try? JSONDecoder().decode(Document.self, from: $0) }.map(errors(in:)) ?? []
    }

    private static func errors(in document: Document) -> [String] {
        (document.errors ?? []).map(\.text)
    }

    /// Whether an id is one line of at most `FarmLimits.testIDBytesMax` bytes that begins with a
    /// target.
    private static func isUsable(_ test: TestID) -> Bool {
        test.text.utf8.count <= FarmLimits.testIDBytesMax
            && !test.text.contains(where: \.isNewline) && !XcodeTestName(test).target.isEmpty
    }
}
