// The merge of the records beside suites' pictures. It follows fixed rules, because a person cannot
// decide which JSON is right.
//
//   - tests: by key, like pictures.
//   - renderer: as a whole, because a mixture would describe no machine. If both sides drew the
//     suite anew with different renderers, the later one is kept (numbers in versions compare as
//     numbers), because the next recording will use it or a newer one. The suite's pictures are
//     then from two renderers; the merge reports that, and a new recording mends it.

/// A suite that the two sides of a merge drew with different renderers.
package struct RendererClash: Hashable, Sendable, Codable {
    /// The suite's folder: `<cell>/<folder>`.
    package var suite: String
    package var ours: [String: String]
    package var theirs: [String: String]
    /// The side whose renderer the merged record has.
    package var kept: MergeSide

    package init(
        suite: String,
        ours: [String: String],
        theirs: [String: String],
        kept: MergeSide
    ) {
        self.suite = suite
        self.ours = ours
        self.theirs = theirs
        self.kept = kept
    }
}

extension SuiteRecord {
    /// Merges the records of one suite; swapping the sides gives the same record.
    ///
    /// `pictures` are `<suite>/<name>` of the merged pictures; the record keeps only their tests.
    ///
    /// - Returns: the record, and the side whose renderer was kept if both sides' renderers clash.
    package static func merged(
        base: SuiteRecord?,
        ours: SuiteRecord?,
        theirs: SuiteRecord?,
        pictures: Set<String>
    ) -> (record: SuiteRecord?, clash: MergeSide?) {
        guard let ours, let theirs else {
            guard var record = ours ?? theirs else { return (nil, nil) }
            record.tests = record.tests.filter { pictures.contains($0.key) }
            return (record, nil)
        }
        var merged = ours
        var clash: MergeSide?
        switch threeWay(base: base?.job, ours: ours.job, theirs: theirs.job) {
        case .decided(let job): merged.job = job ?? ours.job
        case .conflict: merged.job = max(ours.job, theirs.job)
        }
        switch threeWay(base: base?.pipeline, ours: ours.pipeline, theirs: theirs.pipeline) {
        case .decided(let pipeline): merged.pipeline = pipeline
        case .conflict: merged.pipeline = [ours.pipeline, theirs.pipeline].compactMap(\.self).max()
        }
        switch threeWay(base: base?.renderer, ours: ours.renderer, theirs: theirs.renderer) {
        case .decided(let renderer): merged.renderer = renderer ?? ours.renderer
        case .conflict:
            let side: MergeSide = isLater(theirs.renderer, than: ours.renderer) ? .theirs : .ours
            merged.renderer = side == .ours ? ours.renderer : theirs.renderer
            clash = side
        }
        merged.tests = [:]
        for name in pictures {
            let (one, other) = (ours.tests[name], theirs.tests[name])
            switch threeWay(base: base?.tests[name], ours: one, theirs: other) {
            case .decided(let test): merged.tests[name] = test
            case .conflict: merged.tests[name] = [one, other].compactMap(\.self).max()
            }
        }
        return (merged, clash)
    }

    /// Whether renderer `one` is later than `other`, by the first key (in byte order) whose values
    /// differ; a total order.
    private static func isLater(_ one: [String: String], than other: [String: String]) -> Bool {
        for key in Set(one.keys).union(other.keys).sorted() where one[key] != other[key] {
            guard let left = one[key] else { return false }
            guard let right = other[key] else { return true }
            return precedes(right, left)
        }
        return false
    }

    /// Whether the text `one` comes before `other`: runs of digits compare as numbers (99.1 before
    /// 120.0), the rest as bytes.
    private static func precedes(_ one: String, _ other: String) -> Bool {
        let (left, right) = (runs(of: one), runs(of: other))
        for (a, b) in zip(left, right) where a != b {
            guard isNumber(a), isNumber(b), a.count != b.count else {
                return a.lexicographicallyPrecedes(b)
            }
            return a.count < b.count
        }
        // `007` and `7` have equal runs, so their bytes decide.
        if left.count == right.count { return one.utf8.lexicographicallyPrecedes(other.utf8) }
        return left.count < right.count
    }

    private static func isNumber(_ run: [UInt8]) -> Bool { run.first.map(isDigit) ?? false }
    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

    /// Returns the maximal runs of digits, without leading zeros, and of other bytes in a text.
    private static func runs(of text: String) -> [[UInt8]] {
        var runs: [[UInt8]] = []
        for byte in text.utf8 {
            if let last = runs.indices.last, let before = runs[last].last,
                isDigit(before) == isDigit(byte)
            {
                if runs[last] == [48] { runs[last] = [] }
                runs[last].append(byte)
            } else {
                runs.append([byte])
            }
        }
        return runs
    }
}
