// The words of the catalogue of a set, and of the page that says why a picture is the reference.
import FarmCore

extension PageText {
    var skipToScreens: String { words("Skip to the screens", "画面へ移動") }
    /// The words for the numbers of pictures, screens and suites.
    func screenCounts(_ pictures: Int, _ screens: Int, _ suites: Int) -> String {
        let places = "\(count(screens, "screen")) in \(count(suites, "suite"))"
        return words(
            "\(count(pictures, "picture")) of \(places)",
            "\(suites)スイート、\(screens)画面、\(pictures)枚"
        )
    }
    var set: String { words("set", "セット") }
    var recorded: String { words("recorded", "記録日時") }
    var setChange: String { words("change", "変更") }
    var recordedBy: String { words("by", "記録者") }
    /// The words for the numbers of screens with a picture (`covered`) and of those that should
    /// have one (`wanted`).
    func screensCovered(_ covered: Int, _ wanted: Int) -> String {
        words(
            "\(covered) of \(count(wanted, "screen")) have pictures",
            "\(wanted)画面のうち\(covered)画面に画像があります"
        )
    }
    var screensWithout: String { words("These have none:", "画像のない画面：") }
    var findScreen: String { words("Find a screen", "画面を検索") }
    var variant: String { words("Variant", "バリエーション") }
    var allVariants: String { words("All variants", "すべてのバリエーション") }
    /// The words for the number of shown pictures (`{1}`) and of all pictures (`{2}`).
    var shownPictures: String { words("{1} of {2} pictures", "{2}枚中{1}枚") }
    var noScreen: String { words("No screen matches.", "一致する画面がありません。") }
    /// The words before the links to a picture's alternates.
    var alternates: String { words("· alternates", "・代替") }
    var unreadable: String { words("cannot be shown", "表示できません") }
    /// The words of the link from a host's catalogue to the run's page.
    var toTheRun: String { words("To the run", "実行へ戻る") }
    var showSet: String { words("Show this set", "このセットを表示") }
    func morePictures(_ number: Int) -> String {
        words("\(count(number, "more picture")) not shown.", "ほかに\(number)枚あります。")
    }
}

// MARK: why a picture is the reference

extension PageText {
    var whyReference: String { words("Why this reference", "この参照画像の理由") }
    var noStoreHere: String {
        words("No reference store of this pipeline is known here.", "このパイプラインの参照ストアはここでは分かりません。")
    }
    var notInSet: String { words("The set has no picture of this name.", "このセットにはこの名前の画像がありません。") }
    var pinnedBy: String { words("pinned by", "ピン") }
    var picture: String { words("picture", "画像") }
    var predecessor: String { words("stands for it", "代わりの画像") }
    var since: String { words("since", "記録日時") }
    var recordedWhy: String { words("reason", "理由") }
    var recordedRun: String { words("run", "実行") }
    var madeBy: String { words("made by", "テスト") }
    var drawnBy: String { words("drawn by", "描画環境") }
    var refusedInstead: String { words("Refused in its place", "代わりに却下された画像") }
    var history: String { words("History", "履歴") }
    var testAttempts: String { words("Attempts of its test", "テストの試行") }
    var journalEnds: String {
        words("The journal does not tell what was before.", "これより前のことは記録にありません。")
    }
    func moreEvents(_ number: Int) -> String {
        words(
            "\(number) more; snapfarm refs log shows them.",
            "ほかに\(number)件あります（snapfarm refs log）。"
        )
    }
    func change(_ change: LifeEvent.Change) -> String {
        switch change {
        case .added: words("Added", "追加")
        case .changed: words("Changed", "変更")
        case .removed: words("Removed", "削除")
        case .renamed: words("Renamed from", "名前の変更、元は")
        }
    }
}
