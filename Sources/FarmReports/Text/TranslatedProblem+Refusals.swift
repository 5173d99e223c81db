// Japanese sentences for the refusals of pages, by code. A refusal without one gets the general
// sentence of its exit code.
import FarmCore

extension TranslatedProblem {
    /// Returns the general Japanese sentences for an exit code, for a refusal whose code has none
    /// of its own.
    static func japanese(_ exit: ExitCode) -> Words {
        switch exit {
        case .busy:
            ("ほかの処理が使用中のため、今は受け付けられません。", "しばらくしてから、もう一度行ってください。")
        case .unavailable:
            ("必要なサーバーが応答しません。", "しばらくしてから、もう一度行ってください。")
        case .inputOutput:
            ("ファイルの読み書きに失敗しました。", "ディスクの空きと権限を確認してください。")
        case .configuration:
            ("設定が合わないため、実行できません。", "下の説明を、設定の担当者に伝えてください。")
        case .internal:
            ("snapfarm の内部で問題が起きました。", "下の説明を、管理者に伝えてください。")
        case .invalidInput:
            ("内容に問題があるため、受け付けられません。", "原因は下の説明にあります。")
        case .passed, .differences, .incomplete, .usage, .interrupted, .terminated:
            ("この操作は受け付けられません。", "原因と対処は、下の英語の説明にあります。")
        }
    }

    static let japaneseRefusals: [String: Words] = [
        "page-foreign-origin": (
            "この操作は、このページから送られたものではありません。",
            "ページを読み込み直し、そのボタンを使ってください。"
        ),
        "page-foreign-form": (
            "このフォームは、今のログインのものではありません。",
            "ページを読み込み直し、そのボタンを使ってください。"
        ),
        "page-not-a-form": (
            "送られた内容は、このページのフォームではありません。",
            "ページを読み込み直し、そのボタンを使ってください。"
        ),
        "page-may-not-decide": (
            "この実行は閲覧できますが、判断はできません。", "スコープ review のトークンを受け取ってください。"
        ),
        "page-others-shown": (
            "表示中の画像が、今の実行の画像と異なります。何も判断していません。",
            "ページを読み込み直し、表示される画像を確認してください。"
        ),
        "no-leader": (
            "今、操作を受け付けるコーディネーターがありません。",
            "まもなく別のコーディネーターが引き継ぎます。ページを読み込み直し、操作が済んでいなければもう一度行ってください。"
        ),
        "page-no-file": ("この実行にそのファイルはありません。", "ページを読み込み直してください。"),
        "page-no-store": (
            "このパイプラインの参照ストアは、ここでは分かりません。", "コーディネーターの設定の stores に追加してください。"
        ),
        "store-unknown": (
            "このパイプラインの参照ストアが、コーディネーターにありません。",
            "コーディネーターの設定の stores に追加してください。"
        ),
        "page-no-login": ("ログインしていません。", "ページを読み込み直し、ログインしてください。"),
        "page-foreign-host": (
            "このページは別のアドレスで公開されています。", "snapfarm が表示したアドレスを開いてください。"
        ),
        "page-no-cookie": (
            "このブラウザーは、表示されたアドレスを開いていません。",
            "Ctrl-C でコマンドを止め、起動し直して、新しいアドレスを開いてください。"
        ),
        "page-address-used": (
            "表示されたアドレスは、別のブラウザーで開かれました。",
            "Ctrl-C でコマンドを止め、起動し直して、新しいアドレスを開いてください。"
        ),
        "page-too-many-listeners": ("開いているページが多すぎます。", "いくつか閉じてください。"),
        "decision-kind": ("その判断はありません。", "ページのボタンを使ってください。"),
        "decision-about-nothing": ("画像が選ばれていません。", "画像か変更を選んでください。"),
        "decision-comment-empty": ("コメントが空です。", "先に内容を書いてください。"),
        "decision-reason-too-long": ("理由が長すぎます。", "短くしてください。"),
        "decision-test-running": ("この画像のテストはまだ実行中です。", "テストの終了を待ってください。"),
        "decision-published": (
            "この画像は公開済みです。", "取り消すには、ピンのコミットをリバートしてください。"
        ),
        "decision-unknown-picture": (
            "この実行にその画像はありません。", "ページを読み込み直してください: 実行が変わりました。"
        ),
        "decision-nothing-explained": (
            "これらの原因だけで説明できる画像はありません。", "ほかの原因もあわせて選ぶか、変更ごとに判断してください。"
        ),
        "decision-run-recorded": (
            "この実行は参照を自分で記録したため、判断するものがありません。", "検証の実行を開いてください。"
        ),
        "decision-never": ("この画像は判断できません。", "テストを直し、もう一度実行してください。"),
        "decision-too-many-at-once": ("一度に判断する画像が多すぎます。", "端末やスイートで絞り込んでください。"),
        "decision-too-many": (
            "判断した画像が、1つの実行で保存できる数を超えます。", "ターミナルで snapfarm approve を使ってください。"
        ),
        "review-run-incomplete": (
            "この実行には、判定のないテストがあります。",
            "判断は保存されます。実行が終わるのを待つか、--resume で続けるか、もう一度実行してください。"
        ),
        "review-run-recorded": (
            "この実行は参照を自分で記録しました。", "実行が書いたピンをコミットしてください。"
        ),
        "review-one-shard": (
            "これは分割した実行の一部です。", "snapfarm merge ですべてをまとめ、その実行を公開してください。"
        ),
        "review-other-pin": (
            "実行の後で、参照が変わりました。見た参照と今の参照が異なります。",
            "テストしたコミットに戻すか、今のコミットでもう一度実行し、その実行を承認してください。"
        ),
        "review-wrong-digest": ("画像が、実行で作成されたものと異なります。", "ファイルをダウンロードし直してください。何も公開していません。"),
        "review-picture-absent": ("画像のファイルがありません。", "ファイルをダウンロードし直してください。何も公開していません。"),
        "review-not-a-picture": ("画像として読み取れないファイルです。", "作成したテストを確認してください。何も公開していません。"),
        "branch-refused": (
            "Gitのサーバーがコミットを受け付けませんでした。何もコミットしていません。", "権限と保護の設定を確認し、もう一度公開してください。"
        ),
        "branch-moving": (
            "ほかの人のプッシュが続いています。何もコミットしていません。", "もう一度公開してください。"
        ),
        "branch-conflict": (
            "同じ画像が、ブランチでほかの人に変更されました。何もコミットしていません。",
            "最新のコミットで実行し、そこで判断してください。"
        ),
        "data-folder-busy": ("データフォルダーは別の処理が使用中です。", "終わるのを待ってから、もう一度行ってください。"),
        "watch-other-store": (
            "パイプラインファイルの参照ストアが変わりました。", "Ctrl-C で snapfarm watch を止め、起動し直してください。"
        ),
        "watch-failed": ("実行できませんでした。", "ファイルを保存すると、もう一度実行します。"),
        "disk-full": ("ディスクに空きがありません。", "空きを作ってから、もう一度行ってください。"),
    ]
}
