// Which test case made a picture, by what it is called. The profile of the job's framework says by which
// rules; how two names agree is the same for all and stands here. Frameworks put pictures into a folder named
// after the test's class and begin their names with the test's:
//
//   iOSSnapshotTestCase      App.CartTests/testEmpty_dark@2x.png   App.CartTests/testEmpty
//   swift-snapshot-testing   CartTests/testEmpty.1.png             App.CartTests/testEmpty
//   pytest-mpl               tests.test_axes.test_bar/result.png   tests/test_axes.py::test_bar
//
// Only the test cases of the lease are looked at: nobody else can have made its pictures.
import FarmCore

/// Knows the names of some test cases.
package struct PictureOwners: Sendable {
    /// A test case in the parts that pictures are named after.
    private struct Named: Sendable {
        let test: TestID
        /// Folders, module, classes.
        let path: [String]
        /// The test's own name, with its parameters and without.
        let names: [String]

        /// What a folder of the test is called: pytest-mpl cuts what a closing bracket becomes.
        var folders: [String] {
            names + names.filter { $0.hasSuffix("_") }.map { String($0.dropLast()) }
        }
    }

    private let leased: Set<TestID>
    private let template: String?
    private let framework: FrameworkProfile?
    private let rules: [OwnerRule]
    /// Of the tests, as the framework spells them in file names.
    private let spelledNames: [String]
    /// By the last part of their paths.
    private var ofClass: [String: [Named]] = [:]
    /// By what a folder is called that is the test's own.
    private var ofName: [String: [Named]] = [:]

    /// Knows these test cases; `template` is the job's `captures.test`, where it has one, and the
    /// `framework` says by which rules names tell their tests.
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

    /// Whether it is one of the test cases.
    package func knows(_ test: TestID) -> Bool { leased.contains(test) }

    /// The test case that made a picture; nil where its name does not say, or says two.
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

    /// Whether a failed test may name its pictures' files.
    package var asksMessages: Bool { rules.contains(.message) }

    /// The test case is called as a pattern says, with what the picture's name says in it.
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

    /// What stands behind the last sign that parts a test's name, without parameters.
    private static func ownName(_ test: TestID) -> String? {
        let text = test.text
        let own = lastSeparator(in: text).map { text[$0.upperBound...] } ?? text[...]
        let bare = own.prefix { $0 != "(" && $0 != "[" }
        return bare.isEmpty ? nil : String(bare)
    }

    /// The folder is the class, and the name begins with the test's.
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

    /// The folder is the class and the test.
    private func byFolder(_ folders: [String]) -> TestID? {
        guard let name = folders.last else { return nil }
        let path = Array(folders.dropLast())
        let owners = (ofName[name] ?? []).filter { !path.isEmpty && Self.agree($0.path, path) }
        return owners.count == 1 ? owners[0].test : nil
    }

    /// One may say more of where a class is than the other.
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

    /// Before a test's own name: `::`, `/` or `.`, whichever the name has, outside of parameters.
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

    /// Letters and digits as they are, all else as `_`: what frameworks do to be file names.
    private static func plain(_ text: String) -> String {
        String(text.map { $0.isLetter || $0.isNumber ? $0 : "_" })
    }
}
