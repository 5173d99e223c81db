// Names of pictures often carry the device, its OS or its size (`login-iPhone-8-13-1`,
// `login_375x667@2x`). When a device takes the place of another its pictures change these words
// and nothing else, so the old name follows from the new one.

/// The words by which names speak of one device.
struct DeviceWords {
    private let name: [String]
    private let os: [String]
    private let size: String
    private let scale: String

    /// The signs that names put between words; the empty one joins them (`iPhone8`).
    private static let separators = ["-", "_", " ", ".", ""]

    init(_ device: Device) {
        name = Self.words(device.name)
        os = (device.os ?? "").split(separator: ".").map(String.init)
        size = device.width > 0 ? "\(device.width)x\(device.height)" : ""
        scale = device.scale > 0 ? "@\(Self.number(device.scale))x" : ""
    }

    /// The texts that `text` may have been before `self` took the place of `old`, likeliest first;
    /// `text` itself is not among them.
    func before(_ text: String, old: DeviceWords) -> [String] {
        let device = pairs(name + os, old.name + old.os, dots: false)
        let both = pairs(name, old.name, dots: false) + pairs(os, old.os, dots: true)
        let sizes = [(size, old.size), (scale, old.scale)].filter { !$0.0.isEmpty && !$0.1.isEmpty }
        let rewritings = [device + sizes, both + sizes, pairs(name, old.name, dots: false) + sizes]
        var found: [String] = []
        for pairs in rewritings {
            let rewritten = pairs.reduce(text) { Self.replace($1.0, by: $1.1, in: $0) }
            if rewritten != text, !found.contains(rewritten) { found.append(rewritten) }
        }
        return found
    }

    /// One list of words in every spelling, beside the other in the same spelling.
    private func pairs(_ new: [String], _ old: [String], dots: Bool) -> [(String, String)] {
        guard !new.isEmpty, !old.isEmpty, new != old else { return [] }
        let separators = Self.separators.filter { !dots || !$0.isEmpty }
        return separators.map { (new.joined(separator: $0), old.joined(separator: $0)) }
    }

    /// Runs of letters and digits.
    private static func words(_ text: String) -> [String] {
        text.split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }

    /// `2`, `2.625`.
    private static func number(_ value: Double) -> String {
        value == value.rounded() ? "\(Int(value))" : "\(value)"
    }

    /// Replaces whole words: where they begin or end with a letter or a digit, none is beside it.
    private static func replace(_ word: String, by other: String, in text: String) -> String {
        var result = ""
        var rest = text[...]
        while let range = rest.firstRange(of: word) {
            let before = rest[..<range.lowerBound].last ?? result.last
            let after = rest[range.upperBound...].first
            let whole = !(isWord(before) && isWord(word.first))
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
