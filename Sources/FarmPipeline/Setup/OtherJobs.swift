// Proposes jobs for Swift packages, Python tests and Gradle's screenshot tools.
import FarmCore
import Foundation

extension SetupRules {
    mutating func addPackages() {
        let manifests = files.named("Package.swift").filter { path in
            !path.contains(".build/") && !path.contains("Pods/") && path.pathParts.count <= 4
        }
        for path in manifests {
            guard let text = files.text(path), text.contains(".testTarget(") else { continue }
            let folder = ProjectFiles.folder(of: path)
            proposal.found.append("Swift package: \(folder.isEmpty ? "." : folder)")
            let name =
                folder.isEmpty
                ? "unit" : "unit-\(ProjectName.from(folder.pathParts.last ?? ""))"
            let isTaken = jobs.contains { $0.name == name }
            jobs.append(
                ProposedJob(
                    name: isTaken ? "\(name)-\(jobs.count)" : name,
                    entries: [
                        ProposedEntry("kind", "unit"), ProposedEntry("driver", "swiftpm"),
                        ProposedEntry("package", text: folder.isEmpty ? "." : folder),
                    ],
                    hasReferences: false,
                    runsOnDevices: false
                )
            )
            if text.contains("swift-snapshot-testing") {
                proposal.open.append(
                    "\(path) uses swift-snapshot-testing: to compare its pictures with snapfarm, write "
                        + "`kind: snapshot` and `framework: swift-snapshot-testing` for that job."
                )
            }
        }
    }

    mutating func addPython() {
        let settings =
            ["pyproject.toml", "setup.cfg", "tox.ini", "pytest.ini", "requirements.txt"]
            + files.paths.filter { $0.hasPrefix("requirements") && $0.hasSuffix(".txt") }
        let text = settings.compactMap { files.text($0) }.joined(separator: "\n")
        let tests = files.paths.contains { path in
            let name = path.pathParts.last ?? ""
            return name.hasPrefix("test_") && name.hasSuffix(".py")
        }
        guard tests, text.contains("pytest") || files.has("conftest.py") else { return }
        let isPlot = text.contains("pytest-mpl")
        proposal.found.append(isPlot ? "pytest with pytest-mpl" : "pytest")
        var entries = [
            ProposedEntry("kind", isPlot ? "snapshot" : "unit"), ProposedEntry("driver", "command"),
        ]
        if isPlot { entries.append(ProposedEntry("framework", "pytest-mpl")) }
        let flags = isPlot ? "{flags} " : ""
        entries += [
            ProposedEntry("env", "{PYTHONPATH: ci}"),
            ProposedEntry("discover", "pytest -p snapfarm_pytest --collect-only"),
            ProposedEntry("run", "\"pytest -p snapfarm_pytest \(flags){tests}\""),
            ProposedEntry("results", "junit.xml"),
        ]
        add(
            ProposedFile(
                path: "ci/snapfarm_pytest.py",
                text: String(decoding: PackageResources.snapfarm_pytest_py, as: UTF8.self),
                appends: false
            )
        )
        // pytest-mpl compares with the repository's own pictures.
        if isPlot { entries.append(ProposedEntry("matrix", "none")) }
        jobs.append(
            ProposedJob(
                name: isPlot ? "plots" : "pytest",
                entries: entries,
                hasReferences: false,
                runsOnDevices: false
            )
        )
    }

    mutating func addGradle() {
        let tools = [
            ("app.cash.paparazzi", "Paparazzi", true),
            ("io.github.takahirom.roborazzi", "Roborazzi", true), ("com.karumi", "Shot", true),
            ("com.android.compose.screenshot", "Compose Preview Screenshot Testing", false),
        ]
        let scripts =
            files.named("build.gradle") + files.named("build.gradle.kts")
            + files.named("libs.versions.toml")
        let text = scripts.compactMap { files.text($0) }.joined(separator: "\n")
        for (sign, name, isKnown) in tools where text.contains(sign) {
            proposal.found.append("Gradle with \(name)")
            proposal.open.append(
                isKnown
                    ? "\(name): init does not know which modules and variants you test. Write a job with "
                        + "`driver: command` and `framework: \(name)`; see docs/command.md#gradle."
                    : "\(name): snapfarm has no profile of it; see docs/frameworks.md to write one."
            )
        }
    }
}
