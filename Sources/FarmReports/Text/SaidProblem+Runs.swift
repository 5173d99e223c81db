// Japanese sentences for the problems of a run, by code.
import FarmCore

extension SaidProblem {
    typealias Words = (message: String, remedy: String)

    /// The Japanese sentences for a problem whose code has none of its own.
    static let japaneseUnknown: Words = (
        "この実行について、ツールから報告があります。", "内容と対処は、下の英語の説明にあります。"
    )

    static let japaneseProblems: [String: Words] = japaneseTests.merging(japaneseMachines) {
        one,
        _ in one
    }

    /// The Japanese sentences about tests and pictures, by the problem's code.
    private static let japaneseTests: [String: Words] = [
        "retries-used-up": (
            "失敗が多く、再試行の上限に達しました。その後の失敗は再試行していません。",
            "多くの失敗には共通の原因があります。個々のテストを見る前に、それを直してください。"
        ),
        "stopped-early": (
            "失敗したテストがあったため、実行を途中で止めました。残りのテストには判定がありません。",
            "失敗を直すか、--fail-fast を付けずに実行してください。"
        ),
        "tests-vanished": (
            "前回の実行にあったテストが見つかりません。",
            "意図して削除した場合は、隔離（quarantine）に理由を書くか、ジョブに vanished: accept と書いてください。"
        ),
        "tests-vanished-accepted": (
            "前回の実行にあったテストがなくなりました。", "ジョブの設定で認めているため、対処は不要です。"
        ),
        "tests-gone": (
            "別の環境での前回の実行にあったテストが、今回はありません。",
            "もともとここにないテストであれば、対処は不要です。"
        ),
        "unstable-picture": (
            "同じ画像を2回撮影したところ、結果が一致しませんでした（不安定）。",
            "時刻、アニメーション、乱数など、ひとりでに変わるものをテストから除いてください。"
        ),
        "axis-without-effect": (
            "設定を変えても、同じ画像になっています。", "テストがその設定を使っているか確認してください。"
        ),
        "pages-go-on": (
            "画像の下にもページが続いています。その部分はテストされていません。",
            "ジョブか場面に fullPage: true と書いてください。"
        ),
        "empty-shard": (
            "このマシンに割り当てられたテストはありません。", "マシンの数がテストより多いだけです。対処は不要です。"
        ),
        "no-pictures": (
            "ジョブが画像を1枚も作成しませんでした。", "テストが決められたフォルダーにPNGを書き出すようにしてください。"
        ),
        "renderer-mismatch": (
            "参照は、今回とは別の描画環境（OSやブラウザー）で作成されたものです。",
            "差分はそのためかもしれません。同じ環境を使うか、参照を記録し直してください。"
        ),
        "screens-without-pictures": (
            "画像のない画面があります。", "その画面を表示するテストを追加するか、画面の一覧から外してください。"
        ),
        "duplicate-snapshot": (
            "同じ名前の画像が2つ作成されました。", "どちらかのスイート名か画像名を変えてください。"
        ),
        "references-without-owner": (
            "作成するジョブのない参照があります。変わっても誰も気づきません。",
            "名前が変わった場合は snapfarm refs move、不要な場合は snapfarm refs retire を使ってください。"
        ),
        "references-of-other-pipeline": (
            "この端末の参照には、別のパイプラインのものがあります。今回は比較していません。",
            "そのパイプラインを使っている間は、対処は不要です。"
        ),
        "run-unjudgeable": ("この実行は判定できません。", "下の説明にある原因を直し、もう一度実行してください。"),
        "run-not-judged": ("実行は終わりましたが、まだ判定できません。", "自動でもう一度試します。続く場合は下の説明を確認してください。"),
        "suspicious-picture": (
            "内容が疑わしい画像があります。", "承認する前に、その画像をよく確認してください。"
        ),
        "texts-not-compared": (
            "テキストのファイルは、何とも比較していません。参照になるのは画像だけです。",
            "テキストを比べるテストは、kind: unit のジョブで実行してください。"
        ),
        "pictures-not-read": (
            "読み取れない画像があり、比較していません。", "PNG形式で、決められたフォルダーに書き出してください。"
        ),
        "picture-not-read": (
            "テストの画像を読み取れず、比較していません。", "PNG形式で、決められたフォルダーに書き出してください。"
        ),
        "colour-tags-differ": (
            "ピクセルは参照と同じですが、ファイルの色の指定が異なります。",
            "見える色が違うかもしれません。参照と同じ指定で書き出すか、参照を記録し直してください。"
        ),
        "references-not-compared": (
            "横に表示している参照が、この実行で比較したものか確認できません。",
            "承認する前に、参照ストアのある場所で開くか、もう一度実行してください。"
        ),
        "references-written": (
            "テストが、検証中に参照のファイルを書き換えました。", "テストの記録モードを外してください。"
        ),
        "picture-without-owner": (
            "どのテストのものか分からない画像があります。", "画像のファイル名を、作成したテストの名前にしてください。"
        ),
        "pictures-not-placed": (
            "出力フォルダーに置けない画像がありました。", "別の出力フォルダーを選ぶか、スイートか画像の名前を変えてください。"
        ),
        "quarantine-expired": (
            "隔離（集計から外す扱い）の期限が過ぎました。結果を再び集計しています。",
            "テストを直して隔離の指定を消すか、新しい期限を付けてください。"
        ),
    ]

