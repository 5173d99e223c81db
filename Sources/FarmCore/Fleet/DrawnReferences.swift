// The renderers of a cell's references, compared with those of workers. While a live worker draws as
// the references do, one that draws otherwise gets no lease of that cell: its differences could come
// from its browser or fonts. If no such worker lives, every worker that fits gets the cell, so that
// no run waits for a renderer.

/// The cells of a job whose references the same renderers drew.
package struct DrawnReferences: Hashable, Sendable, Codable {
    package var job: JobName
    package var cells: [CellID]
    /// The renderers of the job's suites in each of these cells, each once: `SuiteRecord.renderer`.
    package var renderers: [[String: String]]

    package init(job: JobName, cells: [CellID], renderers: [[String: String]]) {
        self.job = job
        self.cells = cells
        self.renderers = renderers
    }

    /// Whether a worker could offer each renderer, and there are at most `FarmLimits.needsMax`.
    var isOfferable: Bool {
        (1...FarmLimits.needsMax).contains(renderers.count)
            && renderers.allSatisfy(WorkerOffer.canHave)
    }
}

extension Plan {
    /// Returns the cells whose references have a known renderer, from the records of their suites at
    /// the plan's pin.
    ///
    /// Only a job whose pictures the farm compares has such cells. A renderer that no worker can
    /// offer is as good as unknown.
    package func drawnReferences(
        _ suites: (CellID) throws -> [String: SuiteRecord]
    ) rethrows -> [DrawnReferences]? {
        guard mode == .verify else { return nil }
        var drawn: [DrawnReferences] = []
        for job in jobs.map(\.job) where job.kind == .snapshot && job.judge == .farm {
            let owner = SuiteOwner(pipeline: pipeline, jobs: [job.name])
            for cell in job.cells.map(\.id) {
                let own = try suites(cell).sorted { $0.key < $1.key }.map(\.value)
                    .filter { owner.owns($0) && !$0.renderer.isEmpty }
                var renderers: [[String: String]] = []
                for suite in own where !renderers.contains(suite.renderer) {
                    renderers.append(suite.renderer)
                }
                let place = drawn.firstIndex { $0.job == job.name && $0.renderers == renderers }
                if let place {
                    drawn[place].cells.append(cell)
                } else {
                    let new = DrawnReferences(job: job.name, cells: [cell], renderers: renderers)
                    if new.isOfferable { drawn.append(new) }
                }
            }
        }
        return drawn.isEmpty ? nil : drawn
    }
}

/// The renderers of a cell's references, as its workers' offers are compared with them.
package struct CellRenderers: Hashable, Sendable {
    /// The name of the job's driver.
    let driver: String
    /// The renderers; empty if every worker may draw the cell.
    let all: [[String: String]]

    static let none = CellRenderers(driver: "", all: [])

    /// Whether a worker draws as one of the renderers did.
    package func areOffered(by offer: WorkerOffer) -> Bool {
        !all.isEmpty && all.contains(offer.renderer(of: driver))
    }

    /// Returns the facts in which a worker's renderer differs from the most similar one of the
    /// references, in words (`browser 149 is not 148`), or `nil` if the worker draws as they do or
    /// does not say how it draws.
    package func difference(from offer: WorkerOffer) -> String? {
        let own = offer.renderer(of: driver)
        guard !own.isEmpty, !all.isEmpty, !all.contains(own) else { return nil }
        let differences = all.map { known in
            Set(known.keys).union(own.keys).sorted().filter { known[$0] != own[$0] }
                .map { "\($0) \(own[$0] ?? "unknown") is not \(known[$0] ?? "unknown")" }
        }
        return differences.min { $0.count < $1.count }?.joined(separator: "; ")
    }
}

extension WorkerOffer {
    /// Adds the facts about what draws a driver's pictures, as offers such as
    /// `renderer.webdriver.browser`: all of them, or none if one cannot be offered.
    ///
    /// A name that is offered already keeps its values.
    package mutating func add(
        renderer: [String: String],
        of driver: String
    ) throws(OfferMistake) {
        var offer = self
        for (fact, value) in renderer.sorted(by: { $0.key < $1.key }) {
            let name = Self.rendererPrefix(driver) + fact
            if values[name] == nil { try offer.add(name, value) }
        }
        self = offer
    }

