// The page in Japanese. Words of the field stay as people in it write them.
import FarmCore

extension PageText {
    static let japanese = PageText(
        language: .japanese,
        skipToChanges: "変更一覧へ移動",
        mode: { $0 == .record ? "記録" : "検証" },
        aPart: "一部",
        state: { state in
            switch state {
            case .running: "実行中"
            case .passed: "合格"
            case .failed: "要確認"
            case .incomplete: "未完了"
            case .cancelled: "中止"
            case .unjudgeable: "判定不能"
            }
        },
        verdict: verdict,
        headline: headline,
        fact: { name in
            switch name {
            case "run": "実行"
            case "commit": "コミット"
            case "branch": "ブランチ"
            case "pull request": "プルリクエスト"
            case "CI job": "CIのジョブ"
            case "references": "参照セット"
            case "mode": "モード"
            case "part": "範囲"
            case "started": "開始"
            case "started by": "開始した人"
            case "took": "所要時間"
            case "compared": "比較"
            default: name
            }
        },
        compared: "{1}枚（うち{2}枚は同一ファイル）",
        changesInPictures: { "\($1)枚の画像に\($0)件の変更" },
        runs: "実行一覧",
        howFar: "進行状況",
        otherLanguage: "English",
        problems: "問題",
        notes: "お知らせ",
        follows: { finding in
            let parts = [(finding.tests, "件のテスト"), (finding.pictures, "枚の画像")].filter { $0.0 > 0 }
            let words = parts.map { "\($0.0)\($0.1)" }.joined(separator: "と")
            return words.isEmpty ? "" : "\(words)に影響しています。"
        },
        toolDetail: "ツールの説明（英語）",
        quarantined: "不安定なため集計外",
        quarantinedUntil: "{1}まで集計外: {2}",
        rejectedBefore: "以前に却下",
        matrix: "端末ごとの結果",
        testsByCell: "テスト数",
        cell: "端末",
        planned: "予定",
        skipped: "スキップ",
        all: "合計",
        skippedTests: "スキップしたテスト",
        incomplete: "未完了",
        showThem: "{3}の{2}{1}件を表示",
        changes: "変更",
        allAsExpected: "すべての画像が期待どおりです。",
        foldedChanges: "上記の理由で欠落した画像",
        tests: "テスト",
        testsOf: { "\($0)件のテスト" },
        attempts: { "\($0)回試行" },
        output: "出力",
        log: "ログ",
        lost: "実行中のマシンが停止しました",
        catalogue: "画面カタログ",
        nothingMatches: "条件に合うものはありません。",
        rest: { left, thing in "ほかに\(left)件の\(word(thing))があります。summary.json を参照してください。" },
        glossary: "用語の説明",
        glossaryWords: [
            ("参照", "別の画像が承認されるまで正しいとされる画像"), ("変更", "参照と異なる"),
            ("新規", "参照がまだない"), ("欠落", "参照はあるが、テストが作成しなくなった"),
            ("未到達", "テストがその前で止まったため、何も言えない"),
            ("移動", "この端末が引き継ぐ別の端末の参照と同じ"),
            ("不安定", "同じ実行の中で結果が一致しない、または再試行でのみ合格"),
            ("失敗", "テスト自身が失敗と判定"), ("エラー", "テストが自分で終了しなかった、または結果を信頼できない"),
            ("スイート", "ひとまとまりのテストのフォルダー"), ("領域", "画像の中で異なる部分"),
            ("公開", "承認した画像を、以後の実行の参照にすること"),
            ("参照セット", "ある時点のプロジェクトのすべての参照。IDで区別する"),
            ("ピン", "使う参照セットを示す、リポジトリ内のファイル。コミットすると有効になる"),
            ("参照ストア", "すべての参照セットの画像の保管場所"),
            ("パイプライン", "どのテストをどの端末で実行するかを書いたファイル"),
            ("検証・記録", "画像を参照と比べること、画像を参照にすること"),
            ("分割した実行の一部（shard）", "複数のマシンで分けた実行の、1台の分担"),
            ("コミット", "IDで区別する、保存されたリポジトリの状態"),
        ],
        phrases: japanesePhrases,
        busyMachine: "テストしたマシンの負荷が高すぎました。アプリが正しく見える場合は、もう一度実行してください。",
        largestDelta: { "色の差は最大\(max(1, (100 * $0 + 127) / 255)) %" },
        pixels: { "\($0)ピクセル" },
        cells: { "\($0)枚の画像" },
        place: { place in
            place.replacing(/^([0-9]+) cells: (?:([0-9]+) devices)?/) { match in
                "\(match.1)枚の画像: " + (match.2.map { "\($0)端末" } ?? "")
            }
        },
        showCells: { "\($0)枚の画像を表示" },
        allChanges: "すべての変更",
        part: { "変更 \($2.grouped)件中 \($0.grouped)～\($1.grouped)件目" },
        previous: "前へ",
        next: "次へ",
        reference: "参照",
        anotherTake: "別の試行",
        thisRun: "今回",
        difference: "差分",
        noReference: "参照はまだありません",
        notMade: "今回は作成されていません",
        legend: "色の意味",
        legendWords: [
            ("magenta", "異なる部分。縞模様は片方にしかない部分"), ("vermilion", "移動した内容の元の位置"),
            ("blue", "移動した内容の新しい位置"), ("gold", "縁の滑らかさだけの違い"), ("grey", "一致する部分（薄く表示）"),
        ],
        filter: "絞り込み",
        verdicts: "判定",
        filterByName: "名前で絞り込む",
        allCells: "すべての端末",
        suite: "スイート",
        allSuites: "すべてのスイート",
        compare: "比較方法",
        sideBySide: "並べる",
        swipe: "スワイプ",
        blink: "点滅",
        showRegions: "領域",
        decisions: "判断",
        keys: "キー操作",
        keyWords: [
            ("j k", "次の変更、前の変更"), ("1 2 3 4", "比較方法"), ("z", "拡大（+ でピクセルまで）"),
            ("space", "点滅を止める"), ("r", "領域"), ("n", "縦長の画像の次の差分"), ("o", "ほかの端末の画像を開く"),
            ("h l", "前の端末、次の端末"),
            ("t", "表示中のものにチェック"), ("/", "名前で絞り込む"), ("Esc", "絞り込みを解除"),
        ],
        decideKeyWords: [
            ("a", "承認して次の変更へ"), ("x", "理由を書いて却下"), ("c", "コメント"), ("u", "取り消し"), ("p", "公開ボタンへ移動"),
            ("w", "この参照画像の理由"),
        ],
        take: "選択",
        ticked: "{1}件選択中",
        accept: "承認",
        reject: "却下",
        why: "理由",
        copyCommand: "コマンドをコピー",
        copyComment: "コメントをコピー",
        theText: "テキストを表示",
        command: "ターミナル用",
        comment: "プルリクエスト用",
        mark: { decision in
            switch decision {
            case .open: "未判断"
            case .accepted: "承認済み"
            case .rejected: "却下済み"
            case .published: "公開済み"
            case .mixed: "一部判断済み"
            }
        },
        by: { who, when in who.isEmpty ? when : "\(who)、\(when)" },
        mixed: { "承認\($0)件、却下\($1)件、未判断\($2)件" },
        say: "コメント",
        undo: "取り消し",
        whatIsWrong: "どこが問題ですか？",
        yourComment: "コメント（判断にはなりません）",
        undoAll: { "まとめて承認した変更\($0)件（\($1)枚）を取り消す" },
        tickedOnly: "チェックしたものだけ:",
        progress: { "\($1)件中\($0)件を判断済み" },
        acceptAll: { "未判断の変更\($0)件（\($1)枚）をすべて承認" },
        tooManyAtOnce: { "未判断の画像が\($0.grouped)枚あります。一度に\($1.grouped)枚以下になるよう絞り込んでください。" },
        publish: { pictures, removed in
            switch (pictures - removed, removed) {
            case (_, 0): "\(pictures)枚を公開"
            case (0, _): "公開：\(removed)枚が参照から外れます"
            case (let kept, _): "公開：\(kept)枚が参照になり、\(removed)枚が外れます"
            }
        },
        decided: { kind, pictures, removed in
            guard pictures > 0 else {
                return switch kind {
                case .published: "新たに公開したものはありません。"
                case .withdrawn: "取り消す判断はありません。"
                default: "変更はありません。すでに同じ判断です。"
                }
            }
            let kept = pictures - removed
            return switch kind {
            case .accepted where removed > 0:
                "\(pictures.grouped)枚を承認しました。\(removed.grouped)枚は参照から外れます。"
            case .accepted: "\(pictures.grouped)枚を承認しました。"
            case .rejected: "\(pictures.grouped)枚を却下しました。"
            case .withdrawn: "\(pictures.grouped)枚の判断を取り消しました。"
            case .commented: "コメントを保存しました。"
            case .published where kept == 0:
                "公開しました：\(removed.grouped)枚が参照から外れました。"
            case .published where removed > 0:
                "公開しました：\(kept.grouped)枚が参照になり、\(removed.grouped)枚が外れました。"
            case .published: "\(pictures.grouped)枚を公開しました。"
            }
        },
        nothingAccepted: "公開前の承認済み画像はありません。",
        lookOnly: "閲覧のみできます。",
        pinToCommit: "公開済みですが、リポジトリはまだ新しい参照画像を使っていません。リポジトリで実行:",
        publishedPin: { japanese($0) },
        pinPatch: "同じ内容のパッチ（git apply用）",
        copy: "コピー",
        script: [
            "detail": "ツールの説明（英語）",
            "shown": "{2}件中{1}件を表示", "open": "開く", "zoom": "拡大", "copied": "コピーしました。",
            "close": "閉じる", "at": "x {1}, y {2}", "reference": "参照", "current": "今回",
            "diff": "差分", "none": "なし", "noReference": "参照はまだありません",
            "notMade": "今回は作成されていません",
            "served": "Chromiumでは、サーバーから開いたページでのみピクセルの値を表示できます（例: snapfarm review）。",
            "zoomHelp": "ドラッグか矢印キーで移動、+ と − で拡大縮小、0で全体、1で100 %、nで次の差分、Escで閉じます。",
            "copy": "コピー", "accept": "承認", "cancel": "キャンセル",
            "askAll": "公開すると参照になり、欠落したものは参照から外れます。まとめて取り消せます。",
            "turned": "表示中に{1}さんが変更しました：{2}", "turnedOpen": "表示中に判断が取り消されました。",
            "fit": "全体", "beside": "並べる", "smaller": "縮小", "larger": "拡大",
            "single": "コメントに含まれるのは変更全体だけです。個別の画像はコマンドにのみ含まれます。",
            "failed": "サーバーが応答しません。何も変更されていません。",
            "slider": "表示する参照の割合", "ticked": "{1}件選択中", "region": "{3}×{4}（位置 {1}, {2}）",
            "part": "{2}分割中の{1}番目", "partBefore": "上の部分", "partAfter": "下の部分",
            "nextDifference": "次の差分",
        ]
    )

