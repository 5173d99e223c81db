// The words of a comparison's page that differ from those of a run's page.
import FarmCore

extension PageText {
    var comparison: String { words("comparison", "比較") }
    var policy: String { words("policy", "ポリシー") }
    var before: String { words("Before", "変更前") }
    var after: String { words("After", "変更後") }
    var notBefore: String { words("Not there before", "変更前にはありません") }
    var notAfter: String { words("Not there any more", "変更後にはありません") }
    var noneDiffers: String { words("No picture differs.", "異なる画像はありません。") }

    func accepted(_ isAccepted: Bool) -> String {
        isAccepted ? mark(.accepted) : words("Never accepted", "承認なし")
    }

    /// Returns the kind of a side in words.
    func kind(of side: SideTitle) -> String {
        switch side.kind {
        case .file: words("a picture", "画像")
        case .folder: words("a folder", "フォルダー")
        case .run(let id, let commit, let isWhole):
            [
                words("run \(id)", "実行 \(id)"),
                commit.isEmpty ? "" : fact("commit") + " " + commit.prefix(12),
                isWhole ? "" : words("not all pictures", "一部の画像のみ"),
            ].filter { !$0.isEmpty }.joined(separator: " · ")
        case .set(let set): words("reference set ", "参照セット ") + set.prefix(12)
        }
    }

    /// Returns the numbers of pictures, such as `240 pictures: 9 changed, 231 equal; 2 never
    /// accepted`.
    func counted(_ summary: RunSummary, _ sides: ComparedSides) -> String {
        var counts: [Verdict: Int] = [:]
        for picture in summary.snapshots { counts[picture.verdict, default: 0] += 1 }
        let list = Wording.verdictOrder.compactMap { verdict in
            let word = self.verdict(verdict)
            return counts[verdict].map { words("\($0) \(word)", "\(word)\($0)") }
        }
        let all = words(count(summary.snapshots.count, "picture"), "\(summary.snapshots.count)枚の画像")
        let never = sides.acceptances?.values.count { !$0.isAccepted } ?? 0
        let open = never == 0 ? "" : words("; \(never) never accepted", "、承認なし\(never)")
        guard !list.isEmpty else { return all + "." }
        return all + words(": ", "：") + list.joined(separator: words(", ", "、")) + open
            + words(".", "")
    }

    /// Returns the person, the time, the run and the pull request of an acceptance or a recording.
    func recorded(_ acceptance: Acceptance) -> String {
        let time = String(acceptance.when.prefix(16)).replacing("T", with: " ")
        let facts = [
            PersonText.short(acceptance.who), time.isEmpty ? "" : time + " UTC",
            acceptance.run.isEmpty ? "" : words("run ", "実行 ") + LegalText.line(acceptance.run),
            acceptance.pullRequest,
        ].filter { !$0.isEmpty }
        guard !facts.isEmpty else {
            return words("The journal does not say who recorded it.", "記録した人はジャーナルにありません。")
        }
        let list = facts.joined(separator: words(", ", "、"))
        return acceptance.isAccepted ? list : words("recorded: ", "記録：") + list
    }

    /// Returns the word for a verdict on the page of a comparison, or `nil` if it is that of a run.
    func comparedVerdict(_ verdict: Verdict?) -> String? {
        switch verdict {
        case .passed: words("equal", "一致")
        case .new: words("added", "追加")
        case .missing: words("removed", "削除")
        case .moved: words("renamed", "名前変更")
        case .errored: words("not compared", "比較不能")
        case .changed, .unreached, .flaky, .failed, .inherited, nil: nil
        }
    }

    var comparedGlossary: [(word: String, meaning: String)] {
        language == .english
            ? [
                ("changed", "differs by more than the policy tolerates"),
                ("renamed", "the same pixels under another path"),
                ("not compared", "one of the two cannot be read as a picture"),
                ("accepted", "a person approved this very picture in the review of a run"),
                ("never accepted", "no approval of it is on record"),
                ("region", "a part of a picture in which something differs"),
                ("reference set", "all references of a project at one time; it has an id"),
            ]
            : [
                ("変更", "ポリシーの許容範囲を超えて異なる"), ("名前変更", "パスだけが異なり、ピクセルは同じ"),
                ("比較不能", "片方を画像として読み込めない"), ("承認済み", "実行のレビューで人がこの画像を承認した"),
                ("承認なし", "承認の記録がない"), ("領域", "画像の中で異なる部分"),
                ("参照セット", "ある時点のプロジェクトのすべての参照。IDで区別する"),
            ]
    }
}
