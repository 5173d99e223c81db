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
            if folder == "github", !files.has(Self.workflow) {
                add(ProposedFile(path: Self.workflow, text: Self.gitHub, appends: false))
            } else {
                proposal.open.append(
                    "\(name): add the jobs of snapfarm's pipelines/\(folder)/ to \(path)."
                )
            }
        }
        if !isFound {
            proposal.open.append(
                "No CI configuration was found: snapfarm's pipelines/ has one for six providers."
            )
        }
    }

    private static let workflow = ".github/workflows/snapfarm.yml"

    /// A workflow is a file of its own: nothing that is there changes.
    private static let gitHub = """
        # Proposed by `snapfarm init`. The runner needs snapfarm and what your tests need.
        name: snapfarm
        on: [push, pull_request]
        jobs:
          snapfarm:
            runs-on: ubuntu-latest   # guessed: macos-latest for simulators
            steps:
              - uses: actions/checkout@v4
              - run: snapfarm run snapfarm.yaml
              - uses: actions/upload-artifact@v4
                if: always()
                with: {name: snapfarm-out, path: snapfarm-out}

        """
}
