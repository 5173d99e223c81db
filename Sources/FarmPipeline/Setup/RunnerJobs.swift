// Proposes jobs for runners that need a script: Maven, which cannot list its tests, and Node, whose
// own reporter writes only after all tests have ended.
import FarmCore

extension SetupRules {
    mutating func addMaven() {
        guard let text = files.text("pom.xml") else { return }
        guard !text.contains("<modules>") else {
            proposal.found.append("Maven with modules")
            proposal.open.append(
                "Maven: init proposes nothing for several modules. Write a job for each; see "
                    + "docs/command.md#maven."
            )
            return
        }
        let hasTests = files.below("src/test/java").contains { $0.hasSuffix(".java") }
        guard hasTests else { return }
        proposal.found.append("Maven")
        addJob(
            "maven",
            script: .maven,
            entries: [
                ProposedEntry("discover", "sh \(JobScript.maven.path) list"),
                ProposedEntry("run", "\"sh \(JobScript.maven.path) {tests}\""),
                ProposedEntry("results", text: "TEST-*.xml"),
                ProposedEntry("exclusive", "true"),
            ]
        )
    }

    mutating func addNode() {
        guard files.text("package.json")?.contains("node --test") == true else { return }
        let named = [".test.js", ".test.mjs", ".test.cjs"]
        func scripts(_ endings: [String], in folder: String = "") -> [String] {
            files.paths.filter { path in
                path.hasPrefix(folder) && !path.contains("node_modules/")
                    && endings.contains { path.hasSuffix($0) }
            }
        }
        // Node takes every script in a folder `test`; a name with `.test.` is more specific.
        let isNamed = !scripts(named).isEmpty
        let endings = isNamed ? named : [".js", ".mjs", ".cjs"]
        let tests = isNamed ? scripts(named) : scripts(endings, in: "test/")
        proposal.found.append("node --test")
        let folders = Set(tests.map { $0.pathParts.first ?? "" }).sorted()
        guard !tests.isEmpty, folders.allSatisfy(Self.isPlainFolder) else {
            proposal.open.append(
                "node --test: init did not find which files are tests. Write a job whose `discover:` "
                    + "prints them; see docs/command.md#node---test."
            )
            return
        }
        let names = endings.filter { ending in tests.contains { $0.hasSuffix(ending) } }
        let find =
            "find \(folders.joined(separator: " ")) "
            + names.map { "-name '*\($0)'" }.joined(separator: " -o ")
        let report =
            "--test-reporter=./\(JobScript.node.path) "
            + "--test-reporter-destination=\\\"$SNAPFARM_LEASE_DIR/junit.xml\\\""
        addJob(
            "node",
            script: .node,
            entries: [
                ProposedEntry("discover", "\"\(find)\""),
                ProposedEntry("run", "\"node --test \(report) {tests}\""),
                ProposedEntry("results", "junit.xml"),
            ]
        )
    }

    /// Whether a folder needs no quotes in a shell.
    ///
    /// Excludes a test file at the top, which is in no folder.
    private static func isPlainFolder(_ name: String) -> Bool {
        !name.hasPrefix("-") && !name.hasSuffix("js")
            && name.utf8.allSatisfy { byte in
                byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
                    || UnicodeScalar(byte).properties.isAlphabetic || (0x30...0x39).contains(byte)
            }
    }

    private mutating func addJob(_ name: String, script: JobScript, entries: [ProposedEntry]) {
        // An existing file may be this one, and the job would run it. `add` reports that it was
        // kept.
        add(ProposedFile(path: script.path, text: script.text, appends: false))
        jobs.append(
            ProposedJob(
                name: name,
                entries: [ProposedEntry("kind", "unit"), ProposedEntry("driver", "command")]
                    + entries,
                hasReferences: false,
                runsOnDevices: false
            )
        )
    }
}
