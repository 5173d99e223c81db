// The options for what a prune and a rotation keep, and the question before anything is removed.
import ArgumentParser
import FarmCore
import FarmReferences
import FarmRun
import Foundation

/// The options that choose the sets that stay in a prune or a rotation.
struct PolicyOptions: ParsableArguments {
    @Option(help: "The main repository (default: the one around the pipeline file).")
    var main: String?
    @Option(name: .customLong("branch"), help: "Pattern of branches whose pins stay (default: *).")
    var branches: [String] = []
    @Option(name: .customLong("tag"), help: "Pattern of tags whose pins stay (default: *).")
    var tags: [String] = []
    @Option(
        name: .customLong("pull-request"),
        help: "Pattern of pull requests whose pins stay (default: *)."
    )
    var pullRequests: [String] = []
    @Option(name: .customLong("require"), help: "A branch or reference that must be there.")
    var references: [String] = []
    @Option(help: "Days of commits whose pins stay.") var keepDays: Int = 90
    @Option(help: "Newest sets that stay, pinned or not.") var keepNewest: Int = 1
    @Option(help: "Days a new set is left alone.") var youngDays: Int = 30
    @Option(help: "Days between the tombstone and the removal.") var graceDays: Int = 14
    @Flag(help: "Pass over pins of history that the store never had.") var passOverHistory = false
    @Option(name: .customLong("pin-path"), help: "Another path where pins stand or stood.")
    var paths: [String] = []

    func validate() throws {
        for (name, value) in [
            ("keep-days", keepDays), ("keep-newest", keepNewest), ("young-days", youngDays),
            ("grace-days", graceDays),
        ] where !(0...100_000).contains(value) {
            throw ValidationError("--\(name) is \(value); it must be from 0 to 100000.")
        }
    }

    var policy: PrunePolicy {
        PrunePolicy(
            branches: branches.isEmpty ? ["*"] : branches,
            tags: tags.isEmpty ? ["*"] : tags,
            pullRequests: pullRequests.isEmpty ? ["*"] : pullRequests,
            recentDays: keepDays,
            newestCount: keepNewest,
            youngDays: youngDays,
            graceDays: graceDays,
            missingPins: passOverHistory ? .passOverHistory : .refuse
        )
    }

    func request(_ place: ReferencePlace, now: Date) throws -> PinRootsRequest {
        let main = try main.map(PipelineSource.absolute) ?? place.mainFolder()
        var paths = paths
        if let path = try? place.pinInRepository(main) { paths.insert(path, at: 0) }
        return PinRootsRequest(
            repository: main,
            paths: paths.isEmpty ? ["snapfarm.refs"] : paths,
            references: references,
            policy: policy,
            now: now
        )
    }
}

extension ReferencePlace {
    func mainFolder() throws -> String { try mainWorkTree().root }

    /// Returns the pins of the main repository that the policy follows, without those whose set is
    /// gone.
    func pins(of policy: PrunePolicy, in store: ReferenceStore) throws -> [NamedPin] {
        let root = try mainFolder()
        let request = PinRootsRequest(
            repository: root,
            paths: [try pinInRepository(root)],
            policy: policy,
            now: Date()
        )
        return try PinRoots(reading: request).roots.compactMap { root in
            let name = root.sources.first?.text ?? root.object.short
            switch root.target {
            case .pin(_, let pin): return NamedPin(name: name, pin: pin)
            case .set(let set):
                return (try? store.pin(ofSet: set)).map { NamedPin(name: name, pin: $0) }
            }
        }
    }
}

/// Asks for consent before something is removed or written.
enum Consent {
    /// Asks for consent, unless `yes` gives it already.
    ///
    /// - Throws: `RefsError.needsYes` without a terminal, `.notAgreed` if the user refuses.
    static func ask(_ question: String, yes: Bool) throws {
        guard !yes else { return }
        guard let answer = answer(to: question) else { throw RefsError.needsYes }
        guard answer else { throw RefsError.notAgreed }
    }

    /// Returns the user's answer, or `nil` without a terminal.
    static func answer(to question: String) -> Bool? {
        guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else { return nil }
        Console.write(TerminalText.shown(question) + " [y/N] ", to: STDERR_FILENO)
        let answer = (readLine() ?? "").trimmingSpaces().lowercased()
        return answer == "y" || answer == "yes"
    }
}
