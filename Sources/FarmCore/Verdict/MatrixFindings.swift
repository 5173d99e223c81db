// Findings about the matrix of pictures: values of an axis that make no difference, and pages whose
// screens show only their beginning. Neither makes a run red.

enum MatrixFindings {
    /// The most suites that one sentence names.
    private static let namedMax = 5

    static func of(_ evidence: RunEvidence) -> [Problem] {
        var captures: [JobName: [Capture]] = [:]
        var unseen: [JobName: [Capture]] = [:]
        for test in evidence.tests {
            for report in test.report?.pictures.captures ?? []
            where report.problem == nil && !report.capture.id.isText {
                captures[test.key.job, default: []].append(report.capture)
                // For a picture that equals its reference, the run that made the reference already
                // reported it.
                let isSeen =
                    report.comparison?.matches ?? (report.reference == report.capture.objectID)
                if !isSeen { unseen[test.key.job, default: []].append(report.capture) }
            }
        }
        return evidence.plan.jobs.map(\.job).flatMap { job in
            let made = captures[job.name] ?? []
            return equalValues(of: job, made)
                + [goingOn(job, unseen[job.name] ?? [])].compactMap(\.self)
        }
    }

    // MARK: equal values

    private struct Picture: Hashable {
        let suite: String
        let name: String
        /// The picture's device and its values of all other axes.
        let rest: String
    }

    private struct ValuePair: Hashable, Comparable {
        let axis: String
        let first: String
        let second: String

        static func < (left: ValuePair, right: ValuePair) -> Bool {
            (left.axis, left.first, left.second) < (right.axis, right.first, right.second)
        }
    }

    /// Returns the problems of axes whose values make no difference: one for each two values, which
    /// names the suites with equal pictures.
    private static func equalValues(of job: Job, _ captures: [Capture]) -> [Problem] {
        let cells = Dictionary(job.cells.map { ($0.id, $0) }) { first, _ in first }
        let axes = Set(job.cells.flatMap { $0.variant.map(\.axis) })
        return axes.sorted().flatMap { axis -> [Problem] in
            var pictures: [Picture: [String: Digest]] = [:]
            for capture in captures {
                guard let cell = cells[capture.id.cell], let value = cell.value(of: axis) else {
                    continue
                }
                let others = cell.variant.filter { $0.axis != axis }.map {
                    "\($0.axis)=\($0.value)"
                }
                let picture = Picture(
                    suite: capture.id.suite,
                    name: capture.id.name,
                    rest: ([cell.device?.title ?? ""] + others).joined(separator: "\n")
                )
                pictures[picture, default: [:]][value] = capture.digest
            }
            return problems(of: axis, in: job, pictures)
        }
    }

    private static func problems(
        of axis: String,
        in job: Job,
        _ pictures: [Picture: [String: Digest]]
    ) -> [Problem] {
        var equal: [ValuePair: [String: Int]] = [:]
        var different: [ValuePair: Set<String>] = [:]
        for (picture, digests) in pictures {
            let values = digests.keys.sorted()
            for (index, first) in values.enumerated() {
                for second in values[(index + 1)...] {
                    let pair = ValuePair(axis: axis, first: first, second: second)
                    if digests[first] == digests[second] {
                        equal[pair, default: [:]][picture.suite, default: 0] += 1
                    } else {
                        different[pair, default: []].insert(picture.suite)
                    }
                }
            }
        }
        return equal.sorted { $0.key < $1.key }.compactMap { pair, counts in
            let suites = counts.keys.filter { different[pair]?.contains($0) != true }.sorted()
            guard !suites.isEmpty else { return nil }
            let named = suites.prefix(namedMax).joined(separator: ", ")
            let rest = suites.count - min(suites.count, namedMax)
            let pictures = suites.reduce(0) { $0 + (counts[$1] ?? 0) }
            return Problem(
                code: "axis-without-effect",
                message: "job \(job.name): \(axis) \(pair.first) and \(pair.second) make the same "
                    + "pictures in \(named)" + (rest > 0 ? " and \(rest) more" : "")
                    + " (\(pictures) of each).",
                remedy: "Check that the tests use \(axis); or narrow the job's `matrix`.",
                about: "\(axis) \(pair.first) and \(pair.second)"
            )
        }
    }

    // MARK: below the screen

    private static func goingOn(_ job: Job, _ captures: [Capture]) -> Problem? {
        let below = captures.compactMap { capture in
            capture.pixelsBelow.map { (capture.id, $0) }
        }
        guard let longest = below.max(by: { ($0.1, $1.0) < ($1.1, $0.0) }) else { return nil }
        let pictures = below.count == 1 ? "1 picture" : "\(below.count) pictures"
        let pages = Set(below.map { "\($0.0.suite)/\($0.0.name)" }).count
        return Problem(
            code: "pages-go-on",
            message:
                "job \(job.name): \(pages == 1 ? "1 page goes" : "\(pages) pages go") on below "
                + "\(pictures), by up to \(longest.1) pixels (\(longest.0)).",
            remedy:
                "What is there is not tested: write `fullPage: true` in the job or the scene; a "
                + "page that is too long for one picture needs scenes with an `element`."
        )
    }
}
