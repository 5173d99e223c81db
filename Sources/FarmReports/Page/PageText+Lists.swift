// The words of a run's page that come as lists: keys, colours, the glossary, phrases, and the words
// of the script.
import FarmCore

extension PageText {
    var legendWords: [(mark: String, words: String)] {
        [
            (
                "magenta",
                words("differs; stripes: only one of the two has it", "異なる部分。縞模様は片方にしかない部分")
            ),
            ("vermilion", words("moved: where it was", "移動した内容の元の位置")),
            ("blue", words("moved: where it is", "移動した内容の新しい位置")),
            ("gold", words("only smoothed edges", "縁の滑らかさだけの違い")),
            ("grey", words("equal, faded", "一致する部分（薄く表示）")),
        ]
    }

    var keyWords: [(keys: String, words: String)] {
        let ticks = [("t", words("tick what is shown", "表示中のものにチェック"))]
        return [
            ("j k", words("next and previous change", "次の変更、前の変更")),
            ("1 2 3 4", words("how pictures are compared", "比較方法")),
            ("z", words("enlarge; + zooms to single pixels", "拡大（+ でピクセルまで）")),
            ("space", words("hold the blinking picture", "点滅を止める")),
            ("r", words("regions", "領域")),
            ("n", words("next difference of a tall picture", "縦長の画像の次の差分")),
            ("o", words("open the pictures of other devices", "ほかの端末の画像を開く")),
            ("h l", words("previous and next device", "前の端末、次の端末")),
        ] + (isComparison ? [] : ticks) + [
            ("/", words("filter by name", "名前で絞り込む")),
            ("Esc", words("clear the filter", "絞り込みを解除")),
        ]
    }

    /// The keyboard keys of a page with decisions, with their meanings.
    var decideKeyWords: [(keys: String, words: String)] {
        [
            ("a", words("accept, and on to the next change", "承認して次の変更へ")),
            ("b", words("both are right: accept as alternate", "どちらも正しい：代替として承認")),
            ("x", words("reject, with a reason", "理由を書いて却下")),
            ("c", words("comment", "コメント")),
            ("u", words("undo", "取り消し")),
            ("p", words("to the button that publishes", "公開ボタンへ移動")),
            ("w", words("why this reference", "この参照画像の理由")),
        ]
    }

    /// The words that the page's script shows, by their names in the script.
    var script: [String: String] {
        [
            "detail": toolDetail,
            "shown": shown,
            "open": words("Open", "開く"),
            "zoom": words("Enlarge", "拡大"),
            "copied": words("Copied.", "コピーしました。"),
            "close": words("Close", "閉じる"),
            "at": words("x {1}, y {2}", "x {1}, y {2}"),
            "reference": reference,
            "current": thisRun,
            "diff": difference,
            "none": words("none", "なし"),
            "noReference": noReference,
            "notMade": notMade,
            "served": words(
                "Chromium shows the values of pixels only of a served page"
                    + (isComparison ? "." : ": try \"snapfarm review\"."),
                "Chromiumでは、サーバーから開いたページでのみピクセルの値を表示できます"
                    + (isComparison ? "。" : "（例: snapfarm review）。")
            ),
            "zoomHelp": words(
                "Drag or arrow keys move, + and − zoom, 0 fits, 1 is 100 %, n is the "
                    + "next difference, Esc closes.",
                "ドラッグか矢印キーで移動、+ と − で拡大縮小、0で全体、1で100 %、nで次の差分、Escで閉じます。"
            ),
            "ignore": isComparison ? "" : words("Ignore a region", "領域を無視"),
            "ignoreHelp": words(
                "Drag over the picture, or type the first and the last pixel. The command writes the "
                    + "region into the pipeline file, for all pictures of this name.",
                "画像の上をドラッグするか、最初と最後のピクセルを入力してください。"
                    + "コマンドは、この名前のすべての画像に対して、領域をパイプラインファイルに書き込みます。"
            ),
            "left": words("Left", "左"),
            "top": words("Top", "上"),
            "right": words("Right", "右"),
            "bottom": words("Bottom", "下"),
            "copy": copy,
            "accept": accept,
            "cancel": words("Cancel", "キャンセル"),
            "askAll": words(
                "When you publish, they become references, and missing ones leave. "
                    + "One press undoes it.",
                "公開すると参照になり、欠落したものは参照から外れます。まとめて取り消せます。"
            ),
            "turned": words("{1} changed this while you looked: {2}.", "表示中に{1}さんが変更しました：{2}"),
            "turnedOpen": words(
                "Somebody took the decision back while you looked.",
                "表示中に判断が取り消されました。"
            ),
            "fit": words("Fit", "全体"),
            "beside": sideBySide,
            "smaller": words("Smaller", "縮小"),
            "larger": words("Larger", "拡大"),
            "single": words(
                "The comment takes whole changes; single pictures are in the command only.",
                "コメントに含まれるのは変更全体だけです。個別の画像はコマンドにのみ含まれます。"
            ),
            "failed": words(
                "The server did not answer. Nothing was changed.",
                "サーバーが応答しません。何も変更されていません。"
            ),
            "slider": words("Share of the reference that is shown", "表示する参照の割合"),
            "ticked": ticked,
            "region": words("{3}×{4} at {1}, {2}", "{3}×{4}（位置 {1}, {2}）"),
            "part": words("Part {1} of {2}", "{2}分割中の{1}番目"),
            "partBefore": words("The part above", "上の部分"),
            "partAfter": words("The part below", "下の部分"),
            "nextDifference": words("Next difference", "次の差分"),
        ]
    }

