// Finds the test case that a tool's own spelling means, among those of one launch.
import FarmCore

/// The tests of a launch by every name that Xcode's tools have for them.
struct XcodeNames: Sendable {
    private var byKey: [String: TestID] = [:]
    /// By class and method, or by suite and function.
    private var byConsole: [String: [TestID]] = [:]
    private var byFunction: [String: [TestID]] = [:]
    private var byTitle: [String: [TestID]] = [:]
    /// The only test of the launch.
    private let only: TestID?
    private let modules: [String: String]

    /// `modules` is each target's module where the `.xctestrun` says so; else it is the target's
    /// name as an identifier.
    ///
    /// `titles` are the display names that are known.
    init(
        _ tests: [TestID],
        modules: [String: String] = [:],
        titles: [TestID: String] = [:]
    ) {
        self.modules = modules
        only = tests.count == 1 ? tests.first : nil
        for test in tests {
            let name = XcodeTestName(test)
            byKey[name.key] = test
            byConsole[name.consoleKey, default: []].append(test)
            byFunction[XcodeTestName.plain(name.function), default: []].append(test)
            if let title = titles[test] { byTitle[title, default: []].append(test) }
        }
    }

    /// The test of a result bundle's node.
    func test(target: String, path: String) -> TestID? {
        byKey[XcodeTestName.key(target: target, path: path)]
    }

    /// The test that XCTest's console calls `-[Module.Class method]`, `-[Class method]` or
    /// `Class.method()`; Swift Testing's after a crash is `Suite/function()`.
    func test(console name: some StringProtocol) -> TestID? {
        var text = String(name)
        if !text.hasPrefix("-["), text.contains("/") {
            return byConsole[XcodeTestName("/" + text).consoleKey]?.first
        }
        if text.hasPrefix("-["), text.hasSuffix("]") {
            text = String(text.dropFirst(2).dropLast())
        }
        guard let cut = text.lastIndex(of: " ") ?? text.lastIndex(of: ".") else {
            // A function outside of any suite, in a clone's output.
            return tests(function: text).first { XcodeTestName($0).suites.isEmpty }
        }
        let method = XcodeTestName.plain(String(text[text.index(after: cut)...]))
        let path =
            ClassName.parts(text[..<cut]) ?? text[..<cut].split(separator: ".").map(String.init)
        guard let type = path.last else { return nil }
        let found = byConsole["\(type)/\(method)"] ?? []
        guard found.count > 1, path.count > 1 else { return found.first }
        return found.first { module(of: $0) == path[0] } ?? found.first
    }

    /// The tests that Swift Testing's console calls by this name: `function()`, or in quotes a
    /// display name or what stood between backticks.
    ///
    /// A display name that nobody knows is that of the only test of the launch.
    func tests(function name: some StringProtocol) -> [TestID] {
        if name.hasPrefix("\""), name.hasSuffix("\""), name.count > 2 {
            let title = String(name.dropFirst().dropLast())
            let known = (byFunction[title] ?? []) + (byTitle[title] ?? [])
            return known.isEmpty ? only.map { [$0] } ?? [] : known
        }
        return name.hasSuffix(")") ? byFunction[XcodeTestName.plain(String(name))] ?? [] : []
    }

    private func module(of test: TestID) -> String {
        let target = XcodeTestName(test).target
        let letters = target.map { $0.isLetter || $0.isNumber || $0 == "_" ? $0 : "_" }
        return modules[target] ?? String(letters)
    }
}
