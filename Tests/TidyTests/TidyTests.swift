import FarmTesting
import Foundation
import Testing

/// Rules that a compiler does not check and a reviewer forgets.
@Suite("Tidiness")
struct TidyTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path

    private static func sources(_ folder: String) -> [(name: String, text: String)] {
        let base = root + "/" + folder
        let names = FileManager.default.enumerator(atPath: base)?.compactMap { $0 as? String } ?? []
        return names.filter { $0.hasSuffix(".swift") }.sorted().compactMap { name in
            (try? String(contentsOfFile: base + "/" + name, encoding: .utf8)).map {
                (folder + "/" + name, $0)
            }
        }
    }

    @Test("FarmCore touches no clock, randomness, file, process or network")
    func pureCore() {
        let forbidden = [
            "Date()", "UUID()", ".random(", "FileManager", "ProcessInfo", "URLSession",
            "SystemRandomNumberGenerator", "ContinuousClock",
        ]
        for (name, text) in Self.sources("Sources/FarmCore") {
            for word in forbidden where text.contains(word) {
                Issue.record("\(name) uses \(word): a rule takes it as an argument")
            }
        }
    }

    @Test("the words of an error come from `inWords`: Foundation's own name no file, or a domain")
    func errorWords() {
        for (name, text) in Self.sources("Sources") where !name.hasSuffix("/ErrorWords.swift") {
            if text.contains("localizedDescription") {
                Issue.record("\(name) uses localizedDescription; write inWords")
            }
        }
    }

    @Test("a third-party package is imported by the targets that own it")
    func oneImporter() {
        let owners = [
            "GRDB": ["FarmLedger"], "CGit2": ["FarmGit"],
            "Subprocess": ["FarmDrivers"],
            "Hummingbird": ["FarmServer"], "CPng": ["FarmImaging"], "Yams": ["FarmPipeline"],
            "AsyncHTTPClient": ["FarmAPI", "FarmArtifacts", "FarmDrivers", "FarmRun"],
            "ArgumentParser": ["snapfarm"],
            "CFarmDocs": ["FarmServer"], "CZlib": ["FarmArtifacts"], "CDeflate": ["FarmImaging"],
        ]
        for (name, text) in Self.sources("Sources") {
            let target = name.split(separator: "/")[1]
            for (module, allowed) in owners where !allowed.contains(String(target)) {
                let imports = text.split(separator: "\n").contains { $0 == "import \(module)" }
                if imports {
                    Issue.record("\(name) imports \(module), which belongs to \(allowed)")
                }
            }
        }
    }

    @Test("coordinator and worker never import each other, and a worker opens no ledger")
    func apart() {
        for (name, text) in Self.sources("Sources/FarmWorker") {
            for module in ["FarmServer", "FarmLedger"] where text.contains("import \(module)") {
                Issue.record("\(name) imports \(module)")
            }
        }
        for (name, text) in Self.sources("Sources/FarmServer") {
            #expect(!text.contains("import FarmWorker"), "\(name)")
        }
    }

    @Test("a target imports at most ten others, but the program and the flows of its commands")
    func few() {
        var imported: [Substring: Set<Substring>] = [:]
        for (name, text) in Self.sources("Sources") {
            let target = name.split(separator: "/")[1]
            let modules = text.matches(of: /(?m)^import (Farm\w+)$/).map(\.1)
            imported[target, default: []].formUnion(modules)
        }
        #expect(imported.count > 10)
        for (target, modules) in imported
        where modules.count > 10 && !["snapfarm", "FarmRun"].contains(target) {
            Issue.record("\(target) imports \(modules.sorted())")
        }
    }

    @Test("what decides about a run prints nothing, locks nothing and knows no work tree")
    func quietReview() {
        let forbidden = [
            "import FarmRun", "import FarmDrivers", "Console.", "DataFolder",
            "ReferencePlace", "withPruneBlocked", "currentDirectoryPath",
        ]
        for (name, text) in Self.sources("Sources/FarmReview") {
            for word in forbidden where text.contains(word) {
                Issue.record("\(name) uses \(word): the caller does that")
            }
        }
    }

    @Test("every file opens with what it is for, and stays under 400 lines")
    func heads() {
        for (name, text) in Self.sources("Sources") {
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            if lines.count > 400 { Issue.record("\(name) has \(lines.count) lines") }
            if lines.count > 60, lines.first?.hasPrefix("//") != true {
                Issue.record("\(name) does not say what it is for")
            }
        }
    }

    @Test("durable files are written in one way")
    func oneWriter() {
        for (name, text) in Self.sources("Sources") where !name.hasPrefix("Sources/FarmFiles/") {
            for word in ["options: .atomic", ".atomicWrite", "fsync("] where text.contains(word) {
                Issue.record("\(name) holds \(word): DurableFile writes whole and flushes")
            }
        }
    }

    @Test("nothing is forced, detached or left open")
    func forced() {
        let forbidden = [
            "try!", "Task.detached", "fatalError(", "TODO", "FIXME", "as!",
            // Crashes at a path of one character.
            "NSString).deletingLastPathComponent",
        ]
        for (name, text) in Self.sources("Sources") {
            for line in text.split(separator: "\n") where !line.contains("//") {
                for word in forbidden where line.contains(word) {
                    Issue.record("\(name) holds \(word): \(line)")
                }
            }
        }
    }

    /// An initializer that throws after its last property is set runs `deinit`.
    ///
    /// A second `close` would close a descriptor that another thread has opened meanwhile under the
    /// same number.
    @Test("a descriptor that deinit closes is closed nowhere else in its file")
    func closedOnce() {
        let closing = /deinit \{ (?:_ = )?close\((\w+)\) \}/
        for (name, text) in Self.sources("Sources") + Self.sources("Tests") {
            for match in text.matches(of: closing) {
                let closes = text.split(separator: "\n")
                    .filter { $0.contains("close(\(match.1))") && !$0.contains("deinit") }
                if !closes.isEmpty { Issue.record("\(name) closes \(match.1) twice: \(closes)") }
            }
        }
    }

    @Test("the program speaks to its terminal through Console alone, which escapes what it shows")
    func oneMouth() {
        // These files write text that they have escaped or drawn themselves.
        let draws: [String: Set<String>] = [
            "Console.write": [
                "LiveBlock", "ResultPrinter", "PruneOptions", "CoordinatorProcess",
                "PictureTerminal",
            ],
            "words.write": ["RunClosing", "WatchSession"],
            "STDOUT_FILENO": ["AgentLines", "CompareReport", "PictureTerminal", "ResultPrinter"],
        ]
        let forbidden = [
            "FileHandle.standardOutput", "FileHandle.standardError", "fputs(", "fwrite(",
            "debugPrint(", "Console.write", "words.write", "STDOUT_FILENO",
        ]
        let files = ["snapfarm", "FarmRun", "FarmReview"]
            .flatMap { Self.sources("Sources/" + $0) }
            .filter { !$0.name.hasSuffix("/Console.swift") }
        for (name, text) in files {
            let file = String(name.split(separator: "/").last?.dropLast(6) ?? "")
            for line in text.split(separator: "\n") {
                let words = forbidden.filter { word in
                    line.contains(word) && draws[word]?.contains(file) != true
                }
                let prints = line.contains(/(?:^|[^.\w])print\(/) && !line.contains("func print(")
                // Commands of a CI provider, which `CIDelivery` escapes by the provider's rules.
                if prints, file == "CIDelivery" { continue }
                if prints || !words.isEmpty { Issue.record("\(name) prints itself: \(line)") }
            }
        }
    }

    @Test("the changelog begins with what is unreleased")
    func changelog() throws {
        let text = try String(contentsOfFile: Self.root + "/CHANGELOG.md", encoding: .utf8)
        let sections = text.split(separator: "\n").filter { $0.hasPrefix("## ") }
        #expect(sections.first == "## Unreleased")
    }

    @Test("the guide to the reference store names every command of refs")
    func guide() throws {
        let path = Self.root + "/docs/references.md"
        let guide = try String(contentsOfFile: path, encoding: .utf8)
        // More deeply indented names are those of nested commands.
        let pattern = /\n {8}commandName: "([a-z-]+)"/
        var count = 0
        for (name, text) in Self.sources("Sources/snapfarm/Commands/Refs") {
            for match in text.matches(of: pattern) {
                let command = String(match.1)
                guard command != "refs" else { continue }
                count += 1
                if !guide.contains("`refs \(command)") {
                    Issue.record("docs/references.md does not name refs \(command) of \(name)")
                }
            }
        }
        #expect(count > 20)
    }

    @Test("the guide to comparison names every option of compare")
    func comparisonGuide() throws {
        let path = Self.root + "/docs/comparison.md"
        let guide = try String(contentsOfFile: path, encoding: .utf8)
        let pattern = /@(?:Option|Flag)\((?s:.*?)\)\s+var ([a-zA-Z]+)/
        var count = 0
        for (name, text) in Self.sources("Sources/snapfarm/Commands/Compare") {
            for match in text.matches(of: pattern) {
                let option =
                    "--"
                    + match.1.map { $0.isUppercase ? "-" + $0.lowercased() : String($0) }
                    .joined()
                count += 1
                if !guide.contains(option) {
                    Issue.record("docs/comparison.md does not name \(option) of \(name)")
                }
            }
        }
        #expect(count > 10)
    }

    @Test("the guide to operations names every option of check, and every invariant")
    func operationsGuide() throws {
        let path = Self.root + "/docs/operations.md"
        let guide = try String(contentsOfFile: path, encoding: .utf8)
        let command = Self.sources("Sources/snapfarm/Commands").filter {
            $0.name.hasSuffix("/CheckCommand.swift")
        }
        let report = Self.sources("Sources/FarmRun/Data").filter {
            $0.name.hasSuffix("/CheckReport.swift")
        }
        let audit = Self.sources("Sources/FarmLedger/Audit")
        var names: [String] = []
        for text in (command + report).map(\.text) {
            for match in text.matches(of: /@(?:Option|Flag)\([^\n]*\) var ([a-z]+)/) {
                names.append("--" + match.1)
            }
            for match in text.matches(of: /"(blob-[a-z]+)"/) { names.append("`\(match.1)`") }
        }
        for text in audit.map(\.text) {
            for match in text.matches(of: /(?:add|broken)\(\s*"([a-z-]+)"/) {
                names.append("`\(match.1)`")
            }
        }
        for name in names where !guide.contains(name) {
            Issue.record("docs/operations.md does not name \(name)")
        }
        #expect(names.count > 25)
    }

    @Test("the guide to fleets names every command and option of a fleet")
    func fleetGuide() throws {
        let guide = try String(contentsOfFile: Self.root + "/docs/fleet.md", encoding: .utf8)
        let option = /@(?:Option|Flag)\((?s:.*?)\)\s+var ([a-zA-Z]+)/
        let command = /commandName: "([a-z-]+)"/
        var count = 0
        for (name, text) in Self.sources("Sources/snapfarm/Commands/Fleet") {
            let words =
                text.matches(of: option).map { match in
                    "--"
                        + match.1.map { $0.isUppercase ? "-" + $0.lowercased() : String($0) }
                        .joined()
                } + text.matches(of: command).map { String($0.1) }
            for word in words {
                count += 1
                if !guide.contains(word) {
                    Issue.record("docs/fleet.md does not name \(word) of \(name)")
                }
            }
        }
        #expect(count > 25)
    }

    @Test("the list of pages for programs has every page with the questions that it answers")
    func pagesForPrograms() throws {
        let list = try String(contentsOfFile: Self.root + "/docs/llms.txt", encoding: .utf8)
        let index = try String(contentsOfFile: Self.root + "/docs/README.md", encoding: .utf8)
        let link = /\]\([^)]*\)/
        for row in index.matches(of: /\| \[[^\]]+\]\(([a-z0-9-]+\.md)\) \| (.+) \|/) {
            let about = row.2.replacing("[", with: "").replacing(link, with: "")
            if !list.contains("](\(row.1)): \(about)\n") {
                Issue.record("docs/llms.txt lacks \(row.1): \(about)")
            }
        }
        let pages = try FileManager.default.contentsOfDirectory(atPath: Self.root + "/docs")
        for page in pages where page.hasSuffix(".md") && page != "README.md" {
            if !list.contains("](\(page))") { Issue.record("docs/llms.txt lacks \(page)") }
        }
    }

    @Test("every type that ARCHITECTURE.md names exists")
    func architecture() throws {
        let text = try String(contentsOfFile: Self.root + "/ARCHITECTURE.md", encoding: .utf8)
        let all = (Self.sources("Sources") + Self.sources("Tests")).map(\.text).joined()
        let pattern = /`([A-Z][A-Za-z]+)(?:\.[a-zA-Z]+)?`/
        for match in text.matches(of: pattern) {
            let name = String(match.1)
            let known = all.contains("\(name)") || ["FailureDiffs", "AUTOINCREMENT"].contains(name)
            if !known { Issue.record("ARCHITECTURE.md names \(name), which is nowhere") }
        }
    }
}
