// The words of ticks and decisions on a run's page.
import FarmCore

extension PageText {
    var take: String { words("Select", "選択") }
    var ticked: String { words("{1} ticked", "{1}件選択中") }
    var accept: String { words("Accept", "承認") }
    var acceptAsAlternate: String { words("Accept as alternate", "代替として承認") }
    /// The mark of a picture that shall become an alternate.
    var acceptedAsAlternate: String { words("Accepted as alternate", "代替として承認済み") }
    /// The explanation of the button that accepts pictures as alternates.
    var alternateHint: String {
        words(
            "This picture is right as well: the reference stays, and either passes",
            "この画像も正しいとみなします（参照画像は残り、どちらでも合格）"
        )
    }
    var reject: String { words("Reject", "却下") }
    var why: String { words("Reason", "理由") }
    var copyCommand: String { words("Copy the command", "コマンドをコピー") }
    var copyComment: String { words("Copy the comment", "コメントをコピー") }
    var theText: String { words("Show the texts", "テキストを表示") }
    var command: String { words("For a terminal", "ターミナル用") }
    var comment: String { words("For the pull request", "プルリクエスト用") }

    func mark(_ decision: PageDecision) -> String {
        switch decision {
        case .open: words("To decide", "未判断")
        case .accepted: words("Accepted", "承認済み")
        case .rejected: words("Rejected", "却下済み")
        case .published: words("Published", "公開済み")
        case .mixed: words("Partly decided", "一部判断済み")
        }
    }
    func by(_ who: String, _ when: String) -> String {
        who.isEmpty ? when : words("by \(who), \(when)", "\(who)、\(when)")
    }
    func mixed(_ accepted: Int, _ rejected: Int, _ open: Int) -> String {
        words(
            "\(accepted) accepted, \(rejected) rejected, \(open) to decide",
            "承認\(accepted)件、却下\(rejected)件、未判断\(open)件"
        )
    }
    var say: String { words("Comment", "コメント") }
    var undo: String { words("Undo", "取り消し") }
    /// The question above the text field for a rejection's reason.
    var whatIsWrong: String { words("What is wrong?", "どこが問題ですか？") }
    var yourComment: String { words("Your comment; it decides nothing", "コメント（判断にはなりません）") }
    /// The words of the button that withdraws the last "Accept all", with its numbers of changes
    /// and pictures.
    func undoAll(_ changes: Int, _ pictures: Int) -> String {
        words(
            "Undo: \(count(changes, "change")), \(count(pictures, "picture")) accepted at once",
            "まとめて承認した変更\(changes)件（\(pictures)枚）を取り消す"
        )
    }
    var tickedOnly: String { words("Only what is ticked:", "チェックしたものだけ:") }
    var tickedCauses: String {
        words(
            """
            About the ticked causes. Accepted is what they explain wholly; a picture that changed \
            in another way, too, stays open. Rejected is every picture that shows one.
            """,
            "チェックした原因について：承認はそれらだけで説明できる画像に限られ、ほかの変更もある画像は未判断のままです。却下はその原因を含むすべての画像が対象です。"
        )
    }
    func progress(_ decided: Int, _ all: Int) -> String {
        words("\(decided) of \(all) decided", "\(all)件中\(decided)件を判断済み")
    }
    /// The words of the button that accepts all open changes, with their numbers of changes and
    /// pictures.
    func acceptAll(_ changes: Int, _ pictures: Int) -> String {
        words(
            "Accept all \(count(changes, "open change")), \(count(pictures, "picture"))",
            "未判断の変更\(changes)件（\(pictures)枚）をすべて承認"
        )
    }
    func tooManyAtOnce(_ pictures: Int, _ most: Int) -> String {
        let (pictures, most) = (pictures.grouped, most.grouped)
        return words(
            "\(pictures) pictures are to decide; filter to at most \(most) at once.",
            "未判断の画像が\(pictures)枚あります。一度に\(most)枚以下になるよう絞り込んでください。"
        )
    }
    /// The words of the button that publishes; `removed` of the accepted pictures leave the
    /// references.
    func publish(_ pictures: Int, _ removed: Int) -> String {
        let kept = pictures - removed
        if removed == 0 { return words("Publish \(count(pictures, "picture"))", "\(pictures)枚を公開") }
        if kept == 0 {
            let leave = removed == 1 ? "1 picture leaves" : "\(removed) pictures leave"
            return words("Publish: \(leave) the references", "公開：\(removed)枚が参照から外れます")
        }
        let become = kept == 1 ? "picture becomes a reference" : "pictures become references"
        let leave = removed == 1 ? "leaves" : "leave"
        return words(
            "Publish: \(kept) \(become), \(removed.grouped) \(leave)",
            "公開：\(kept)枚が参照になり、\(removed)枚が外れます"
        )
    }
    /// Returns the notice after a decision about `pictures` pictures; 0 means that nothing changed.
    ///
    /// `removed` of them leave the references, or have left them.
    func decided(_ kind: Decision.Kind, _ pictures: Int, _ removed: Int) -> String {
        guard pictures > 0 else { return notDecided(kind) }
        let kept = pictures - removed
        let (all, left) = (count(pictures, "picture"), removed.grouped)
        let number = pictures.grouped
        switch kind {
        case .accepted where removed > 0:
            return words(
                "Accepted \(all): \(count(removed, "picture")) will leave the references.",
                "\(number)枚を承認しました。\(left)枚は参照から外れます。"
            )
        case .accepted: return words("Accepted \(all).", "\(number)枚を承認しました。")
        case .alternate:
            return words("Accepted \(all) as alternates.", "\(number)枚を代替として承認しました。")
        case .rejected: return words("Rejected \(all).", "\(number)枚を却下しました。")
        case .withdrawn:
            return words("Took back the decision about \(all).", "\(number)枚の判断を取り消しました。")
        case .commented: return words("Kept the comment.", "コメントを保存しました。")
        case .published where kept == 0:
            return words("Published: \(all) left the references.", "公開しました：\(left)枚が参照から外れました。")
        case .published where removed > 0:
            let became = kept == 1 ? "picture became a reference" : "pictures became references"
            return words(
                "Published: \(kept) \(became), \(left) left.",
                "公開しました：\(kept.grouped)枚が参照になり、\(left)枚が外れました。"
            )
        case .published: return words("Published \(all).", "\(number)枚を公開しました。")
        }
    }

