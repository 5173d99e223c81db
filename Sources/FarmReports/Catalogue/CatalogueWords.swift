// The words of the catalogue in each of its languages. What projects call their screens stays as
// it is.

extension PageLanguage {
    var catalogueWords: CatalogueWords {
        switch self {
        case .english: .english
        case .japanese: .japanese
        }
    }
}

/// All words of the catalogue in one language.
struct CatalogueWords: Sendable {
    let catalogue: String
    let skip: String
    /// Pictures, screens, suites.
    let counts: @Sendable (Int, Int, Int) -> String
    let set: String
    let recorded: String
    let title: String
    let by: String
    /// Screens with a picture, and screens that should have one.
    let covered: @Sendable (Int, Int) -> String
    let without: String
    let search: String
    let device: String
    let allDevices: String
    let variant: String
    let allVariants: String
    /// `{1}` and `{2}`: pictures that are shown, and all.
    let shown: String
    let nothing: String
    let unreadable: String
    /// Of a host: to the run's page.
    let run: String
    let show: String
    let rest: @Sendable (Int) -> String

    static let english = CatalogueWords(
        catalogue: "Catalogue",
        skip: "Skip to the screens",
        counts: { pictures, screens, suites in
            "\(count(pictures, "picture")) of \(count(screens, "screen")) in "
                + "\(count(suites, "suite"))"
        },
        set: "set",
        recorded: "recorded",
        title: "change",
        by: "by",
        covered: { "\($0) of \(count($1, "screen")) have pictures" },
        without: "These have none:",
        search: "Find a screen",
        device: "Device",
        allDevices: "All devices",
        variant: "Variant",
        allVariants: "All variants",
        shown: "{1} of {2} pictures",
        nothing: "No screen matches.",
        unreadable: "cannot be shown",
        run: "To the run",
        show: "Show this set",
        rest: { "\(count($0, "more picture")) not shown." }
    )

    static let japanese = CatalogueWords(
        catalogue: "画面カタログ",
        skip: "画面へ移動",
        counts: { "\($2)スイート、\($1)画面、\($0)枚" },
        set: "セット",
        recorded: "記録日時",
        title: "変更",
        by: "記録者",
        covered: { "\($1)画面のうち\($0)画面に画像があります" },
        without: "画像のない画面：",
        search: "画面を検索",
        device: "端末",
        allDevices: "すべての端末",
        variant: "バリエーション",
        allVariants: "すべてのバリエーション",
        shown: "{2}枚中{1}枚",
        nothing: "一致する画面がありません。",
        unreadable: "表示できません",
        run: "実行へ戻る",
        show: "このセットを表示",
        rest: { "ほかに\($0)枚あります。" }
    )

    private static func count(_ number: Int, _ noun: String) -> String {
        number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
    }
}
