// The short name of a picture for people: without the device, size and scale that frameworks put
// into names, because the cell has these already.

package enum PictureTitle {
    /// The models of Apple devices; iOSSnapshotTestCase writes `UIDevice.model` in place of the
    /// device's name.
    private static let models = ["iPhone", "iPad", "iPod touch", "Apple TV"]

    /// Returns `name` without the words of its device, or `name` itself if nothing else would be
    /// left.
    ///
    /// Both `testEmpty_iPhone8_13_1_375x667@2x` and `testEmpty_iPhone_13_1_375x667@2x` become
    /// `testEmpty`.
    package static func of(_ name: String, on device: Device?) -> String {
        var parts = name[...]
        parts = cut(scale(of: parts), from: parts)
        parts = cut(size(of: parts), from: parts)
        if let device {
            let name = words(device.name)
            let os = (device.os ?? "").split(separator: ".").map(String.init)
            let model = models.first { device.name.hasPrefix($0) }.map(words) ?? []
            // A model without a version may be a word of the test's name.
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

    /// Returns `name` without `ending` and the sign before it.
    ///
    /// Returns `name` unchanged if nothing would be left, or if the cut would split a word.
    private static func cut(_ ending: Substring, from name: Substring) -> Substring {
        guard !ending.isEmpty else { return name }
        let rest = name[..<ending.startIndex]
        guard let last = rest.last, signs.contains(last) || ending.first == "@" else { return name }
        let kept = rest.reversed().drop { signs.contains($0) }
        return kept.isEmpty ? name : rest.prefix(kept.count)
    }

    /// Returns a scale at the end of `name`, such as `@2x` or `@2.625x`; empty if there is none.
    private static func scale(of name: Substring) -> Substring {
        guard name.last == "x", let at = name.lastIndex(of: "@") else { return "" }
        let number = name[name.index(after: at)...].dropLast()
        return Double(number) == nil ? "" : name[at...]
    }

    /// Returns a size at the end of `name`, such as `375x667`; empty if there is none.
    private static func size(of name: Substring) -> Substring {
        let digits = name.reversed().prefix { $0.isASCII && ($0.isNumber || $0 == "x") }
        let ending = name.suffix(digits.count)
        let sides = ending.split(separator: "x", omittingEmptySubsequences: false)
        return sides.count == 2 && sides.allSatisfy { !$0.isEmpty } ? ending : ""
    }

    /// Returns the end of `name` that consists of `words`, with any signs between them; empty if
    /// `name` does not end with them.
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

    /// Splits `text` into runs of letters and digits.
    private static func words(_ text: String) -> [String] {
        text.split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }
}
