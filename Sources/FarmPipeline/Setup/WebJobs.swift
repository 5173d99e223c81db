// Proposes jobs for web projects: pages on disk and Storybook. How Playwright and jest list and run
// their tests depends on the project, so these are reported and left to people.
import FarmCore
import Foundation

extension SetupRules {
    private static let notSources = [
        "node_modules/", "vendor/", "Pods/", "build/", "dist/", ".build/", "DerivedData/", "docs/",
        "coverage/", "storybook-static/", "target/",
        // Folders of pages that tests read.
        "test/", "tests/", "__tests__/", "spec/", "fixtures/", "__fixtures__/", "testdata/", "e2e/",
    ]

    mutating func addWeb() {
        let packages = files.named("package.json").filter { !$0.contains("node_modules/") }
        let manifest = packages.compactMap { files.text($0) }.joined(separator: "\n")
        let isStorybook = files.paths.contains { $0.contains(".storybook/main.") }
        let built = builtStorybook
        if let built {
            proposal.found.append("Storybook: \(built)")
            proposal.open.append(
                "Storybook: let your CI build \(built) (`storybook build`) before the run."
            )
            addScreensJob(ProposedEntry("storybook", text: built))
        } else if isStorybook {
            proposal.found.append("Storybook: .storybook")
            proposal.open.append(
                "Storybook: run `storybook build`, and write a job with `driver: webdriver` and "
                    + "`storybook: storybook-static`; see docs/web.md#storybook."
            )
        }
        if files.paths.contains(where: {
            $0.pathParts.last?.hasPrefix("playwright.config.") ?? false
        }) {
            proposal.found.append("Playwright")
            leave("Playwright", job: "npx playwright test {flags} {tests}")
        }
        if manifest.contains("\"jest-image-snapshot\"") {
            proposal.found.append("jest-image-snapshot")
            leave("jest-image-snapshot", job: "npx jest {flags} --runTestsByPath {tests}")
        }
        addFlowsAndTexts(isJest: manifest.contains("\"jest\""))
        let isTested =
            jobs.contains(where: \.runsOnDevices) || isStorybook
            || proposal.found.contains { $0 == "Playwright" || $0 == "jest-image-snapshot" }
        if !isTested, !addBackstop() { addPages() }
    }

    /// Says where the job for jest's snapshots and for Maestro's flows is described.
    private mutating func addFlowsAndTexts(isJest: Bool) {
        let snapshots = files.ending(in: ".snap").count { !$0.contains("node_modules/") }
        if isJest, snapshots > 0 {
            proposal.found.append("jest: \(snapshots) .snap file\(snapshots == 1 ? "" : "s")")
            proposal.open.append(
                "jest: docs/texts.md#jests-snapshots has a job that makes each snapshot a text "
                    + "which people review."
            )
        }
        if files.paths.contains(where: { $0.pathParts.contains(".maestro") }) {
            proposal.found.append("Maestro: .maestro")
            proposal.open.append(
                "Maestro: docs/command.md#maestro has a job that compares the screenshots of flows."
            )
        }
    }

    /// Adds scenes and devices from a `backstop.json`; returns `false` if none can be read.
    private mutating func addBackstop() -> Bool {
        guard
            let path = files.named("backstop.json").first(where: { !$0.contains("node_modules/") }),
            let backstop = files.text(path).flatMap(BackstopScenes.init)
        else { return false }
        proposal.found.append(
            "BackstopJS: \(path) with \(backstop.scenarios.count) scenario"
                + (backstop.scenarios.count == 1 ? "" : "s")
        )
        add(
            ProposedFile(
                path: "scenes.yaml",
                text: backstop.scenes(below: ProjectFiles.folder(of: path)),
                appends: false
            )
        )
        devices = backstop.devices
        addScreensJob(ProposedEntry("scenes", "scenes.yaml"))
        proposal.open.append(
            "BackstopJS: clicks, waits and scripts of \(path) are not taken over; add them to "
                + "scenes.yaml as `wait`, `steps` and `mask` (docs/web.md)."
        )
        return true
    }

    /// The folder that `storybook build` wrote, nearest to the root, or `nil` if there is none.
    private var builtStorybook: String? {
        files.named("iframe.html").map(ProjectFiles.folder).first { folder in
            !folder.isEmpty && files.has(folder + "/index.json")
                && !folder.contains("node_modules")
        }
    }

    private mutating func leave(_ framework: String, job run: String) {
        proposal.open.append(
            "\(framework): write a job with `driver: command`, `framework: \(framework)`, a "
                + "`discover:` that prints your tests, and `run: \(run)`; see docs/command.md."
        )
    }

    /// Proposes a job for the web pages in the repository, with its scenes file or a new one.
    private mutating func addPages() {
        let pages = files.paths.filter { path in
            // In the scene's address, `?` would begin a query and `#` a fragment.
            (path.hasSuffix(".html") || path.hasSuffix(".htm"))
                && !path.contains { "?#".contains($0) }
                && !Self.notSources.contains { path.hasPrefix($0) || path.contains("/" + $0) }
        }
        guard !pages.isEmpty else { return }
        let scenes = files.named("scenes.yaml")
        if let first = scenes.first {
            proposal.found.append("scenes: \(scenes.joined(separator: ", "))")
            let guess = scenes.count > 1 ? "one of \(scenes.count) scenes files" : nil
            return addScreensJob(ProposedEntry("scenes", text: first, guess: guess))
        }
        let shown = pages.prefix(FarmLimits.setupScenesMax)
        proposal.found.append("\(pages.count) web page\(pages.count == 1 ? "" : "s")")
        var seen: Set<String> = []
        var lines: [String] = []
        for page in shown {
            let parts = page.pathParts
            let file = parts.last ?? page
            let base = Self.plain(String(file[..<(file.lastIndex(of: ".") ?? file.endIndex)]))
            let suite = Self.plain(parts.dropLast().last ?? "Pages")
            var name = base
            var count = 1
            while !seen.insert("\(suite)/\(name)".lowercased()).inserted {
                count += 1
                name = "\(base)-\(count)"
            }
            lines.append(
                "  - {suite: \(YAMLText.scalar(suite)), name: \(YAMLText.scalar(name)), "
                    + "file: \(YAMLText.scalar(page))}"
            )
        }
        if pages.count > shown.count {
            proposal.open.append(
                "scenes.yaml has the first \(shown.count) of \(pages.count) pages: add those you want."
            )
        }
        let text =
            "# One entry for each picture; all keys are in snapfarm's docs/keys.md.\nscenes:\n"
            + lines.joined(separator: "\n") + "\n"
        add(ProposedFile(path: "scenes.yaml", text: text, appends: false))
        addScreensJob(ProposedEntry("scenes", "scenes.yaml", guess: "every page that was found"))
    }

    /// Returns the text as a name for a picture, of letters and digits; `page` if there are none.
    private static func plain(_ text: String) -> String {
        let words = text.split { !$0.isLetter && !$0.isNumber }
        let name = words.joined(separator: "-").prefix(60)
        return name.isEmpty ? "page" : String(name)
    }

    private mutating func addScreensJob(_ pages: ProposedEntry) {
        jobs.append(
            ProposedJob(
                name: "screens",
                entries: [
                    ProposedEntry("kind", "snapshot"), ProposedEntry("driver", "webdriver"), pages,
                ],
                hasReferences: true,
                runsOnDevices: true
            )
        )
        needsDevices = true
    }
}
