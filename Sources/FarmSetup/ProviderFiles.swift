// The CI of a repository. A configuration that is there is not changed: init says what to add. Where
// there is none, nobody knows which CI the team has.
import FarmCore

extension SetupRules {
    /// Files that tell a provider, its name, and the folder of its example in snapfarm's `pipelines/`.
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