    /// The terms that the page explains, with their meanings.
    var glossaryWords: [(word: String, meaning: String)] {
        if isComparison { return comparedGlossary }
        return language == .english ? Self.englishGlossary : Self.japaneseGlossary
    }

    private static let englishGlossary = [
        ("reference", "the picture that is right until somebody accepts another one"),
        ("changed", "differs from its reference"), ("new", "has no reference yet"),
        ("missing", "has a reference, but its test did not make it any more"),
        ("not reached", "its test stopped before it, so nothing can be said"),
        ("moved", "equals the reference of another device that this one follows"),
        ("flaky", "attempts of one run disagree, or only a repetition passed"),
        ("failed", "the test itself said no"),
        ("errored", "the test did not end by itself, or nobody can trust its result"),
        ("inherited", "the test did not run, because it passed in an earlier run of the same code"),
        ("suite", "a folder of tests that belong together"),
        ("region", "a part of a picture in which something differs"),
        ("publish", "makes accepted pictures the references of all later runs"),
        ("reference set", "all references of a project at one time; it has an id"),
        ("pin", "the file in your repository that names the set; committing it lets it count"),
        ("reference store", "where the pictures of all sets are kept"),
        ("pipeline", "the file that says which tests run on which devices"),
        ("verify, record", "compare pictures with the references, or make them the references"),
        ("shard", "one machine's share of a run that several machines do together"),
        ("unstable", "two captures of one picture differ, though nothing was changed"),
        ("commit", "a saved state of the repository, with an id"),
    ]

    private static let japaneseGlossary = [
        ("参照", "別の画像が承認されるまで正しいとされる画像"), ("変更", "参照と異なる"),
        ("新規", "参照がまだない"), ("欠落", "参照はあるが、テストが作成しなくなった"),
        ("未到達", "テストがその前で止まったため、何も言えない"),
        ("移動", "この端末が引き継ぐ別の端末の参照と同じ"),
        ("不安定", "同じ実行の中で結果が一致しない、または再試行でのみ合格"),
        ("失敗", "テスト自身が失敗と判定"), ("エラー", "テストが自分で終了しなかった、または結果を信頼できない"),
        ("引き継ぎ", "同じコードの以前の実行で合格したため、実行していない"),
        ("スイート", "ひとまとまりのテストのフォルダー"), ("領域", "画像の中で異なる部分"),
        ("公開", "承認した画像を、以後の実行の参照にすること"),
        ("参照セット", "ある時点のプロジェクトのすべての参照。IDで区別する"),
        ("ピン", "使う参照セットを示す、リポジトリ内のファイル。コミットすると有効になる"),
        ("参照ストア", "すべての参照セットの画像の保管場所"),
        ("パイプライン", "どのテストをどの端末で実行するかを書いたファイル"),
        ("検証・記録", "画像を参照と比べること、画像を参照にすること"),
        ("分割した実行の一部（shard）", "複数のマシンで分けた実行の、1台の分担"),
        ("コミット", "IDで区別する、保存されたリポジトリの状態"),
    ]

    /// The translations of a run's phrases about pictures, by their English form.
    var phrases: [String: String] {
        language == .english ? Self.englishPhrases : Self.japanesePhrases
    }

    private static let englishPhrases = [
        "anti-aliasing only": "only smoothed edges", "anti-aliasing": "smoothed edges",
        "noise only": "differences too small to see",
    ]

    private static let japanesePhrases = [
        "grew": "大きくなった部分", "shrank": "小さくなった部分",
        "recoloured": "色の変更", "text changed": "文字の変更", "appeared": "追加された部分",
        "vanished": "なくなった部分", "an edge grew": "縁が広がった", "an edge shrank": "縁が狭まった",
        "anti-aliasing only": "縁の滑らかさのみ", "anti-aliasing": "縁の滑らかさ", "moved": "移動",
        "changed": "変更", "other changes": "その他の変更", "little in common": "共通点がほとんどない",
        "noise only": "見えないほど小さな差のみ", "no reference yet": "参照はまだありません",
        "no reference yet.": "参照はまだありません。", "recorded for the first time.": "初めて記録しました。",
        "recorded anew.": "記録し直しました。", ElementChange.none: "要素に違いはありません",
        "no job of this pipeline makes it any more.":
            "このパイプラインのどのジョブも作成しなくなりました。",
        "its test did not get there.": "テストはここまで到達しませんでした。",
        "its test ran to its end without making it.":
            "テストは最後まで実行されましたが、この画像は作成されませんでした。",
    ]
}
