// Finds the CI of a repository. An existing configuration is not changed: init tells what to add
// or, on GitHub, proposes a workflow beside it. Without a configuration the team's CI is unknown.
import FarmCore

extension SetupRules {
    /// The CI providers: a file of each, its name, and its example's folder in `pipelines/`.
    private static let providers = [
        (".circleci/config.yml", "CircleCI", "circleci"),
        ("bitrise.yml", "Bitrise", "bitrise"),
        (".github/workflows/", "GitHub Actions", "github"),
        (".gitlab-ci.yml", "GitLab", "gitlab"),
        (".buildkite/", "Buildkite", "buildkite"),
        ("Jenkinsfile", "Jenkins", "jenkins"),
    ]

    mutating func addProvider() {
        var isFound = false
        for (path, name, folder) in Self.providers {
            let isThere =
                path.hasSuffix("/")
                ? files.paths.contains { $0.hasPrefix(path) } : files.has(path)
            guard isThere else { continue }
            isFound = true
            proposal.found.append("\(name): \(path)")
            if name == "GitHub Actions" {
                let isXcode = jobs.contains { $0.entries.contains { $0.value == "xcodebuild" } }
                add(WorkflowText.file(isXcode: isXcode))
                proposal.open.append(
                    "GitHub Actions: set the variables SNAPFARM_URL and SNAPFARM_SHA256 of the "
                        + "repository; snapfarm's pipelines/github/ has a job for each device, approval "
                        + "and pull requests of forks."
                )
                continue
            }
            let place = path.hasSuffix("/") ? "copy" : "add the jobs of"
            proposal.open.append("\(name): \(place) snapfarm's pipelines/\(folder)/ to \(path).")
        }
        if !isFound {
            proposal.open.append(
                "No CI configuration was found: snapfarm's pipelines/ has one for six providers."
            )
        }
    }
}
