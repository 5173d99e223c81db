// What people call a picture: its name without the device, size and scale that frameworks put into
// names, because each of these is the cell's.

package enum PictureTitle {
    /// What an Apple device calls itself: iOSSnapshotTestCase writes this, and not its name.
    private static let models = ["iPhone", "iPad", "iPod touch", "Apple TV"]

    /// The name without the words of its device (`testEmpty_iPhone8_13_1_375x667@2x` is `testEmpty`,
    /// as is `testEmpty_iPhone_13_1_375x667@2x`); the name itself where nothing else would be left.
    package static func of(_ name: String, on device: Device?) -> String {
        var parts = name[...]
        parts = cut(scale(of: parts), from: parts)
        parts = cut(size(of: parts), from: parts)
        if let device {
            let name = words(device.name)
            let os = (device.os ?? "").split(separator: ".").map(String.init)
            let model = models.first { device.name.hasPrefix($0) }.map(words) ?? []
            // A model without a version may be the test's own word.
            let own = model.isEmpty || os.isEmpty ? [] : model + os
            for words in [name + os, name, own] {
                let ending = ending(of: parts, words)
                if !ending.isEmpty {
                    parts = cut(ending, from: parts)
                    break
                }
            }
        }
        return parts.isEmpty ? name : String(parts)
    }

    private static let signs: Set<Character> = ["-", "_", " ", ".", "(", ")"]

    /// Without the ending and the sign before it; unchanged where nothing would be left, or where a
    /// word would be cut in two.
    private static func cut(_ ending: Substring, from name: Substring) -> Substring {
        guard !ending.isEmpty else { return name }
        let rest = name[..<ending.startIndex]
        guard let last = rest.last, signs.contains(last) || ending.first == "@" else { return name }
        let kept = rest.reversed().drop { signs.contains($0) }
        return kept.isEmpty ? name : rest.prefix(kept.count)
    }

    /// `@2x`, `@2.625x` at the end.
    private static func scale(of name: Substring) -> Substring {
        guard name.last == "x", let at = name.lastIndex(of: "@") else { return "" }
        let number = name[name.index(after: at)...].dropLast()
        return Double(number) == nil ? "" : name[at...]
    }

    /// `375x667` at the end.
    private static func size(of name: Substring) -> Substring {
        let digits = name.reversed().prefix { $0.isASCII && ($0.isNumber || $0 == "x") }
        let ending = name.suffix(digits.count)
        let sides = ending.split(separator: "x", omittingEmptySubsequences: false)
        return sides.count == 2 && sides.allSatisfy { !$0.isEmpty } ? ending : ""
    }

    /// The end of the name that says these words, whatever stands between them.
    private static func ending(of name: Substring, _ words: [String]) -> Substring {
        guard !words.isEmpty else { return "" }
        var rest = name
        for word in words.reversed() {
            rest = rest.prefix(rest.count - rest.reversed().prefix { signs.contains($0) }.count)
            guard rest.lowercased().hasSuffix(word.lowercased()) else { return "" }
            rest = rest.dropLast(word.count)
        }
        return name[rest.endIndex...]
    }

    /// Runs of letters and digits.
    private static func words(_ text: String) -> [String] {
        text.split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }
}
