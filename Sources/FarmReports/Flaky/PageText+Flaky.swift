// The words of the pages about flaky tests.
import FarmCore

extension PageText {
    var flakyTests: String { words("Flaky tests", "不安定なテスト") }
    func flakyOrder(_ runs: Int) -> String {
        words(
            "In the newest \(count(runs, "run")): first the tests that failed most runs, then those whose "
                + "retries took longest.",
            "最新の\(runs)回の実行から。失敗した実行の多い順、次に再実行にかかった時間の長い順です。"
        )
    }
    func noFlakyTests(_ runs: Int) -> String {
        words(
            "No test was flaky in the newest \(count(runs, "run")).",
            "最新の\(runs)回の実行に、不安定なテストはありません。"
        )
    }
    func moreTests(_ number: Int) -> String {
        words("And \(number) more.", "ほか\(number)件。")
    }
    var quarantineHint: String {
        words("This proposes a quarantine that ends:", "期限付きの隔離（集計から外す扱い）を提案するコマンド:")
    }
    var flakyRate: String { words("Flaky or failed", "不安定または失敗") }
    var test: String { words("Test", "テスト") }
    var lastRuns: String { words("Last runs", "最近の実行") }
    var cost: String { words("What it takes", "かかった手間") }
    var hosts: String { words("Hosts", "ホスト") }
    var workerHead: String { words("Worker", "ワーカー") }
    var whatWasWrong: String { words("What was wrong", "問題の内容") }
    var sinceCommit: String { words("since", "最初のコミット") }
    func failedRuns(_ number: Int) -> String {
        words("\(count(number, "failed run"))", "失敗した実行 \(number)回")
    }
    func retries(_ seconds: Double) -> String {
        let tenths = String(Wording.seconds((max(0, seconds) * 10).rounded() / 10).dropLast(2))
        return words("\(tenths) s of retries", "再実行 \(tenths)秒")
    }
    func rate(_ test: FlakyTest) -> String {
        let percent = test.runs == 0 ? 0 : (test.doubtfulRuns * 100 + test.runs / 2) / test.runs
        return words(
            "\(test.doubtfulRuns) of \(count(test.runs, "run")) (\(percent) %)",
            "\(test.runs)回中\(test.doubtfulRuns)回（\(percent) %）"
        )
    }
    func cost(_ test: FlakyTest) -> String {
        failedRuns(test.failedRuns) + words(", ", "、") + retries(test.retrySeconds)
    }
    func hostLoad(_ percent: Int) -> String {
        words("host load \(percent) %", "ホストの負荷 \(percent) %")
    }
    /// The words of a strip for screen readers.
    func stripWords(_ test: FlakyTest) -> String {
        let counts = Dictionary(grouping: test.recent, by: \.verdict).mapValues(\.count)
        let parts = counts.sorted { $0.key.rawValue < $1.key.rawValue }
            .map { "\(verdict($0.key)) \($0.value)" }
        return parts.joined(separator: ", ")
    }
}
