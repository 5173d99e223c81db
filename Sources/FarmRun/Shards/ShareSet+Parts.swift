// Joins parts by `--select` into one run. Each part has the outline of its pipeline. Together, the
// parts must have run every cell of every job exactly once, with one list of tests for each job.

import FarmCore

extension ShareSet {
    /// The properties that all parts of one run have in common.
    private struct Identity: Hashable {
        var key: String
        var commit: String
        var mode: RunMode
        var pipeline: String
        var jobs: [Job]
        var matrix: [Cell]
        var renames: [RenameRule]
        var reencode: [String]
        var screens: [String]?
        var rules: RunRules?

        init(_ member: Member) {
            let plan = member.evidence.plan
            key = member.evidence.facts.key
            commit = member.evidence.facts.commit
            mode = plan.mode
            pipeline = plan.pipeline
            jobs = plan.part?.jobs ?? []
            matrix = plan.matrix
            renames = plan.renames
            reencode = plan.reencode
            screens = plan.screens
            rules = plan.rules
        }
    }

    /// Returns the newest output of each part, the folders that these replace, and the whole plan.
    static func whole(
        ofParts given: [Member]
    ) throws(ShareSetError) -> (members: [Member], replaced: [(old: String, by: String)], Plan) {
        var faults = foreign(given)
        guard faults.isEmpty else { throw ShareSetError(faults) }
        var members: [Member] = []
        var replaced: [(old: String, by: String)] = []
        let byName = Dictionary(grouping: given) { $0.evidence.plan.part?.name ?? "" }
        for (name, all) in byName.sorted(by: { $0.key < $1.key }) {
            guard let newest = all.max(by: isOlder) else { continue }
            if !newest.evidence.isFinished {
                faults.append(.unfinishedPart(folder: newest.folder, part: name))
            }
            members.append(newest)
            replaced += all.filter { $0.folder != newest.folder }.map { ($0.folder, newest.folder) }
        }
        let owners = owners(of: members, &faults)
        guard let first = members.first?.evidence.plan, let outline = first.part else {
            throw ShareSetError(faults)
        }
        var plan = first
        plan.part = nil
        plan.filtered = false
        plan.pin = members.map(\.evidence.plan.pin).first { !$0.isEmpty } ?? ReferencePin()
        plan.jobs = []
        for job in outline.jobs {
            guard let tests = tests(of: job.name, in: members, &faults) else {
                faults += missing(job, job.cells)
                continue
            }
            plan.jobs.append(PlannedJob(job: job, tests: tests, prepared: [:]))
            faults += leftOut(job, tests, owners)
        }
        guard faults.isEmpty else { throw ShareSetError(faults) }
        return (members, replaced, plan)
    }

    // MARK: one run

    private static func foreign(_ given: [Member]) -> [ShardFault] {
        let identities = given.map(Identity.init)
        let counts = Dictionary(grouping: identities) { $0 }.mapValues(\.count)
        let most = counts.values.max() ?? 0
        guard let like = identities.first(where: { counts[$0] == most }) else { return [] }
        // A part without a snapshot job compares with nothing.
        let pins = given.map(\.evidence.plan.pin).filter { !$0.isEmpty }
        let pinCounts = Dictionary(grouping: pins) { $0 }.mapValues(\.count)
        let pin = pins.first { pinCounts[$0] == pinCounts.values.max() }
        return zip(given, identities).compactMap { member, own in
            let what: String? =
                if own.key != like.key {
                    "key (\(own.key) instead of \(like.key))"
                } else if own.commit != like.commit {
                    "commit (\(own.commit) instead of \(like.commit))"
                } else if own.pipeline != like.pipeline || own.jobs != like.jobs {
                    "pipeline (\(own.pipeline))"
                } else if own.mode != like.mode {
                    "mode (\(own.mode.rawValue))"
                } else if own != like {
                    "set of rules"
                } else if !member.evidence.plan.pin.isEmpty, member.evidence.plan.pin != pin {
                    "pin"
                } else {
                    nil
                }
            return what.map { .foreign(folder: member.folder, what: $0) }
        }
    }

    /// Returns the list of tests that the parts found for a job, or `nil` if no part has one.
    ///
    /// A part with another list is a fault.
    private static func tests(
        of job: JobName,
        in members: [Member],
        _ faults: inout [ShardFault]
    ) -> [TestID]? {
        var known: [TestID]?
        for member in members {
            guard let own = member.evidence.plan.part?.tests[job.text] else { continue }
            if let known, known != own {
                faults.append(.foreign(folder: member.folder, what: "list of tests of \(job)"))
            }
            known = known ?? own
        }
        return known
    }

    // MARK: the whole

    /// Returns one fault for each device among the cells that no part ran.
    ///
    /// It names the device, because people look for devices, and counts the device's cells.
    private static func missing(_ job: Job, _ cells: [Cell]) -> [ShardFault] {
        var counts: [(name: String, cells: Int)] = []
        for cell in cells {
            let name = cell.device?.title ?? cell.id.text
            if let place = counts.firstIndex(where: { $0.name == name }) {
                counts[place].cells += 1
            } else {
                counts.append((name, 1))
            }
        }
        return counts.map { .missingPart(job: job.name, device: $0.name, cells: $0.cells) }
    }

    private static func leftOut(
        _ job: Job,
        _ tests: [TestID],
        _ owners: [TestKey: String]
    ) -> [ShardFault] {
        var empty: [Cell] = []
        var lost: [TestKey] = []
        for cell in job.cells {
            let open = tests.map { TestKey(job: job.name, cell: cell.id, test: $0) }
                .filter { owners[$0] == nil }
            if open.count == tests.count { empty.append(cell) } else { lost += open }
        }
        let rest = lost.first.map { [ShardFault.leftOut(count: lost.count, first: $0)] } ?? []
        return missing(job, empty) + rest
    }
}
