// Finds the test case that made a picture, by the picture's name. The profile of the job's
// framework lists the rules; the comparison of names is the same for all and stands here.
// Frameworks put pictures into a folder named after the test's class and begin their names with the
// test's:
//
//   iOSSnapshotTestCase      App.CartTests/testEmpty_dark@2x.png   App.CartTests/testEmpty
//   swift-snapshot-testing   CartTests/testEmpty.1.png             App.CartTests/testEmpty
//   pytest-mpl               tests.test_axes.test_bar/result.png   tests/test_axes.py::test_bar
//
// Only the test cases of the lease are candidates: no other test can have made its pictures.
import FarmCore

/// Assigns pictures to some test cases by name.
package struct PictureOwners: Sendable {
    /// A test case, split into the parts that pictures are named after.
    private struct Named: Sendable {
        let test: TestID
        /// The folders, the module and the classes that the test is in, the outermost first.
        let path: [String]
        /// The test's own name, with its parameters and without.
        let names: [String]

        /// The names that the test's own folder may have: pytest-mpl drops the `_` that a closing
        /// bracket becomes.
        var folders: [String] {
            names + names.filter { $0.hasSuffix("_") }.map { String($0.dropLast()) }
        }
    }

    private let leased: Set<TestID>
    private let template: String?
    private let framework: FrameworkProfile?
    private let rules: [OwnerRule]
    /// The names of the tests, as the framework spells them in file names.
    private let spelledNames: [String]
    /// The tests by the last part of their paths, such as their class.
    private var ofClass: [String: [Named]] = [:]
    /// The tests by the names of their own folders.
    private var ofName: [String: [Named]] = [:]

    /// Prepares the names of some test cases.
    ///
    /// `template` is the job's `captures.test`, if it has one; `framework` has the rules that find
    /// a test by a picture's name.
    init(
        _ tests: [TestID],
        template: String? = nil,
        framework: FrameworkProfile? = nil
    ) {
        leased = Set(tests)
        self.template = template
        self.framework = framework
        rules = framework?.owners ?? OwnerRule.usual
        spelledNames = tests.compactMap { test in
            Self.ownName(test).map { framework?.spelling?.spelled($0) ?? $0 }
        }
        for test in tests {
            let named = Self.named(test)
            if let type = named.path.last { ofClass[type, default: []].append(named) }
            for name in Set(named.folders) { ofName[name, default: []].append(named) }
        }
    }

    /// Whether `test` is one of the test cases that pictures are assigned to.
    package func knows(_ test: TestID) -> Bool { leased.contains(test) }

    /// Returns the test case that made a picture, or `nil` if the picture's name fits none or
    /// several.
    package func owner(suite: String, name: String) -> TestID? {
        if let template {
            let test = TestID(
                template.replacing("{suite}", with: suite).replacing("{name}", with: name)
            )
            if leased.contains(test) { return test }
        }
        let folders = Self.parts(of: suite[...])
        return rules.lazy.compactMap { rule in
            switch rule {
            case .testClass: byClass(folders, Self.plain(name))
            case .suite: byFolder(folders)
            case .test(let pattern): byFields(suite: suite, name: name, pattern)
            case .message: nil
            }
        }.first
    }

    /// Whether the message of a failed test may name its pictures' files.
    package var usesMessages: Bool { rules.contains(.message) }

    /// Returns the test case whose name is the pattern, filled with fields of the picture's name,
    /// or `nil` if there is none.
    private func byFields(suite: String, name: String, _ pattern: PicturePattern) -> TestID? {
        var fields: PictureFields = [.suite: suite, .name: name]
        let read =
            framework?.fields(ofName: name, tests: spelledNames) ?? framework?.fields(ofName: name)
        if var more = read {
            more.add(fields)
            fields = more
        }
        guard let text = pattern.filled(with: fields) else { return nil }
        let test = TestID(text)
        return leased.contains(test) ? test : nil
    }

    /// Returns the text after the last separator of a test's name, without parameters, or `nil` if
    /// there is no separator.
    private static func ownName(_ test: TestID) -> String? {
        let text = test.text
        let own = lastSeparator(in: text).map { text[$0.upperBound...] } ?? text[...]
        let bare = own.prefix { $0 != "(" && $0 != "[" }
        return bare.isEmpty ? nil : String(bare)
    }

    /// Returns the test whose class is the folder and whose name is the longest that begins the
    /// picture's name, or `nil` if there are none or several.
    private func byClass(_ folders: [String], _ name: String) -> TestID? {
        guard let type = folders.last else { return nil }
        let fitting = (ofClass[type] ?? []).filter { Self.agree($0.path, folders) }
        let lengths = fitting.map { named in
            let length = named.names.filter { name.hasPrefix($0) }.map(\.utf8.count).max() ?? 0
            return (test: named.test, length: length)
        }
        guard let longest = lengths.map(\.length).max(), longest > 0 else { return nil }
        let owners = lengths.filter { $0.length == longest }
        return owners.count == 1 ? owners[0].test : nil
    }

    /// Returns the only test whose class and name are the folder, or `nil`.
    private func byFolder(_ folders: [String]) -> TestID? {
        guard let name = folders.last else { return nil }
        let path = Array(folders.dropLast())
        let owners = (ofName[name] ?? []).filter { !path.isEmpty && Self.agree($0.path, path) }
        return owners.count == 1 ? owners[0].test : nil
    }

    /// Whether two paths end alike, although one may name more outer folders than the other.
    private static func agree(_ one: [String], _ other: [String]) -> Bool {
        let shared = min(one.count, other.count)
        return shared > 0 && one.suffix(shared) == other.suffix(shared)
    }

    // MARK: names

    private static func named(_ test: TestID) -> Named {
        let text = test.text
        let cut = lastSeparator(in: text)
        let own = cut.map { text[$0.upperBound...] } ?? text[...]
        let bare = own.prefix { $0 != "(" && $0 != "[" }
        let path = cut.map { parts(of: text[..<$0.lowerBound]) } ?? []
        let names = [own, bare].map { plain(String($0)) }
        return Named(test: test, path: path, names: names.filter { !$0.isEmpty })
    }

    /// Returns the separator before a test's own name, outside parameters: the last `::`, or if
    /// there is none the last `/`, or else the last `.`; `nil` if there is no separator.
    private static func lastSeparator(in text: String) -> Range<String.Index>? {
        let bare = text.prefix { $0 != "(" && $0 != "[" && $0 != "`" }
        for separator in ["::", "/", "."] {
            if let range = bare.ranges(of: separator).last { return range }
        }
        return nil
    }

    private static func parts(of text: Substring) -> [String] {
        let file = text.replacing(".py", with: "")
        return file.split { $0 == "/" || $0 == "." || $0 == ":" }.map { plain(String($0)) }
    }

    /// Returns a text with letters and digits kept and all else turned into `_`, as frameworks do
    /// for file names.
    private static func plain(_ text: String) -> String {
        String(text.map { $0.isLetter || $0.isNumber ? $0 : "_" })
    }
}