    /// Phrases of runs about pictures.
    private static let japanesePhrases = [
        "recoloured": "色の変更", "text changed": "文字の変更", "appeared": "追加された部分",
        "vanished": "なくなった部分", "an edge grew": "縁が広がった", "an edge shrank": "縁が狭まった",
        "anti-aliasing only": "縁の滑らかさのみ", "anti-aliasing": "縁の滑らかさ", "moved": "移動",
        "changed": "変更", "other changes": "その他の変更", "little in common": "共通点がほとんどない",
        "noise only": "見えないほど小さな差のみ", "no reference yet": "参照はまだありません",
        "no reference yet.": "参照はまだありません。", "recorded for the first time.": "初めて記録しました。",
        "recorded anew.": "記録し直しました。",
        "no job of this pipeline makes it any more.":
            "このパイプラインのどのジョブも作成しなくなりました。",
        "its test did not get there.": "テストはここまで到達しませんでした。",
        "its test ran to its end without making it.":
            "テストは最後まで実行されましたが、この画像は作成されませんでした。",
    ]

    private static func verdict(_ verdict: Verdict?) -> String {
        switch verdict {
        case .passed: "一致"
        case .changed: "変更"
        case .new: "新規"
        case .moved: "移動"
        case .missing: "欠落"
        case .unreached: "未到達"
        case .flaky: "不安定"
        case .failed: "失敗"
        case .errored: "エラー"
        case nil: "判定なし"
        }
    }