    /// The Japanese sentences about machines and settings, by the problem's code.
    private static let japaneseMachines: [String: Words] = [
        "run-abandoned": (
            "長い間どのワーカーも進めなかったため、この実行を打ち切りました。残りのテストには判定がありません。",
            "条件に合うワーカーを起動し、もう一度実行してください。"
        ),
        "worker-lost": (
            "テスト中のワーカーが応答しなくなりました。",
            "残りのテストは実行し直します。同じテストで繰り返す場合は、そのテストを確認してください。"
        ),
        "worker-left": ("ワーカーが停止されました。", "必要であれば、起動し直してください。"),
        "worker-unfit": ("ワーカーが動作できません。", "そのマシンを確認してください。"),
        "worker-unfitting": (
            "この実行のテストを1つも実行できないワーカーがあります。", "ほかに合うワーカーがあれば、対処は不要です。"
        ),
        "worker-suspended": (
            "ワーカーを一時停止しました。ほかのワーカーでは起きない失敗が続いたためです。",
            "そのマシンのディスク、ブラウザー、シミュレーターを確認してください。"
        ),
        "unplaceable": (
            "実行できるワーカーのないテストがあります。", "条件に合うワーカーを起動してください。"
        ),
        "workers-coming": ("ワーカーの起動を待っています。", "起動しない場合は、自動であきらめて次へ進みます。"),
        "launcher-failed": ("ワーカーを起動できませんでした。", "自動でもう一度試します。"),
        "launcher-full": ("ワーカーの台数が上限に達しています。", "空くのを待つか、設定の上限を上げてください。"),
        "launcher-unfitting": (
            "必要なワーカーを起動する設定がありません。", "設定に追加するか、条件に合うワーカーを起動してください。"
        ),
        "storage-fails": (
            "コーディネーターが結果を保存できません。",
            "ディスクの空きを確認してください。失われた結果はなく、直れば自動で続きます。"
        ),
        "run-key-unusable": (
            "SNAPFARM_RUN_KEY の値は使えません。", "代わりにCIの実行を使いました。コミットのハッシュなどを設定してください。"
        ),
        "pull-request-unusable": (
            "SNAPFARM_PULL_REQUEST の値が番号ではありません。", "プルリクエストの番号を設定してください。"
        ),
        "shard-unclear": (
            "どの分担を実行するのか、設定から分かりません。", "ここではすべてのテストを実行します。両方の変数を設定するか、どちらも外してください。"
        ),
    ]
}
