// Joins shares, or parts by `--select` (ShareSet+Parts.swift), into one run. The machines never
// communicate, so the merge checks that they ran shares of the same run: same key, commit, plan,
// pin, mode and number of machines; every share once; no test twice and none left out. Otherwise
// nothing is joined, and the error lists the faults.

import FarmCore

/// A reason why shares do not form one run; each names a folder, a shard or a device.
enum ShardFault: Hashable, Sendable {
    case damaged(folder: String, fact: String)
    case foreign(folder: String, what: String)
    case unfinished(folder: String, place: ShardPlace)
    case missing(ShardPlace)
    case otherHistory(folders: [String])
    case overlapping(folder: String, with: String, TestKey)
    case leftOut(count: Int, first: TestKey)
    case unfinishedPart(folder: String, part: String)
    case missingPart(job: JobName, device: String, cells: Int)
    case unlike(folder: String)

    /// The fault as a sentence, for people.
    var words: String {
        switch self {
        case .damaged(let folder, let fact): "\(folder) is damaged: \(fact)."
        case .foreign(let folder, let what): "\(folder) is not of the same run: another \(what)."
        case .unfinished(let folder, let place): "\(folder): \(place.words) did not finish."
        case .missing(let place): "\(place.words) is missing (--shard \(place))."
        case .otherHistory(let folders):
            "\(folders.joined(separator: ", ")) was cut by another history than the rest."
        case .overlapping(let folder, let other, let key):
            "\(folder) overlaps \(other): both ran \(key)."
        case .leftOut(let count, let first):
            "no shard ran \(first)" + (count > 1 ? " and \(count - 1) more." : ".")
        case .unfinishedPart(let folder, let part): "\(folder): \(part) did not finish."
        case .missingPart(let job, let device, let cells):
            "\(device) is missing: no part ran \(job) on it"
                + (cells > 1 ? " (\(cells) cells)." : ".")
        case .unlike(let folder):
            "\(folder) ran nothing, because nothing had changed for it, but others ran their tests: "
                + "run all parts with --no-reuse."
        }
    }
}

/// The error for shares that are not one run.
struct ShareSetError: ExplainedError {
    var faults: [ShardFault]

    init(_ faults: [ShardFault]) { self.faults = faults }

    var code: String { "shards-incomplete" }
    var message: String {
        let shown = faults.prefix(10).map(\.words).joined(separator: " ")
        return faults.count > 10 ? "\(shown) And \(faults.count - 10) more faults." : shown
    }
    var remedy: String {
        let cut = faults.contains { if case .otherHistory = $0 { true } else { false } }
        return
            "Nothing was written. Give `snapfarm merge` the output folder of every shard or part "
            + "of one run; a shard that is run again replaces its older folder."
            + (cut ? " All machines must read the same --history file." : "")
    }
    var exit: ExitCode { .incomplete }
}

/// Shares that add up to one run.
struct ShareSet: Sendable {
    /// The evidence of a share, with its folder.
    struct Member: Sendable {
        var folder: String
        var evidence: PortableEvidence
    }

    /// The shares by index, or the parts by name; each once, never empty.
    let members: [Member]
    /// The folders that a newer output of the same share replaces, with the newer folder.
    let replaced: [(old: String, by: String)]
    /// The plan of the whole run, without shares.
    private let plan: Plan

    /// Joins the newest finished output of every share.
    ///
    /// The evidence must have passed ``PortableEvidence/fault()``.
    ///
    /// - Throws: ``ShareSetError``, with all faults that were found.
    init(_ given: [Member]) throws(ShareSetError) {
        let areParts = given.allSatisfy { $0.evidence.plan.share == nil }
        do throws(ShareSetError) {
            if areParts, !given.isEmpty {
                (members, replaced, plan) = try Self.whole(ofParts: given)
            } else {
                (members, replaced, plan) = try Self.whole(ofShards: given)
            }
        } catch {
            // The plan of a machine that ran nothing has the tests in another order.
            let unlike = Self.proofFaults(given)
            let isForeign = error.faults.contains { if case .foreign = $0 { true } else { false } }
            throw isForeign && !unlike.isEmpty ? ShareSetError(unlike) : error
        }
        let faults = Self.proofFaults(members) + Self.referenceFaults(members)
        guard faults.isEmpty else { throw ShareSetError(faults) }
    }

