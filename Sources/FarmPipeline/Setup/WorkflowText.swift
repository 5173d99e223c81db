// The proposed workflow of GitHub Actions: one job runs everything. Larger teams replace it by
// pipelines/github/.

enum WorkflowText {
    /// Returns the workflow file of GitHub Actions; with `isXcode`, a job needs Apple's tools.
    static func file(isXcode: Bool) -> ProposedFile {
        let runner = isXcode ? "macos-latest" : "ubuntu-latest"
        return ProposedFile(
            path: ".github/workflows/snapfarm.yml",
            text: """
                # Proposed by `snapfarm init`. Look at what is marked as guessed.
                name: snapfarm

                on:
                  pull_request:
                  push:
                    branches: [main] # guessed

                permissions:
                  contents: read

                jobs:
                  snapfarm:
                    # guessed: it needs what your tests need, such as a browser
                    runs-on: \(runner)
                    steps:
                      - uses: actions/checkout@v4
                        with: {persist-credentials: false}
                      - name: Install snapfarm
                        # Variables of the repository: the .tar.gz of a version, and what its bytes must be.
                        env:
                          SNAPFARM_URL: ${{ vars.SNAPFARM_URL }}
                          SNAPFARM_SHA256: ${{ vars.SNAPFARM_SHA256 }}
                        run: |
                          mkdir "$RUNNER_TEMP/snapfarm"
                          cd "$RUNNER_TEMP/snapfarm"
                          curl --fail --silent --show-error --location --output snapfarm.tar.gz "$SNAPFARM_URL"
                          echo "$SNAPFARM_SHA256  snapfarm.tar.gz" | shasum -a 256 --check
                          tar -xzf snapfarm.tar.gz --strip-components 1
                          echo "$PWD/bin" >> "$GITHUB_PATH"
                      - name: Test
                        # The reference store as a Git URL, unless the pipeline file names one.
                        env:
                          SNAPFARM_STORE: ${{ vars.SNAPFARM_STORE }}
                        run: snapfarm run snapfarm.yaml
                      - uses: actions/upload-artifact@v4
                        if: always()
                        with:
                          name: snapfarm
                          # The artifact is a zip itself, and FailureDiffs/ has what is in this one.
                          path: |
                            snapfarm-out
                            !snapfarm-out/FailureDiffs.zip

                """,
            appends: false
        )
    }
}
