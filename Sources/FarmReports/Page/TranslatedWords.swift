// Translates a run's English sentences about pictures for the page: measurements into plain words,
// and the sentence into the page's language. A sentence that is not known as a whole stays English,
// because a part of it may be a name.
import FarmCore
import Foundation

/// An English sentence of a run, as the page shows it.
struct TranslatedWords {
    private(set) var text: String
    /// Whether the text is in the page's language.
    let isTranslated: Bool

    /// Translates a sentence about a picture; the names and values of elements at its end stay.
    init(_ words: String, _ page: PageText) {
        guard let mark = words.range(of: "; " + ElementChange.mark) else {
            self.init(plain: words, page)
            return
        }
        self.init(plain: String(words[..<mark.lowerBound]), page)
        text +=
            (isTranslated ? page.elements : "; " + ElementChange.mark) + words[mark.upperBound...]
    }

    /// Translates a line about the elements of a cause.
    init(elements line: String, _ page: PageText) {
        let known = Self.said(line, page)
        text = known ?? line
        isTranslated = page.language == .english || known != nil
    }

    private init(plain words: String, _ page: PageText) {
        let pieces = Self.pieces(words)
        let said = pieces.map { Self.said($0.piece, page) }
        isTranslated = page.language == .english || said.allSatisfy { $0 != nil }
        guard isTranslated else {
            text = words
            return
        }
        let isJapanese = page.language == .japanese
        text = zip(pieces, said).map { piece, said in
            (said ?? piece.piece) + (isJapanese && !piece.end.isEmpty ? "、" : piece.end)
        }.joined()
    }

    /// Returns the `lang` attribute of a sentence that stays in English, or empty for a translated
    /// one.
    func language(_ page: PageText) -> HTML { isTranslated ? "" : " lang=\"en\"" }

    /// Returns the phrases of a sentence, each with the separator behind it.
    private static func pieces(_ words: String) -> [(piece: String, end: String)] {
        // The note about an overloaded machine is one phrase, in brackets.
        if words.hasPrefix("(") || words.hasPrefix(CauseSummary.drawnMark) { return [(words, "")] }
        var pieces: [(piece: String, end: String)] = []
        for part in words.components(separatedBy: "; ") {
            for phrase in part.components(separatedBy: ", ") { pieces.append((phrase, ", ")) }
            pieces[pieces.count - 1].end = "; "
        }
        pieces[pieces.count - 1].end = ""
        return pieces
    }

    private static func said(_ phrase: String, _ page: PageText) -> String? {
        if phrase.hasPrefix("(The host was overloaded") { return page.busyMachine }
        if phrase.hasPrefix("largest delta ") {
            return Int(phrase.dropFirst("largest delta ".count)).map(page.largestDelta)
        }
        if let fixed = page.phrases[phrase] { return fixed }
        return page.language == .japanese ? japanese(phrase, page) : nil
    }
}

// MARK: Japanese

extension TranslatedWords {
    private static let sides = [
        "left": "左", "right": "右", "up": "上", "down": "下", "top": "上端", "bottom": "下端",
    ]

    private static func japanese(_ phrase: String, _ page: PageText) -> String? {
        drawn(phrase) ?? lines(phrase) ?? recoloured(phrase) ?? moved(phrase) ?? grown(phrase)
            ?? sizes(phrase)
            ?? amount(phrase, page) ?? gone(phrase)
    }

    private static func drawn(_ phrase: String) -> String? {
        guard phrase.hasPrefix(CauseSummary.drawnMark) else { return nil }
        return "描画環境の違いのみ：" + phrase.dropFirst(CauseSummary.drawnMark.count)
    }

    private static func recoloured(_ phrase: String) -> String? {
        if let match = phrase.wholeMatch(of: /recoloured (#[0-9a-f]+) → (#[0-9a-f]+)/) {
            return "色が\(match.1)から\(match.2)に変更"
        }
        return phrase.wholeMatch(of: /([0-9]+) more/).map { "ほか\($0.1)件" }
    }

    private static func moved(_ phrase: String) -> String? {
        guard phrase.hasPrefix("moved ") else { return nil }
        if let match = phrase.wholeMatch(
            of: /moved ([0-9]+) px (\w+)(?: and ([0-9]+) px (\w+))?(?: from row ([0-9]+))?/
        ) {
            guard let first = sides[String(match.2)] else { return nil }
            let second = match.4.flatMap { sides[String($0)] }.map { "・\($0)に\(match.3 ?? "") px" }
            let row = match.5.map { "\($0)行目から" } ?? ""
            return "\(row)\(first)に\(match.1) px\(second ?? "")移動"
        }
        return phrase.wholeMatch(of: /moved from (\S+)\./).map { "\($0.1)から移動" }
    }

    private static func grown(_ phrase: String) -> String? {
        guard phrase.hasPrefix("grew ") || phrase.hasPrefix("shrank ") else { return nil }
        guard
            let match = phrase.wholeMatch(
                of:
                    /(grew|shrank) ([0-9]+) px at (?:the (\w+)|(row|column) ([0-9]+)) \((\S+) became (\S+)\)/
            )
        else { return nil }
        let side = match.3.flatMap { ["left": "左端", "right": "右端"][$0] ?? sides[String($0)] }
        let line = match.5.map { "\($0)\(match.4 == "row" ? "行目" : "列目")" }
        let verb = match.1 == "grew" ? "増加" : "減少"
        return "\(side ?? line ?? "")で\(match.2) px\(verb)（\(match.6)から\(match.7)へ）"
    }

    private static func lines(_ phrase: String) -> String? {
        guard
            let match = phrase.wholeMatch(of: /([0-9,]+)(?: lines?)? (added|removed)\.?/)
        else { return nil }
        return "\(match.1)行\(match.2 == "added" ? "追加" : "削除")"
    }

    private static func gone(_ phrase: String) -> String? {
        phrase.wholeMatch(of: /its test (.+) is not in the list of tests any more\./)
            .map { "テスト「\($0.1)」は一覧からなくなりました。" }
    }

    private static func sizes(_ phrase: String) -> String? {
        if let match = phrase.wholeMatch(of: /(\S+) became (\S+)/) {
            return "\(match.1)から\(match.2)へ変更"
        }
        return phrase.wholeMatch(of: /the same aspect at (\S+)×/).map { "縦横比は同じで\($0.1)倍" }
    }

    private static func amount(_ phrase: String, _ page: PageText) -> String? {
        if let match = phrase.wholeMatch(of: /(at least )?([0-9,]+) regions?/) {
            return "\(match.2)か所の領域" + (match.1 == nil ? "" : "以上")
        }
        if let match = phrase.wholeMatch(of: /((?:[<>] )?[0-9.]+ %) of pixels( differ)?/) {
            return "ピクセルの\(match.1)" + (match.2 == nil ? "" : "が異なる")
        }
        return phrase.wholeMatch(
            of: /([0-9,]+) of ([0-9,]+) pixels? \((.+ %)\) differs?/
        ).map { "\($0.2)ピクセル中\($0.1)（\($0.3)）が異なる" }
    }
}