    private static func whole(
        ofShards given: [Member]
    ) throws(ShareSetError) -> (members: [Member], replaced: [(old: String, by: String)], Plan) {
        let like = Self.mostCommon(given)
        var faults = given.compactMap { member in
            Self.difference(member, like).map {
                ShardFault.foreign(folder: member.folder, what: $0)
            }
        }
        let own = given.filter { Self.difference($0, like) == nil }
        let byIndex = Dictionary(grouping: own) { $0.evidence.plan.share?.place.index ?? 0 }
        var members: [Member] = []
        var replaced: [(old: String, by: String)] = []
        for index in 0..<(like?.total ?? 0) {
            guard let place = ShardPlace(index: index, total: like?.total ?? 0) else { continue }
            guard let all = byIndex[index], let newest = all.max(by: Self.isOlder) else {
                faults.append(.missing(place))
                continue
            }
            if !newest.evidence.isFinished {
                faults.append(.unfinished(folder: newest.folder, place: place))
            }
            members.append(newest)
            replaced += all.filter { $0.folder != newest.folder }.map { ($0.folder, newest.folder) }
        }
        if faults.isEmpty { faults = Self.cutFaults(members) }
        guard faults.isEmpty, var plan = members.first?.evidence.plan else {
            throw ShareSetError(faults)
        }
        plan.share = nil
        return (members, replaced, plan)
    }

    // MARK: one run

    private struct Identity: Hashable {
        var key: String
        var commit: String
        var planDigest: String
        var pin: ReferencePin
        var mode: RunMode
        var total: Int

        init(_ member: Member) {
            let facts = member.evidence.facts
            key = facts.key
            commit = facts.commit
            planDigest = facts.planDigest
            pin = member.evidence.plan.pin
            mode = facts.mode
            total = member.evidence.plan.share?.place.total ?? 0
        }
    }

    /// Returns the identity that most shares have, the first of equally frequent ones; `nil`
    /// without shares.
    private static func mostCommon(_ given: [Member]) -> Identity? {
        let identities = given.map(Identity.init)
        var counts: [Identity: Int] = [:]
        for identity in identities { counts[identity, default: 0] += 1 }
        let most = counts.values.max() ?? 0
        return identities.first { counts[$0] == most }
    }

    private static func difference(_ member: Member, _ like: Identity?) -> String? {
        guard let like else { return nil }
        let own = Identity(member)
        if own.key != like.key { return "key (\(own.key) instead of \(like.key))" }
        if own.commit != like.commit { return "commit (\(own.commit) instead of \(like.commit))" }
        if own.mode != like.mode { return "mode (\(own.mode.rawValue))" }
        if own.total != like.total {
            return "number of shards (\(own.total) instead of \(like.total))"
        }
        if own.pin != like.pin { return "pin" }
        return own.planDigest == like.planDigest ? nil : "plan (\(own.planDigest))"
    }

    /// Whether `one` is older than `other`; a finished share is newer than any unfinished one.
    static func isOlder(_ one: Member, _ other: Member) -> Bool {
        func rank(_ member: Member) -> (Int, String, String) {
            let facts = member.evidence.facts
            return (member.evidence.isFinished ? 1 : 0, facts.finished, facts.id)
        }
        return rank(one) < rank(other)
    }

    // MARK: one cut

    private static func cutFaults(_ members: [Member]) -> [ShardFault] {
        let histories = members.map { $0.evidence.plan.share?.history }
        let counts = Dictionary(grouping: histories) { $0 }.mapValues(\.count)
        let most = histories.first { counts[$0] == counts.values.max() } ?? nil
        let odd = members.filter { $0.evidence.plan.share?.history != most }.map(\.folder)
        if !odd.isEmpty { return [.otherHistory(folders: odd)] }
        var faults: [ShardFault] = []
        let owners = owners(of: members, &faults)
        guard var whole = members.first?.evidence.plan else { return faults }
        whole.share = nil
        let lost = whole.shareKeys.filter { owners[$0] == nil }
        if let first = lost.first { faults.append(.leftOut(count: lost.count, first: first)) }
        return faults
    }

