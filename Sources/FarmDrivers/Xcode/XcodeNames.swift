// Finds the test case of one launch for each tool's own spelling of its name.
import FarmCore

/// The tests of a launch, by every name that Xcode's tools use.
struct XcodeNames: Sendable {
    private var byKey: [String: TestID] = [:]
    /// The tests by class and method, or by suite and function, as consoles name them.
    private var byConsole: [String: [TestID]] = [:]
    private var byFunction: [String: [TestID]] = [:]
    private var byTitle: [String: [TestID]] = [:]
    /// The only test of the launch, or `nil` if there are several.
    private let only: TestID?
    private let modules: [String: String]

    /// Prepares the names of a launch's tests.
    ///
    /// `modules` are the targets' modules in the `.xctestrun`; a target that is not in it has its
    /// own name, as an identifier, as its module.
    ///
    /// `titles` are the known display names.
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

    /// Returns the test of a result bundle's node, or `nil` if the launch has no such test.
    func test(target: String, path: String) -> TestID? {
        byKey[XcodeTestName.key(target: target, path: path)]
    }

    /// Returns the test that XCTest's console names `-[Module.Class method]`, `-[Class method]` or
    /// `Class.method()`; after a crash, Swift Testing's tests are `Suite/function()`.
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

    /// Returns the tests that Swift Testing's console gives this name: `function()`, or in quotes a
    /// display name or a raw name without its backticks.
    ///
    /// An unknown display name is that of the only test of the launch.
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
