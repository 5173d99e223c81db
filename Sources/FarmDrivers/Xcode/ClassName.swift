// Decodes Objective-C's names of nested and private Swift classes, as XCTest prints them:
//   _TtCC8LibTests11WidgetTests10GizmoTests      LibTests, WidgetTests, GizmoTests
//   _TtCO8LibTests10ChoreTasks9LampTests         a class in an enumeration
//   _TtC8LibTestsP33_<32 digits>7MyTests         a private class
// A name is `_Tt`, a letter for each type from the inside to the outside (C class, V structure, O
// enumeration), then each name after its length, from the outside to the inside, the module's
// first.

/// Decodes a class's name in the Objective-C runtime.
enum ClassName {
    /// Returns the module and the types from the outside to the class, or `nil` if the name has
    /// another form.
    static func parts(_ name: some StringProtocol) -> [String]? {
        guard name.hasPrefix("_Tt") else { return nil }
        var rest = Substring(name.dropFirst("_Tt".count))
        let kinds = rest.prefix { "CVO".contains($0) }
        guard kinds.first == "C" else { return nil }
        rest = rest.dropFirst(kinds.count)
        var parts: [String] = []
        while !rest.isEmpty {
            guard let part = identifier(&rest) else { return nil }
            parts.append(part)
        }
        return parts.count == kinds.count + 1 ? parts : nil
    }

    /// Removes the identifier at the start of `rest` and returns it, or returns `nil` if there is
    /// none: `11WidgetTests`, or `P33_<32 digits>7MyTests` without the file's digits.
    private static func identifier(_ rest: inout Substring) -> String? {
        if rest.hasPrefix("P") {
            rest = rest.dropFirst()
            guard let file = counted(&rest), file.hasPrefix("_") else { return nil }
        }
        return counted(&rest).map(String.init)
    }

    private static func counted(_ rest: inout Substring) -> Substring? {
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        guard let count = Int(digits), count > 0, !digits.hasPrefix("0") else { return nil }
        let name = rest.dropFirst(digits.count).prefix(count)
        guard name.count == count else { return nil }
        rest = rest[name.endIndex...]
        return name
    }
}
