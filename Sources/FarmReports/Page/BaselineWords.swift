// The words of where a reference comes from, in each language of the page. What people and projects
// wrote stays as it is.
import FarmCore

extension PageLanguage {
    var baselineWords: BaselineWords {
        switch self {
        case .english: .english
        case .japanese: .japanese
        }
    }
}

/// All words about a reference in one language.
struct BaselineWords: Sendable {
    let language: PageLanguage
    let title: String
    let noStore: String
    let none: String
    let set: String
    let pin: String
    let reference: String
    let predecessor: String
    let since: String
    let by: String
    let reason: String
    let change: String
    let run: String
    let test: String
    let drawnBy: String
    let refused: String
    let history: String
    let attempts: String
    let cut: String
    let rest: @Sendable (Int) -> String
    let changed: [LifeEvent.Change: String]

    func change(_ change: LifeEvent.Change) -> String { changed[change] ?? change.rawValue }

    static let english = BaselineWords(
        language: .english,
        title: "Why this reference",
        noStore: "No reference store of this pipeline is known here.",
        none: "The set has no picture of this name.",
        set: "set",
        pin: "pinned by",
        reference: "picture",
        predecessor: "stands for it",
        since: "since",
        by: "by",
        reason: "reason",
        change: "change",
        run: "run",
        test: "made by",
        drawnBy: "drawn by",
        refused: "Refused in its place",
        history: "History",
        attempts: "Attempts of its test",
        cut: "The journal does not tell what was before.",
        rest: { "\($0) more; snapfarm refs log shows them." },
        changed: [
            .added: "Added", .changed: "Changed", .removed: "Removed", .renamed: "Renamed from",
        ]
    )

    static let japanese = BaselineWords(
        language: .japanese,
        title: "この参照画像の理由",
        noStore: "このパイプラインの参照ストアはここでは分かりません。",
        none: "このセットにはこの名前の画像がありません。",
        set: "セット",
        pin: "ピン",
        reference: "画像",
        predecessor: "代わりの画像",
        since: "記録日時",
        by: "記録者",
        reason: "理由",
        change: "変更",
        run: "実行",
        test: "テスト",
        drawnBy: "描画環境",
        refused: "代わりに却下された画像",
        history: "履歴",
        attempts: "テストの試行",
        cut: "これより前のことは記録にありません。",
        rest: { "ほかに\($0)件あります（snapfarm refs log）。" },
        changed: [.added: "追加", .changed: "変更", .removed: "削除", .renamed: "名前の変更、元は"]
    )
}
