// `snapfarm refs import`: takes references from the main repository, from its files or its history.
import ArgumentParser
import FarmCore
import FarmReferences
import FarmRun
import Foundation

struct RefsImport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Takes references out of the main repository.",
        discussion: """
            Found are ReferenceImages…/ of iOSSnapshotTestCase, __Snapshots__/ of \
            swift-snapshot-testing and the folders of BackstopJS, jest-image-snapshot, Loki, \
            Lost Pixel, Playwright and reg-suit, or what --pattern says, e.g. \
            'shots/{cell}/{suite}/{name}.png'. Files stay where they are; the next checkout and \
            status know them. --dry-run shows what each file would be.
            """
    )

    @Argument(help: "Only below this folder of the repository.") var folder: String = ""
    @OptionGroup var options: RefsOptions
    @Option(help: "Paths with {cell}, {suite} and {name}; * ? stay in a folder, ** spans them.")
    var pattern: String?
    @Option(
        name: .customLong("cell"),
        help: "CELL for pictures whose names do not tell, or GLOB=CELL; may be repeated."
    )
    var cells: [String] = []
    @Option(help: "The job that makes them from now on (default: the first snapshot job).")
    var job: String?
    @Flag(help: "One set for each commit that touched references, oldest first.")
    var history = false
    @Option(help: "The newest commit of --history.") var revision: String = "HEAD"
    @Flag(help: "Take pictures that the import does not have out of its cells.") var replace = false
    @Flag(inversion: .prefixedNo, help: "Say what the repository would weigh without them.")
    var weight = true
    @Option(help: "Why; stands in the journal.") var reason: String?
    @Flag(help: "Print the plan and do nothing.") var dryRun = false

    struct Result: Encodable {
        var pictures: Int
        var bytes: Int
        var cells: [CellID]
        /// The number of sets that the history was made into.
        var steps: Int
        var unmapped: [UnusablePicture]
        var refused: [UnusablePicture]
        /// The picture of each imported file in a dry run, else `nil`.
        var mapping: [Mapped]?
        /// The cells in the imported paths that the pipeline does not have.
        var foreignCells: [CellID] = []
        var weight: RepositoryWeight?
        var adopted: AdoptedSet?
        var dryRun: Bool
    }

    struct Mapped: Encodable {
        var path: String
        var id: SnapshotID
    }

    func run() async throws {
        let place = try options.place()
        let git = try place.workTree()
        var settings = try settings(place)
        if case .frameworks = settings.source {
            settings.source = .frameworks(try await sceneNames(place, git, settings))
        }
        var result =
            history
            ? try importHistory(place, git, settings) : try importFiles(place, git, settings)
        guard result.pictures > 0 || !result.refused.isEmpty else {
            if !options.json { for line in Self.problems(result) { Console.say(line) } }
            throw try settings.nothingFound(in: git.workTree, leftOut: result.unmapped.count)
        }
        let known = Set(place.cells.map(\.id))
        if !known.isEmpty { result.foreignCells = result.cells.filter { !known.contains($0) } }
        if weight { result.weight = weigh(place, git, settings) }
        try options.show(result, lines: Self.lines(result))
        if let first = result.refused.first {
            throw ImportFault.refused(count: result.refused.count, first: first.path)
        }
        if let adopted = result.adopted { place.sayWhatToCommit(adopted, in: options.words) }
    }

    /// Returns the scenes of the job that will make the pictures, if pictures of a tool that
    /// snapfarm replaces are found.
    ///
    /// Returns `nil` if none are, or if the job's tests cannot be listed.
    private func sceneNames(
        _ place: ReferencePlace,
        _ git: WorkTreeGit,
        _ settings: ImportSettings
    ) async throws -> SceneNames? {
        let tools = try FolderImport(root: git.workTree, settings: settings).replacedTools()
        guard !tools.isEmpty, let file = place.pipelineFile, let job = settings.job else {
            return nil
        }
        let request = ListRequest(
            file: file,
            select: ["job=\(job)"],
            isBuilt: false,
            environment: place.environment
        )
        do {
            return SceneNames(try await request.tests())
        } catch let error as any ExplainedError {
            let names = tools.map(\.rawValue).joined(separator: ", ")
            Console.say(
                "The pictures of \(names) keep its names, because the tests of the job \(job) "
                    + "cannot be listed: \(error.message)"
            )
            return nil
        }
    }

    /// Returns the repository's weight, or `nil` without a commit, and in a partial clone, which
    /// lacks objects.
    private func weigh(
        _ place: ReferencePlace,
        _ git: WorkTreeGit,
        _ settings: ImportSettings
    ) -> RepositoryWeight? {
        guard let main = place.mainRepository(), (try? main.commit("HEAD")) != nil else {
            return nil
        }
        guard !main.isPartial else {
            Console.say("the repository was not weighed: this clone is partial.")
            return nil
        }
        do {
            return try RepositoryWeight.measure(
                repository: git.workTree,
                settings: settings,
                environment: place.environment
            )
        } catch {
            let reason = error.inWords
            Console.say("the repository was not weighed: \(reason)")
            return nil
        }
    }

    /// Returns the cell that `--cell` names.
    private func cell(_ text: String, of place: ReferencePlace) throws -> CellID {
        let known = place.cells.map(\.id.text)
        guard known.isEmpty || known.contains(text) else {
            throw RefsError.unknownCell(text, owner: "the pipeline", known: known)
        }
        return CellID(text)
    }

    private func settings(_ place: ReferencePlace) throws -> ImportSettings {
        var rules: [CellChoice.Rule] = []
        var fallback: CellID?
        for text in cells {
            if let equals = text.lastIndex(of: "=") {
                let cell = try cell(String(text[text.index(after: equals)...]), of: place)
                rules.append(
                    CellChoice.Rule(paths: Glob(String(text[..<equals]), mode: .path), cell: cell)
                )
            } else {
                guard fallback == nil else {
                    throw RefsError.badOption("--cell \(text)", "two cells for one picture")
                }
                fallback = try cell(text, of: place)
            }
        }
        return ImportSettings(
            source: try pattern.map { .pattern(try ImportPattern($0)) } ?? .frameworks(nil),
            folder: folder.split(separator: "/").filter { $0 != "." }.joined(separator: "/"),
            choice: CellChoice(cells: place.cells, rules: rules, fallback: fallback),
            job: job.map { JobName($0) } ?? place.snapshotJob,
            replacesCells: replace
        )
    }

    private func importFiles(
        _ place: ReferencePlace,
        _ git: WorkTreeGit,
        _ settings: ImportSettings
    ) throws -> Result {
        let source = FolderImport(root: git.workTree, settings: settings)
        let plan = try source.plan()
        var result = Result(
            pictures: plan.pictures.count,
            bytes: plan.bytes,
            cells: plan.cells,
            steps: 0,
            unmapped: plan.unmapped,
            refused: plan.refused,
            mapping: dryRun ? plan.pictures.map { Mapped(path: $0.path, id: $0.id) } : nil,
            adopted: nil,
            dryRun: dryRun
        )
        guard !dryRun, plan.refused.isEmpty, !plan.pictures.isEmpty else { return result }
        let base = try place.pin()
        let store = try place.store(holding: base)
        let made = try store.withPruneBlocked {
            let made = try source.record(plan, over: base, to: store)
            result.adopted = try place.adopt(
                made.pin,
                set: made.set,
                over: base,
                in: store,
                reason: reason ?? "import"
            )
            return made
        }
        try Self.remember(plan.origins, of: made.pin, plan.cells, git, store, plan.files)
        return result
    }

    private func importHistory(
        _ place: ReferencePlace,
        _ git: WorkTreeGit,
        _ settings: ImportSettings
    ) throws -> Result {
        let source = HistoryImport(
            repository: git.workTree,
            revision: revision,
            settings: settings
        )
        let plan = try source.plan()
        var result = Result(
            pictures: plan.pictureCount,
            bytes: 0,
            cells: Set(plan.places.values.map(\.cell)).sorted(),
            steps: plan.steps.count,
            unmapped: plan.skipped,
            refused: [],
            mapping: dryRun ? Self.mapping(plan) : nil,
            adopted: nil,
            dryRun: dryRun
        )
        guard !dryRun, plan.pictureCount > 0 else { return result }
        let base = try place.pin()
        let store = try place.store(holding: base)
        let isLive = Console.isLive(place.environment)
        let made = try source.record(plan, over: base, to: store) { number, _ in
            if isLive, number % 50 == 0 { Console.say("\(number) of \(plan.steps.count) commits") }
        }
        guard let made else { return result }
        result.cells = made.pin.cells
        result.adopted = try place.adopt(
            made.pin,
            set: made.set,
            over: base,
            in: store,
            reason: reason,
            // The import wrote an entry for each commit of the history.
            writesJournal: false
        )
        try Self.remember(plan.origins, of: made.pin, made.pin.cells, git, store)
        return result
    }

    private static func mapping(_ plan: HistoryPlan) -> [Mapped] {
        plan.places.sorted { $0.key < $1.key }.map { Mapped(path: $0.key, id: $0.value) }
    }

    /// Notes the imported files as the checkout; only this list is written, because the files are
    /// there.
    private static func remember(
        _ origins: ReferenceOrigins,
        of pin: ReferencePin,
        _ cells: [CellID],
        _ git: WorkTreeGit,
        _ store: ReferenceStore,
        _ known: [String: CheckoutManifest.File] = [:]
    ) throws {
        let checkout = ReferenceCheckout(workTree: git.workTree)
        guard try checkout.manifest() == nil else { return }
        let plan = try checkout.plan(
            pin: pin,
            cells: cells,
            layout: .imported(origins),
            references: try cells.flatMap { try store.references(pin, cell: $0) },
            force: false,
            known: known
        )
        guard plan.writes.isEmpty else { return }
        try checkout.apply(plan) { try store.read($0) }
        try git.ignore(WorkTreeGit.ignoreLines(for: []))
    }

    private static func problems(_ result: Result) -> [String] {
        result.unmapped.map { "left out \($0.path): \($0.reason)" }
            + result.refused.map { "refused \($0.path): \($0.reason) \($0.remedy)" }
    }

    private static func lines(_ result: Result) -> [String] {
        var lines = (result.mapping ?? []).map { "\($0.path) → \($0.id)" } + problems(result)
        lines += result.foreignCells.map { "the pipeline has no cell \($0)" }
        let pictures = Amount.count(result.pictures, "picture")
        if result.steps > 0 {
            lines.append("\(pictures) of \(Amount.count(result.steps, "commit"))")
        } else {
            lines.append(
                "\(pictures), \(Amount.bytes(result.bytes)), "
                    + Amount.count(result.cells.count, "cell")
            )
        }
        if let weight = result.weight {
            lines.append(
                "the repository's history has \(Amount.bytes(weight.diskBytes)), "
                    + "without \(Amount.count(weight.pictureCount, "picture")) "
                    + Amount.bytes(weight.diskBytesWithout)
            )
        }
        if let adopted = result.adopted { lines.append("set \(adopted.set): \(adopted.title)") }
        return lines
    }
}
