// The selection of `--select KEY=VALUE`: values of one key are alternatives, and different keys
// must all match. A filtered run is marked as such, and proves nothing about what it left out.

/// The selection of jobs, cells and tests that a run is limited to.
package struct Selection: Hashable, Sendable, Codable {
    /// The patterns (`*`, `?`) of what to run, by key: `job`, `cell`, `device`, `test`, or a
    /// variant axis.
    package var patterns: [String: [String]]
    /// The ids of the tests to run, or JUnit class names of suites; `nil` for all tests.
    package var names: Set<String>?

    package init(patterns: [String: [String]] = [:], names: Set<String>? = nil) {
        self.patterns = patterns
        self.names = names
    }

    package var isEmpty: Bool { patterns.isEmpty && names == nil }

    /// The name of the selected part, such as `job=snapshot_test device=iPhone 8 (13.1)`, or `nil`
    /// if all is selected.
    ///
    /// Equal selections have equal names, whatever the order of the options.
    package var name: String? {
        let first = ["job", "cell", "device", "test"]
        let keys =
            first.filter { patterns[$0] != nil }
            + patterns.keys.filter { !first.contains($0) }.sorted()
        var words = keys.flatMap { key in (patterns[key] ?? []).sorted().map { "\(key)=\($0)" } }
        if let names {
            let digest = Digest(of: Array(names.sorted().joined(separator: "\n").utf8))
            words.append("\(names.count) of a list (\(digest.hex.prefix(8)))")
        }
        return words.isEmpty ? nil : words.joined(separator: " ")
    }

    /// The reason why the words of `--select` are refused.
    package enum Mistake: ExplainedError {
        case form(String)
        case key(String, known: [String])
        case nothing([String])

        package var code: String { "selection-invalid" }
        package var message: String {
            switch self {
            case .form(let text): "--select \(text) is not KEY=VALUE."
            case .key(let key, _): "--select knows no key \"\(key)\"."
            case .nothing(let words): "nothing matches --select \(words.joined(separator: " "))."
            }
        }
        package var remedy: String {
            switch self {
            case .form: "Write for example --select job=snapshot_test --select appearance=dark."
            case .key(let key, let known):
                (nearest(key, among: known).map { "Did you mean \"\($0)\"? " } ?? "")
                    + "Known keys: \(known.joined(separator: ", "))."
            case .nothing: "See `snapfarm plan FILE` for jobs, cells and tests; `*` is a wildcard."
            }
        }
        package var exit: ExitCode {
            switch self {
            case .form, .key: .usage
            case .nothing: .incomplete
            }
        }
    }

    /// Parses the words of `--select`; `axes` are the pipeline's variant axes.
    package init(words: [String], axes: [String]) throws(Mistake) {
        let known = ["job", "cell", "device", "test"] + axes
        patterns = [:]
        for word in words {
            guard let equals = word.firstIndex(of: "="), equals != word.startIndex else {
                throw .form(word)
            }
            let key = String(word[..<equals])
            guard known.contains(key) else { throw .key(key, known: known) }
            patterns[key, default: []].append(String(word[word.index(after: equals)...]))
        }
    }

    /// Throws an error if tests are selected by a pattern, and none of these jobs has one.
    package func check(_ jobs: [DiscoveredJob]) throws(Mistake) {
        guard let wanted = patterns["test"], names == nil else { return }
        let hasOne = jobs.contains { found in
            found.tests.contains { takes($0, of: found.job.name) }
        }
        guard !hasOne else { return }
        throw .nothing(wanted.map { "test=\($0)" })
    }

    package func takes(_ job: JobName) -> Bool { matches("job", job.text) }
    package func takes(_ test: TestID, of job: JobName) -> Bool {
        guard matches("test", test.text) else { return false }
        guard let names else { return true }
        return names.contains(test.text) || names.contains(test.className(in: job))
    }

    /// Returns the selected names that no test of these jobs has, sorted.
    package func unknown(_ jobs: [DiscoveredJob]) -> [String] {
        guard var left = names else { return [] }
        for found in jobs {
            for test in found.tests {
                left.remove(test.text)
                left.remove(test.className(in: found.job.name))
            }
        }
        return left.sorted()
    }

    package func takes(_ cell: Cell) -> Bool {
        guard matches("cell", cell.id.text) else { return false }
        if let wanted = patterns["device"] {
            guard let device = cell.device,
                wanted.contains(where: { device.isSpelled($0) || matchesGlob($0, device.title) })
            else { return false }
        }
        let others = patterns.keys.filter { !["job", "cell", "device", "test"].contains($0) }
        return others.allSatisfy { axis in
            cell.value(of: axis).map { matches(axis, $0) } ?? false
        }
    }

    private func matches(_ key: String, _ text: String) -> Bool {
        guard let wanted = patterns[key] else { return true }
        return wanted.contains { matchesGlob($0, text) }
    }

    private func matchesGlob(_ pattern: String, _ text: String) -> Bool {
        Glob(pattern, mode: .text).matches(text)
    }
}