    /// Returns the folder of the shard that ran each test case; adds a fault for a folder whose
    /// tests another one ran too.
    static func owners(
        of members: [Member],
        _ faults: inout [ShardFault]
    ) -> [TestKey: String] {
        var owners: [TestKey: String] = [:]
        for member in members {
            let twice = member.evidence.tests.first { owners[$0.key] != nil }
            if let twice, let other = owners[twice.key] {
                faults.append(.overlapping(folder: member.folder, with: other, twice.key))
            }
            for test in member.evidence.tests where owners[test.key] == nil {
                owners[test.key] = member.folder
            }
        }
        return owners
    }

    /// Returns a fault for each share that ran nothing although others ran their tests, or that
    /// another run proves green.
    private static func proofFaults(_ members: [Member]) -> [ShardFault] {
        guard Set(members.map(\.evidence.provenBy)).count > 1 else { return [] }
        return members.filter { $0.evidence.provenBy != nil }.map { .unlike(folder: $0.folder) }
    }

    /// Returns a fault for each share that read other references of a cell than the shares before.
    private static func referenceFaults(_ members: [Member]) -> [ShardFault] {
        var known: [String: CellReferences] = [:]
        var faults: [ShardFault] = []
        for member in members {
            let own = member.evidence.references
            if own.contains(where: { known[$0.key, default: $0.value] != $0.value }) {
                faults.append(.foreign(folder: member.folder, what: "set of references"))
            }
            known.merge(own) { first, _ in first }
        }
        return faults
    }
}

extension ShareSet {
    /// The evidence of the whole run, in the order of a run on one machine.
    ///
    /// The names of workers get their share's number as a prefix, because two machines may use the
    /// same names.
    var evidence: RunEvidence {
        var byKey: [TestKey: TestEvidence] = [:]
        for (index, member) in members.enumerated() {
            for test in member.evidence.tests {
                var test = test
                for attempt in test.attempts.indices {
                    let name = test.attempts[attempt].worker.text
                    test.attempts[attempt].worker = WorkerID("s\(index).\(name)")
                    test.attempts[attempt].lease = test.attempts[attempt].lease.map {
                        Self.lease($0, ofMember: index)
                    }
                }
                test.lease = test.lease.map { Self.lease($0, ofMember: index) }
                byKey[test.key] = test
            }
        }
        let leases = members.enumerated().flatMap { index, member in
            member.evidence.leases.map { lease in
                var lease = lease
                lease.lease = lease.lease.map { Self.lease($0, ofMember: index) }
                return lease
            }
        }
        let cells = members.flatMap { member in
            member.evidence.references.map { (CellID($0.key), $0.value) }
        }
        var evidence = RunEvidence(
            facts: facts,
            plan: plan,
            tests: plan.shareKeys.compactMap { byKey[$0] },
            leases: leases,
            references: Dictionary(cells) { one, _ in one },
            cancelled: false,
            startedAt: members.map(\.evidence.startedAt).min() ?? 0
        )
        evidence.provenBy = members[0].evidence.provenBy
        return evidence
    }

    /// Returns a lease's number that is unique in the whole run: each machine counts its leases
    /// from 1.
    private static func lease(_ number: Int64, ofMember index: Int) -> Int64 {
        number + Int64(index) << PortableEvidence.numberBits
    }

    /// The facts of the whole run: those of the first share, from the earliest start to the latest
    /// end.
    ///
    /// The id is computed from the ids of all shares, so the same shares make the same run.
    private var facts: RunFacts {
        var facts = members[0].evidence.facts
        let all = members.map(\.evidence.facts)
        facts.started = all.map(\.started).min() ?? ""
        facts.finished = all.map(\.finished).max() ?? ""
        facts.shard = nil
        facts.part = plan.part?.name
        facts.filtered = plan.filtered
        facts.planDigest = plan.digest.description
        let inputs = all.compactMap(\.inputs)
        facts.inputs =
            inputs.count < all.count
            ? nil : inputs.reduce(into: [:]) { $0.merge($1) { first, _ in first } }
        let modified = Set(all.map(\.modified))
        facts.modified = modified.contains(true) ? true : modified == [false] ? false : nil
        facts.set = all.map(\.set).first { !$0.isEmpty } ?? ""
        let ids = all.map(\.id).sorted()
        // A run's id begins with the second of its start, in fifteen characters.
        let stamp = String((ids.first ?? "").prefix(15))
        let digest = Digest(of: Array(ids.joined(separator: "\n").utf8))
        facts.id = "\(stamp)-m\(digest.hex.prefix(8))"
        return facts
    }
}
