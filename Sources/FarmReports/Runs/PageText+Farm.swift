// The words of the page of a farm's operator.
import FarmCore

extension PageText {
    var farm: String { words("Farm", "ファーム") }
    var needsYou: String { words("Needs you", "対応が必要") }
    var nothingNeeded: String { words("Nothing needs you.", "対応が必要なものはありません。") }
    var teamsHead: String { words("Teams", "チーム") }
    var team: String { words("Team", "チーム") }
    var openRuns: String { words("Open runs", "実行中の実行") }
    var waitingTests: String { words("Waiting test cases", "待機中のテストケース") }
    var leasesHead: String { words("Leases", "リース") }
    var keptHead: String { words("Artifacts kept", "保存中の成果物") }
    var workersHead: String { words("Workers", "ワーカー") }
    var worker: String { words("Worker", "ワーカー") }
    var doing: String { words("What it does", "作業内容") }
    var launcher: String { words("Launcher", "ランチャー") }
    var workersLive: String { words("Live", "稼働中") }
    var workersComing: String { words("Coming", "起動中") }
    var workersFailed: String { words("Failed", "失敗") }
    var coordinatorHead: String { words("Coordinator", "コーディネーター") }
    var leads: String { words("It leads.", "リーダーです。") }

    /// The words for a number beside its limit, or for the number alone.
    func ofLimit(_ number: Int, _ limit: Int?) -> String {
        guard let limit else { return number.grouped }
        return words(
            "\(number.grouped) of at most \(limit.grouped)",
            "\(number.grouped)（上限\(limit.grouped)）"
        )
    }
    func queue(minutes: Int) -> String {
        words(
            "Queue, the oldest run \(minutes.grouped) min old",
            "キュー（最も古い実行は\(minutes.grouped)分前）"
        )
    }
    func sinceMinutes(_ minutes: Int) -> String {
        words("for \(minutes.grouped) min", "\(minutes.grouped)分間")
    }
    func follows(_ changes: Int64) -> String {
        words(
            "Another coordinator leads; this copy lacks \(changes) changes.",
            "別のコーディネーターがリーダーです。このコピーに不足している変更: \(changes)件。"
        )
    }
    func disk(free: Int, all: Int) -> String {
        words(
            "\((free / 1_000_000).grouped) of \((all / 1_000_000).grouped) MB free on the disk.",
            "ディスクの空き: \((all / 1_000_000).grouped) MB中 \((free / 1_000_000).grouped) MB。"
        )
    }
    func ledger(_ bytes: Int) -> String {
        words(
            "The ledger has \((bytes / 1_000_000).grouped) MB.",
            "台帳: \((bytes / 1_000_000).grouped) MB。"
        )
    }
    func backup(_ time: String?) -> String {
        guard let time else { return words("There is no backup.", "バックアップはありません。") }
        return words("Last backup: \(time).", "最後のバックアップ: \(time)。")
    }
}
