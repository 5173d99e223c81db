// The words for a device in the names of its pictures. Names often contain the device, its OS or
// its size (`login-iPhone-8-13-1`, `login_375x667@2x`). If a device replaces another, only these
// words change in its pictures' names, so the old name can be derived from the new one.

/// The words that stand for one device in the names of pictures.
struct DeviceWords {
    private let name: [String]
    private let os: [String]
    private let size: String
    private let scale: String

    /// The separators between words in names; the empty one is for joined words (`iPhone8`).
    private static let separators = ["-", "_", " ", ".", ""]

    init(_ device: Device) {
        name = Self.words(device.name)
        os = (device.os ?? "").split(separator: ".").map(String.init)
        size = device.width > 0 ? "\(device.width)x\(device.height)" : ""
        scale = device.scale > 0 ? "@\(Self.number(device.scale))x" : ""
    }

    /// Returns the names that `text` may have had before this device replaced `old`, the likeliest
    /// first.
    ///
    /// `text` itself is not among them.
    ///
    /// Each proposal uses one spelling: a name of one word (`iPhone`) does not show how the words
    /// of its predecessor (`iPhone 16`) were joined.
    func before(_ text: String, old: DeviceWords) -> [String] {
        let sizes = [(size, old.size), (scale, old.scale)].filter { !$0.0.isEmpty && !$0.1.isEmpty }
        var found: [(text: String, weight: Int)] = []
        func propose(_ pairs: [(String, String)], weight: Int) {
            var (rewritten, total) = (text, 0)
            for (word, other) in pairs + sizes {
                let next = Self.replace(word, by: other, in: rewritten)
                if next != rewritten { total += weight }
                rewritten = next
            }
            guard rewritten != text, !found.contains(where: { $0.text == rewritten }) else {
                return
            }
            found.append((rewritten, total))
        }
        for sign in Self.separators {
            // Device and OS together weigh more than one of them.
            propose(Self.pair(name + os, old.name + old.os, joinedBy: sign), weight: 2)
        }
        for sign in Self.separators {
            let names = Self.pair(name, old.name, joinedBy: sign)
            for dot in Self.separators where !dot.isEmpty {
                propose(names + Self.pair(os, old.os, joinedBy: dot), weight: 1)
            }
            propose(names, weight: 1)
        }
        // Swift's sort is stable, so equal weights stay in the order of proposals.
        return found.sorted { $0.weight > $1.weight }.map(\.text)
    }

    private static func pair(
        _ new: [String],
        _ old: [String],
        joinedBy separator: String
    ) -> [(String, String)] {
        guard !new.isEmpty, !old.isEmpty, new != old else { return [] }
        return [(new.joined(separator: separator), old.joined(separator: separator))]
    }

    /// Splits a text into runs of letters and digits.
    private static func words(_ text: String) -> [String] {
        text.split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }

    /// Returns a device's scale as names contain it: `2`, `2.625`.
    private static func number(_ value: Double) -> String {
        value == value.rounded() ? "\(Int(value))" : "\(value)"
    }

    /// Returns the text with a word replaced, but only where no letter or digit adjoins the match.
    private static func replace(_ word: String, by other: String, in text: String) -> String {
        var result = ""
        var rest = text[...]
        while let range = rest.firstRange(of: word) {
            let before = rest[..<range.lowerBound].last ?? result.last
            let after = rest[range.upperBound...].first
            let whole =
                !(isWord(before) && isWord(word.first))
                && !(isWord(after) && isWord(word.last))
            result += rest[..<range.lowerBound] + (whole ? other : word)
            rest = rest[range.upperBound...]
        }
        return result + rest
    }

    private static func isWord(_ character: Character?) -> Bool {
        character.map { $0.isLetter || $0.isNumber } ?? false
    }
}
