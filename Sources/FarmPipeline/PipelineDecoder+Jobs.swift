// Decodes the jobs of a pipeline file.
import FarmCore
import Yams

extension PipelineDecoder {
    mutating func decodeJobs(_ node: Node?, root: Node, hasReferences: Bool) -> [Job] {
        guard let node else {
            reader.report(
                root,
                "the pipeline has no jobs.",
                "Add `jobs:` with at least one entry; see pipelines/quickstart.yaml."
            )
            return []
        }
        let jobs = reader.orderedMapping(node, what: "jobs").compactMap { key, value in
            job(key: key, value)
        }
        checkCount(jobs.count, node, what: "jobs", of: "entries")
        if jobs.isEmpty, reader.problems.isEmpty {
            reader.report(node, "jobs is empty.", "Add at least one job.")
        }
        for job in jobs where job.kind == .snapshot && job.judge == .farm && !hasReferences {
            reader.report(
                root,
                "job \(job.name) makes snapshots, but the pipeline has no references.",
                "Add `references: {store: ../app-references.git, pin: snapfarm.refs}`."
            )
        }
        return jobs
    }

    private mutating func job(key: Node, _ node: Node) -> Job? {
        guard let name = reader.text(key, what: "the name of a job") else { return nil }
        if !PathComponent.isName(name) {
            reader.report(key, "the job name \"\(name)\" is no file name.", "Use letters and `_`.")
        }
        let what = "job \(name)"
        let known = JobKeys.all(drivers).names
        guard let entries = reader.mapping(node, known: known, what: what) else { return nil }
        let kind = entries["kind"].flatMap { reader.word($0, as: JobKind.self, what: "kind") }
        if entries["kind"] == nil {
            reader.report(node, "\(what) has no kind.", "Write `kind: unit` or `kind: snapshot`.")
        }
        guard let driver = driver(entries, node, what: what) else { return nil }
        var job = Job(name: JobName(name), kind: kind ?? .unit, driver: driver)
        drivers.first { $0.name == driver.name }?.describe(&job)
        apply(entries, to: &job)
        decodeReuse(entries, for: &job)
        if let comparison = entries["comparison"] {
            job.comparison = comparisonRules(comparison, what: "\(what).comparison")
        }
        job.cells = cells(entries["matrix"], kind: job.kind, job: key, what: what)
        if entries["matrix"] == nil, job.kind == .unit, drivers.runOnDevices(driver) {
            job.cells = firstCell(job: key, what: what)
        }
        if let node = entries["needs"] { job.needs = needs(node, what: what) }
        checkNeeds(of: job, at: entries["needs"] ?? key)
        return job
    }

    private mutating func apply(_ entries: [String: Node], to job: inout Job) {
        if let node = entries["framework"], let profile = framework(node) {
            job.framework = profile
            job.judge = profile.judge
        }
        if let node = entries["judge"] {
            job.judge = reader.word(node, as: Judge.self, what: "judge") ?? .farm
        }
        if let node = entries["timeout"] { job.timeouts = timeouts(node) }
        if let node = entries["retries"] {
            job.retries =
                reader.integer(node, what: "retries", in: 0...(FarmLimits.attemptsMax - 1)) ?? 0
        }
        if let node = entries["repeat-new"] {
            let takes = 1...FarmLimits.attemptsMax
            job.repeatNew = reader.integer(node, what: "repeat-new", in: takes)
        }
        if let node = entries["exclusive"] {
            job.exclusive = reader.boolean(node, what: "exclusive") ?? false
        }
        if let node = entries["env"] { job.env = environment(node) }
        if let node = entries["bundle"] {
            job.bundle = rules(node, what: "bundle").compactMap { item in
                reader.text(item, what: "a pattern of bundle")
            }
        }
        if let node = entries["probes"] {
            job.probes = rules(node, what: "probes").compactMap { item in
                pattern(item, what: "a pattern of probes")
            }
        }
        if let node = entries["new"] {
            job.new = reader.word(node, as: Leniency.self, what: "new") ?? .fail
        }
        if let node = entries["moved"] {
            job.moved = reader.word(node, as: Leniency.self, what: "moved") ?? .fail
        }
        if let node = entries["flaky"] {
            job.flaky = reader.word(node, as: Leniency.self, what: "flaky") ?? .accept
        }
        if let node = entries["vanished"] {
            job.vanished = reader.word(node, as: Leniency.self, what: "vanished")
        }
    }

    /// Decodes the profile of a framework: its name, or the path of a user's own file.
    private mutating func framework(_ node: Node) -> FrameworkProfile? {
        guard let word = reader.text(node, what: "framework") else { return nil }
        do throws(DocumentErrors) {
            if let profile = try frameworks?.profile(word) { return profile }
        } catch {
            reader.add(error)
            return nil
        }
        let names = frameworks?.names ?? []
        reader.report(
            node,
            "unknown framework \"\(word)\".",
            (nearest(word, among: names).map { "Did you mean \"\($0)\"? " } ?? "")
                + "Known: \(names.joined(separator: ", ")); or the path of a profile of your own.",
            code: "unknown-framework"
        )
        return nil
    }

    private mutating func timeouts(_ node: Node) -> JobTimeouts {
        var timeouts = JobTimeouts()
        guard let entries = reader.mapping(node, known: JobKeys.timeout.names, what: "timeout")
        else { return timeouts }
        if let test = entries["test"], let value = reader.seconds(test, what: "timeout.test") {
            timeouts.testSeconds = value
        }
        if let shard = entries["shard"], let value = reader.seconds(shard, what: "timeout.shard") {
            timeouts.shardSeconds = value
        }
        return timeouts
    }

