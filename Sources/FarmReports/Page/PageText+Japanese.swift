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
            case "job": "ジョブ"
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
        compared: "{1}枚（うち{2}枚はダイジェストのみで一致）",
        changesInPictures: { "\($1)枚の画像に\($0)件の変更" },
        runs: "実行一覧",
        howFar: "進行状況",
        otherLanguage: "English",
        problems: "問題",
        notes: "お知らせ",
        quarantined: "隔離中",
        matrix: "マトリクス",
        testsByCell: "セルごとのテスト数",
        cell: "セル",
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
        lost: "ワーカーが失われました",
        catalogue: "画面カタログ",
        nothingMatches: "条件に合うものはありません。",
        rest: { left, thing in "ほかに\(left)件の\(word(thing))があります。summary.json を参照してください。" },
        largestDelta: { "最大差 \($0)/255" },
        pixels: { "\($0)ピクセル" },
        regions: { "\($0)か所の領域" },
        cells: { "\($0)セル" },
        place: { place in
            place.replacing(/^([0-9]+) cells: (?:([0-9]+) devices)?/) { match in
                "\(match.1)セル: " + (match.2.map { "\($0)端末" } ?? "")
            }
        },
        showCells: { "\($0)セルを表示" },
        allChanges: "すべての変更",
        part: { "変更 \($2.grouped)件中 \($0.grouped)～\($1.grouped)件目" },
        previous: "前へ",
        next: "次へ",
        reference: "参照",
        anotherTake: "別の撮影",
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
        allCells: "すべてのセル",
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
            ("space", "点滅を止める"), ("r", "領域"), ("n", "縦長の画像の次の差分"), ("o", "セルを開く"),
            ("h l", "前のセル、次のセル"),
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
        publish: { "\($0)枚を公開" },
        decided: { kind, pictures in
            guard pictures > 0 else {
                return switch kind {
                case .published: "新たに公開したものはありません。"
                case .withdrawn: "取り消す判断はありません。"
                default: "変更はありません。すでに同じ判断です。"
                }
            }
            return switch kind {
            case .accepted: "\(pictures.grouped)枚を承認しました。"
            case .rejected: "\(pictures.grouped)枚を却下しました。"
            case .withdrawn: "\(pictures.grouped)枚の判断を取り消しました。"
            case .commented: "コメントを保存しました。"
            case .published: "\(pictures.grouped)枚を公開しました。"
            }
        },
        nothingAccepted: "公開前の承認済み画像はありません。",
        lookOnly: "閲覧のみできます。",
        pinToCommit: "公開済みですが、ピンはまだコミットされていません。テスト対象のリポジトリで実行:",
        pinPatch: "同じ内容のパッチ（git apply用）",
        copy: "コピー",
        script: [
            "shown": "{2}件中{1}件を表示", "open": "開く", "zoom": "拡大", "copied": "コピーしました。",
            "close": "閉じる", "at": "x {1}, y {2}", "reference": "参照", "current": "今回",
            "diff": "差分", "none": "なし", "noReference": "参照はまだありません",
            "notMade": "今回は作成されていません",
            "served": "Chromiumでは、サーバーから開いたページでのみピクセルの値を表示できます（例: snapfarm review）。",
            "zoomHelp": "ドラッグか矢印キーで移動、+ と − で拡大縮小、0で全体、1で100 %、nで次の差分、Escで閉じます。",
            "copy": "コピー", "accept": "承認", "cancel": "キャンセル",
            "askAll": "公開すると、すべて参照画像になります。まとめて取り消せます。",
            "turned": "表示中に{1}さんが変更しました：{2}", "turnedOpen": "表示中に判断が取り消されました。",
            "fit": "全体", "beside": "並べる", "smaller": "縮小", "larger": "拡大",
            "single": "コメントに含まれるのは変更全体だけです。個別の画像はコマンドにのみ含まれます。",
            "failed": "サーバーが応答しません。何も変更されていません。",
            "slider": "表示する参照の割合", "ticked": "{1}件選択中", "region": "{3}×{4}（位置 {1}, {2}）",
            "part": "{2}分割中の{1}番目", "partBefore": "上の部分", "partAfter": "下の部分",
            "nextDifference": "次の差分",
        ]
    )

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
            guard open > 0 else { return Wording.headline(summary) }
            return "\(counts.planned)件中\(open)件のテストを確認してください：\(list(without: [.passed, .flaky]))"
        case .passed: return "\(counts.planned)件のテスト：\(list(without: []))"
        case .incomplete:
            return "\(counts.planned)件中\(counts.withoutVerdict)件のテストに判定がなく、この実行からは何も言えません。"
        case .running: return "\(counts.planned)件のテストを実行しています。"
        case .cancelled: return "中止されました。\(counts.planned)件のテスト：\(list(without: []))"
        case .unjudgeable: return Wording.headline(summary)
        }
    }

    private static func word(_ thing: PageThing) -> String {
        switch thing {
        case .changes: "変更"
        case .cells: "セル"
        case .tests: "テスト"
        case .skippedTests: "スキップしたテスト"
        case .quarantined: "隔離中の項目"
        case .pictures: "画像"
        }
    }
}
