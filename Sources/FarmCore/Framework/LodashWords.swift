// The words of a name, by the rules of lodash 4. Its `kebabCase` joins them in lower case with `-`.
//
//   - First, Latin letters lose their marks (é → e, ß → ss), and apostrophes are dropped.
//   - A word consists of lower-case letters with at most one capital before them, of capitals up to
//     the one that begins the next word (HTMLPage: HTML, Page), of digits, or of an ordinal (1st,
//     22nd, 4th).
//   - Letters of other scripts belong to the word around them; an emoji is a word of its own.
import Foundation

/// Splits a name into words as lodash does.
struct LodashWords {
    private enum Kind {
        case small, capital, digit, gap, picture, other
    }

    private let letters: [Unicode.Scalar]
    private let kinds: [Kind]

    static func of(_ name: String) -> [String] {
        let words = LodashWords(name)
        var found: [String] = []
        var place = 0
        while place < words.letters.count {
            guard let end = words.end(ofWordAt: place) else {
                place += 1
                continue
            }
            var text = String.UnicodeScalarView()
            text.append(contentsOf: words.letters[place..<end])
            found.append(String(text))
            place = end
        }
        return found
    }

    private init(_ name: String) {
        letters = Self.withoutMarks(name).filter { $0 != "'" && $0 != "\u{2019}" }
        kinds = letters.map(Self.kind)
    }

    // MARK: words

    /// Returns the end of the word that begins at `place`, or `nil` if none begins there; tries the
    /// kinds of words in lodash's order.
    private func end(ofWordAt place: Int) -> Int? {
        ordinaryWord(place) ?? capitals(place) ?? mixedWord(place)
            ?? run(from: place) { $0 == .capital } ?? ordinal(place)
            ?? run(from: place) { $0 == .digit } ?? emoji(place)
    }

    /// Returns the end of a word such as `cart` or `Cart`, or `nil` unless a gap, a capital or the
    /// end follows.
    private func ordinaryWord(_ place: Int) -> Int? {
        let start = kind(place) == .capital ? place + 1 : place
        guard let end = run(from: start, of: { $0 == .small }) else { return nil }
        let next = kind(end)
        return next == nil || next == .gap || next == .capital ? end : nil
    }

    /// Returns the end of the longest run of capitals that a gap, the end, or the capital of
    /// another word follows, or `nil` if there is none.
    private func capitals(_ place: Int) -> Int? {
        guard let last = run(from: place, of: { $0 == .capital || $0 == .other }) else {
            return nil
        }
        return (place + 1...last).reversed().first { end in
            guard let next = kind(end), next != .gap else { return true }
            let second = kind(end + 1)
            return next == .capital && (second == .small || second == .other)
        }
    }

    private func mixedWord(_ place: Int) -> Int? {
        let start = kind(place) == .capital ? place + 1 : place
        return run(from: start) { $0 == .small || $0 == .other }
    }

    private func ordinal(_ place: Int) -> Int? {
        guard let end = run(from: place, of: { $0 == .digit }), end + 2 <= letters.count else {
            return nil
        }
        let endings: [Unicode.Scalar: String] = ["1": "st", "2": "nd", "3": "rd"]
        let ending = endings[letters[end - 1]] ?? "th"
        let sign = "\(letters[end])\(letters[end + 1])"
        guard sign == ending || sign == ending.uppercased() else { return nil }
        let next = kind(end + 2)
        return next == kind(end) || next == .digit ? nil : end + 2
    }

    /// Returns the end of an emoji with its modifiers and all emoji that a joiner adds, or `nil` if
    /// there is none.
    private func emoji(_ place: Int) -> Int? {
        guard kind(place) == .picture else { return nil }
        var end = afterSigns(afterPicture(place))
        while end + 1 < letters.count, letters[end] == "\u{200D}" {
            end = afterSigns(afterPicture(end + 1))
        }
        return end
    }

    /// Returns the place after an emoji without its modifiers; a flag consists of two letters.
    private func afterPicture(_ place: Int) -> Int {
        let isFlag =
            place + 1 < letters.count
            && letters[place...(place + 1)].allSatisfy {
                ("\u{1F1E6}"..."\u{1F1FF}").contains($0)
            }
        return place + (isFlag ? 2 : 1)
    }

    private func afterSigns(_ place: Int) -> Int {
        var end = place
        if end < letters.count, ("\u{FE0E}"..."\u{FE0F}").contains(letters[end]) { end += 1 }
        if end < letters.count, ("\u{1F3FB}"..."\u{1F3FF}").contains(letters[end]) { end += 1 }
        return end
    }

    // MARK: letters

    private func kind(_ place: Int) -> Kind? { place < kinds.count ? kinds[place] : nil }

    /// Returns the end of a run of letters of some kinds that begins at `start`, or `nil` if it is
    /// empty.
    private func run(from start: Int, of isPart: (Kind) -> Bool) -> Int? {
        let count = kinds.dropFirst(start).prefix(while: isPart).count
        return count > 0 ? start + count : nil
    }

    private static func kind(_ letter: Unicode.Scalar) -> Kind {
        switch letter.value {
        case 0x61...0x7A: .small
        case 0x41...0x5A: .capital
        case 0x30...0x39: .digit
        case 0...0xBF, 0xD7, 0xF7, 0x1680, 0x180E, 0x2000...0x206F, 0x3000, 0xFEFF: .gap
        case 0x2700...0x27BF, 0x1_0000...: .picture
        default: .other
        }
    }

    /// Returns the name's scalars with Latin letters replaced by ASCII letters, and without
    /// combining marks.
    private static func withoutMarks(_ name: String) -> [Unicode.Scalar] {
        name.unicodeScalars.flatMap { letter -> [Unicode.Scalar] in
            switch letter.value {
            case 0x300...0x36F, 0x20D0...0x20FF, 0xFE20...0xFE2F: return []
            case 0xC0...0x17F where letter.value != 0xD7 && letter.value != 0xF7:
                if let plain = plainLetters[letter] { return Array(plain.unicodeScalars) }
                let parts = String(letter).decomposedStringWithCanonicalMapping.unicodeScalars
                return parts.filter { !(0x300...0x36F).contains($0.value) }
            default: return [letter]
            }
        }
    }

    /// The ASCII spelling of Latin letters that do not decompose into an ASCII letter and marks.
    private static let plainLetters: [Unicode.Scalar: String] = [
        "Æ": "Ae", "æ": "ae", "Ð": "D", "ð": "d", "Ø": "O", "ø": "o", "Þ": "Th", "þ": "th",
        "ß": "ss", "Đ": "D", "đ": "d", "Ħ": "H", "ħ": "h", "ı": "i", "Ĳ": "IJ", "ĳ": "ij",
        "ĸ": "k", "Ŀ": "L", "ŀ": "l", "Ł": "L", "ł": "l", "ŉ": "n", "Ŋ": "N", "ŋ": "n",
        "Œ": "Oe", "œ": "oe", "Ŧ": "T", "ŧ": "t", "ſ": "s",
    ]
}