    private mutating func environment(_ node: Node) -> [String: String] {
        var environment: [String: String] = [:]
        for (key, value) in reader.orderedMapping(node, what: "env") {
            guard let name = key.string, case .scalar(let scalar) = value else {
                reader.report(value, "a value of env is not text.", "Quote it.")
                continue
            }
            if !Job.isVariable(name) {
                reader.report(
                    key,
                    "\"\(name)\" is no name of an environment variable.",
                    "Use letters, digits and _, not a digit first."
                )
                continue
            }
            environment[name] = scalar.string
        }
        checkCount(environment.count, node, what: "env", of: "variables")
        return environment
    }

    // MARK: drivers

    private mutating func driver(
        _ entries: [String: Node],
        _ node: Node,
        what: String
    ) -> DriverSettings? {
        guard let driverNode = entries["driver"] else {
            reader.report(
                node,
                "\(what) has no driver.",
                "Write `driver:` with one of \(drivers.names.joined(separator: ", "))."
            )
            return nil
        }
        guard let name = reader.text(driverNode, what: "driver") else { return nil }
        do throws(UnknownDriver) {
            let kind = try drivers.named(name)
            refuseKeys(of: kind, entries, what: what)
            return kind.driver(in: DocumentMap(entries, of: node, what: what), &reader)
        } catch {
            reader.report(driverNode, error.message, error.remedy, code: error.code)
            return nil
        }
    }

    /// Reports the keys of a job that only other drivers have.
    private mutating func refuseKeys(
        of kind: any DriverKind,
        _ entries: [String: Node],
        what: String
    ) {
        var seen = Set(kind.keys.map(\.name))
        for other in drivers {
            for key in other.keys.map(\.name) where seen.insert(key).inserted {
                guard let value = entries[key] else { continue }
                reader.report(
                    value,
                    "\(what): `\(key)` belongs to the driver \(other.name), not to \(kind.name).",
                    "Remove it, or choose `driver: \(other.name)`."
                )
            }
        }
    }

    // MARK: matrix

    /// Returns the first cell for a unit job whose tests need a device, or the host without
    /// devices.
    private mutating func firstCell(job: Node, what: String) -> [Cell] {
        guard !devices.isEmpty else { return [.host] }
        return Array(cells(nil, kind: .snapshot, job: job, what: what).prefix(1))
    }

    private mutating func cells(
        _ node: Node?,
        kind: JobKind,
        job: Node,
        what: String
    ) -> [Cell] {
        var chosen = devices
        var chosenAxes = axes
        var none = kind == .unit
        if let node {
            if let word = node.scalar?.string {
                if word != "all", word != "none" {
                    reader.report(
                        node,
                        "\(what): matrix is \"\(word)\".",
                        "Write all, none, or {devices: […], variants: {…}}."
                    )
                }
                none = word == "none"
            } else {
                none = false
                (chosen, chosenAxes) = narrowed(node, what: what)
            }
        }
        guard !none, !devices.isEmpty else { return [.host] }
        let cells = Matrix.cells(devices: chosen, axes: chosenAxes, excluding: exclusions)
        if cells.isEmpty {
            reader.report(node ?? job, "\(what) has no cell.", "Its matrix excludes everything.")
        }
        if cells.count > FarmLimits.cellsMax {
            reader.report(
                node ?? job,
                "\(what) has \(cells.count) cells.",
                "At most \(FarmLimits.cellsMax); narrow its matrix."
            )
            return []
        }
        var seen: Set<CellID> = []
        for cell in cells {
            let isNew = seen.insert(cell.id).inserted
            guard !isNew || !PathComponent.isName(cell.id.text) else { continue }
            reader.report(
                node ?? job,
                isNew
                    ? "\(what): \(cell.title) gives the cell \"\(cell.id)\", which is no file name."
                    : "\(what) has two cells \"\(cell.id)\": \(cell.title) is one of them.",
                "Spell its device and values with other letters or digits, at most "
                    + "\(PathComponent.bytesMax) bytes together.",
                code: "duplicate-cell"
            )
        }
        return cells
    }

    private mutating func narrowed(_ node: Node, what: String) -> ([Device], [VariantAxis]) {
        guard
            let entries = reader.mapping(node, known: JobKeys.matrix.names, what: "\(what).matrix")
        else { return (devices, axes) }
        var chosen = devices
        if let node = entries["devices"] {
            chosen = []
            for item in reader.list(node, what: "\(what).matrix.devices") {
                guard let text = reader.text(item, what: "a device") else { continue }
                let matching = devices.filter { $0.isSpelled(text) }
                if matching.isEmpty {
                    reader.report(
                        item,
                        "\(what): no device of this pipeline is \"\(text)\".",
                        "Known: \(devices.map(\.title).joined(separator: ", ")).",
                        code: "unknown-device"
                    )
                }
                chosen += matching.filter { !chosen.contains($0) }
            }
        }
        guard let node = entries["variants"] else { return (chosen, axes) }
        let narrow = variants(node, what: "\(what).matrix.variants")
        for axis in narrow {
            let known = axes.first { $0.name == axis.name }
            for value in axis.values where known?.values.contains(value) != true {
                reader.report(
                    node,
                    "\(what): \(axis.name) has no value \"\(value)\".",
                    "Known: \(known?.values.joined(separator: ", ") ?? "no such axis")."
                )
            }
        }
        return (
            chosen, axes.map { axis in narrow.first { $0.name == axis.name } ?? axis }
        )
    }
}