    private func notDecided(_ kind: Decision.Kind) -> String {
        switch kind {
        case .published: words("Nothing new was published.", "新たに公開したものはありません。")
        case .withdrawn: words("There is no decision to undo.", "取り消す判断はありません。")
        default:
            words("Nothing changed: it was decided so before.", "変更はありません。すでに同じ判断です。")
        }
    }
    var judgeAgain: String { words("Judge again", "再判定") }
    var judgeAgainHint: String {
        words(
            "By the pipeline file and the pin as they are now; no test runs",
            "現在のパイプラインファイルとピンで判定（テストは実行しません）"
        )
    }
    var judgedAgain: String {
        words(
            "This is the judgement by the pipeline file and the pin as they are now; no test ran.",
            "現在のパイプラインファイルとピンによる判定です（テストは実行していません）。"
        )
    }
    var nothingAccepted: String {
        words("Nothing is accepted that is not published.", "公開前の承認済み画像はありません。")
    }
    var lookOnly: String { words("You may look, but not decide.", "閲覧のみできます。") }
    var pinToCommit: String {
        words(
            "Published, but your repository does not use the new references yet. Run there:",
            "公開済みですが、リポジトリはまだ新しい参照画像を使っていません。リポジトリで実行:"
        )
    }
    /// The sentences about the place of a publication's pin, and about the person's next step.
    func publishedPin(_ pin: PublishedPin) -> String {
        words(Self.english(pin), Self.japanese(pin))
    }
    var pinPatch: String { words("The same as a patch for git apply", "同じ内容のパッチ（git apply用）") }
    var copy: String { words("Copy", "コピー") }
}
