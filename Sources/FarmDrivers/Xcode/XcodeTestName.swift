// The spellings of one test case in Xcode's tools:
//
//   enumeration, -only-testing   Target/Class/method    Target/Suite/function()   Target/function(a:)
//   .xctestrun                   Class/method           Suite/function()
//   XCTest's console             -[Module.Class method]   or   Class.method(); nested: ClassName.swift
//   Swift Testing's console      function(), without its suite
//   result bundle                Class/method()         Suite/function()
//
// Names between backticks may contain anything, even slashes. A test's id is the first spelling,
// unchanged, because -only-testing takes it.
import FarmCore

/// The parts of a test case's id.
struct XcodeTestName: Hashable, Sendable {
    let target: String
    /// The classes or suites around the test, outermost first; none for a function outside any
    /// suite.
    let suites: [String]
    /// The method or function, as written: `testOne`, `one()`, `` `a raw name`() ``.
    let function: String

    init(_ test: TestID) { self.init(test.text) }

    init(_ identifier: String) {
        let parts = Self.parts(of: identifier)
        target = parts.count > 1 ? parts[0] : ""
        suites = parts.count > 2 ? Array(parts[1..<(parts.count - 1)]) : []
        function = parts.last ?? identifier
    }

    /// The name in an `.xctestrun`: the id without its target.
    var inTarget: String { (suites + [function]).joined(separator: "/") }

    /// The test's name in one spelling for all tools: no backticks, and no `()` at the end.
    ///
    /// A class and a suite of one name cannot be in one target, so no two tests have one key.
    var key: String { Self.key(target: target, path: inTarget) }

    static func key(target: String, path: String) -> String {
        "\(target)/\(plain(path))"
    }

    /// The class and the method as XCTest's console prints them; of nested classes, the innermost.
    var consoleKey: String {
        let type = suites.last.flatMap { name in
            ClassName.parts(name)?.last ?? name.split(separator: ".").last.map(String.init)
        }
        return Self.plain(((type.map { [$0] } ?? []) + [function]).joined(separator: "/"))
    }

    /// Returns a text without backticks and without `()` at the end.
    static func plain(_ text: String) -> String {
        let bare = text.replacing("`", with: "")
        return bare.hasSuffix("()") ? String(bare.dropLast(2)) : bare
    }

    /// Splits an identifier at its slashes, except for those between backticks.
    private static func parts(of identifier: String) -> [String] {
        var parts = [""]
        var isRaw = false
        for character in identifier {
            if character == "`" { isRaw.toggle() }
            if character == "/", !isRaw {
                parts.append("")
            } else {
                parts[parts.count - 1].append(character)
            }
        }
        return parts
    }

    /// Whether an entry of `skip` or `targets` names the test's target, one of its suites, or the
    /// test itself.
    func isBelow(_ identifier: String) -> Bool {
        let own = ([target] + suites + [function]).map(Self.plain)
        return own.starts(with: Self.plainParts(of: identifier))
    }

    /// The paths without a target that name the test: its suites from the outermost on, and itself.
    var paths: [[String]] {
        let own = (suites + [function]).map(Self.plain)
        return own.indices.map { Array(own[...$0]) }
    }

    /// Returns the parts of an identifier, in the spelling of ``key``.
    static func plainParts(of identifier: String) -> [String] {
        parts(of: identifier).map(plain)
    }
}