    /// As ``Wording/headline(_:escaped:)``; what a problem says stays as it is.
    private static func headline(_ summary: RunSummary) -> String {
        let counts = summary.counts
        func list(without: Set<Verdict>) -> String {
            let words = Wording.verdictOrder.filter { !without.contains($0) && counts[$0] > 0 }
                .map { "\(verdict($0))\(counts[$0])" }
            let skipped = counts.skipped > 0 ? ["スキップ\(counts.skipped)"] : []
            return (words + skipped).joined(separator: "、")
        }
        switch summary.state {
        case .passed where summary.run.mode == .verify && counts.passed == counts.planned:
            return "\(counts.planned)件のテストはすべて期待どおりです。"
        case .failed:
            let open = counts.planned - counts.passed - counts.skipped - counts.flaky
            guard open > 0 else { return "確認が必要です。下の問題と変更を参照してください。" }
            return "\(counts.planned)件中\(open)件のテストを確認してください：\(list(without: [.passed, .flaky]))"
        case .passed: return "\(counts.planned)件のテスト：\(list(without: []))"
        case .incomplete:
            return "\(counts.planned)件中\(counts.withoutVerdict)件のテストに判定がなく、この実行からは何も言えません。"
        case .running: return "\(counts.planned)件のテストを実行しています。"
        case .cancelled: return "中止されました。\(counts.planned)件のテスト：\(list(without: []))"
        case .unjudgeable: return "この実行は判定できません。下の問題を参照してください。"
        }
    }

    private static func word(_ thing: PageThing) -> String {
        switch thing {
        case .changes: "変更"
        case .cells: "画像"
        case .tests: "テスト"
        case .skippedTests: "スキップしたテスト"
        case .quarantined: "不安定な項目"
        case .rejections: "却下"
        case .pictures: "画像"
        }
    }
}