    /// Returns the facts about what draws a driver's pictures; empty if the worker does not say.
    package func renderer(of driver: String) -> [String: String] {
        let prefix = Self.rendererPrefix(driver)
        var facts: [String: String] = [:]
        for (name, values) in values where name.hasPrefix(prefix) {
            facts[String(name.dropFirst(prefix.count))] = values.joined(separator: ", ")
        }
        return facts
    }

    private static func rendererPrefix(_ driver: String) -> String {
        "\(rendererName)\(driver)."
    }

    /// The beginning of the names of all facts about renderers.
    static let rendererName = "renderer."

    /// Returns whether a worker can offer a renderer.
    static func canHave(_ renderer: [String: String]) -> Bool {
        var offer = WorkerOffer()
        return !renderer.isEmpty
            && (try? offer.add(renderer: renderer, of: "webdriver")) != nil
    }
}

/// Live workers with one offer.
package struct LiveOffer: Hashable, Sendable {
    /// The worker that stands for all of them in messages.
    package var worker: WorkerID
    /// The number of the workers beside the first.
    package var others: Int
    /// Whether one of the workers is neither unfit nor suspended.
    package var isAble: Bool
    package var offer: WorkerOffer

    package init(_ worker: WorkerID, others: Int = 0, isAble: Bool = true, offer: WorkerOffer) {
        self.worker = worker
        self.others = others
        self.isAble = isAble
        self.offer = offer
    }

    private var words: String {
        switch others {
        case 0: "worker \(worker)"
        case 1: "worker \(worker) and 1 more like it"
        default: "worker \(worker) and \(others) more like it"
        }
    }

    /// The problem that the workers get none of `cells`, because `holder` draws as the references
    /// do.
    fileprivate func getsNone(of cells: String, _ difference: String, _ holder: WorkerID) -> Problem
    {
        let (get, draw) = others == 0 ? ("gets", "it draws") : ("get", "they draw")
        return Problem(
            code: "draws-otherwise",
            message: "\(words) \(get) none of \(cells): \(draw) otherwise than the references "
                + "(\(difference)); worker \(holder) draws as they do.",
            remedy: "Nothing to do while that worker keeps up. Otherwise give this machine the "
                + "same browser and fonts, or record again with `--mode record`."
        )
    }

    /// The problem that no live worker draws `cells` as their references are drawn, and these do it.
    fileprivate func drawAnew(_ cells: String, _ difference: String) -> Problem {
        Problem(
            code: "no-worker-draws-alike",
            message: "no live worker draws as the references of \(cells) do: \(words) "
                + "\(others == 0 ? "draws" : "draw") them anew (\(difference)).",
            remedy: "The run goes on; its differences may come from that, see `renderer-mismatch` "
                + "in its summary. Start a worker that draws as the references do, or record again "
                + "with `--mode record`."
        )
    }
}

extension PlanNeeds {
    /// Returns the kinds of cells that a live worker draws as their references are drawn.
    ///
    /// `offers` are those of the workers that live and are neither unfit nor suspended.
    package func held(by offers: [WorkerOffer]) -> Set<Int> {
        Set(
            kinds.indices.filter { kind in
                offers.contains {
                    renderers[kind].areOffered(by: $0) && OfferMatch.fits(kinds[kind], $0)
                }
            }
        )
    }

    /// Returns the kinds of cells that a worker may take while others hold the kinds of `held`.
    package func kinds(for offer: WorkerOffer, beside held: Set<Int>) -> Set<Int> {
        kinds(fitting: offer).filter { kind in
            !held.contains(kind) || renderers[kind].difference(from: offer) == nil
        }
    }

    /// Returns the problems of live workers that draw a kind of cells otherwise than its references.
    ///
    /// `cells` are the cells in words, `workers` all live ones.
    package func drawingProblems(
        _ kind: Int,
        _ cells: String,
        of some: [LiveOffer],
        among workers: [LiveOffer]
    ) -> [Problem] {
        let differing = some.compactMap { worker -> (LiveOffer, String)? in
            guard OfferMatch.fits(kinds[kind], worker.offer),
                let difference = renderers[kind].difference(from: worker.offer)
            else { return nil }
            return (worker, difference)
        }
        let holder = workers.first { $0.isAble && held(by: [$0.offer]).contains(kind) }
        if let holder {
            return differing.map { $0.getsNone(of: cells, $1, holder.worker) }
        }
        return differing.filter { $0.0.isAble }.prefix(1).map { $0.drawAnew(cells, $1) }
    }
}
