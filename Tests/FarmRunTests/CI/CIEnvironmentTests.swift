import FarmCore
import Testing

@testable import FarmRun

/// One provider's environment and the values to detect in it.
struct ProviderCase: Sendable, CustomTestStringConvertible {
    let provider: CIProvider
    let environment: [String: String]
    let key: String
    let commit: String
    let branch: String
    let pullRequest: String
    let shard: CIShare?

    var testDescription: String { provider.rawValue }

    static let all: [ProviderCase] = [
        ProviderCase(
            provider: .circleCI,
            environment: [
                "CI": "true", "CIRCLECI": "true", "CIRCLE_WORKFLOW_ID": "w-1",
                "CIRCLE_SHA1": "abc", "CIRCLE_BRANCH": "main",
                "CIRCLE_PULL_REQUEST": "https://github.com/o/r/pull/412",
                "CIRCLE_NODE_INDEX": "3", "CIRCLE_NODE_TOTAL": "4",
            ],
            key: "circleci:w-1",
            commit: "abc",
            branch: "main",
            pullRequest: "412",
            shard: CIShare(index: 3, total: 4)
        ),
        ProviderCase(
            provider: .bitrise,
            environment: [
                "CI": "true", "BITRISE_IO": "true", "BITRISEIO_PIPELINE_ID": "p-1",
                "BITRISE_BUILD_SLUG": "b-1", "BITRISE_GIT_COMMIT": "",
                "GIT_CLONE_COMMIT_HASH": "def", "BITRISE_GIT_BRANCH": "feature/x",
                "BITRISE_PULL_REQUEST": "7", "BITRISE_IO_PARALLEL_INDEX": "0",
                "BITRISE_IO_PARALLEL_TOTAL": "2",
            ],
            key: "bitrise:p-1",
            commit: "def",
            branch: "feature/x",
            pullRequest: "7",
            shard: CIShare(index: 0, total: 2)
        ),
        ProviderCase(
            provider: .gitHub,
            environment: [
                "CI": "true", "GITHUB_ACTIONS": "true", "GITHUB_RUN_ID": "99",
                "GITHUB_RUN_ATTEMPT": "2", "GITHUB_SHA": "aaa", "GITHUB_HEAD_REF": "topic",
                "GITHUB_REF_NAME": "12/merge", "GITHUB_REF": "refs/pull/12/merge",
                "SNAPFARM_SHARD_INDEX": "1", "SNAPFARM_SHARD_TOTAL": "3",
            ],
            key: "github:99-2",
            commit: "aaa",
            branch: "topic",
            pullRequest: "12",
            shard: CIShare(index: 1, total: 3)
        ),
        ProviderCase(
            provider: .gitLab,
            environment: [
                "CI": "true", "GITLAB_CI": "true", "CI_PIPELINE_ID": "1000",
                "CI_COMMIT_SHA": "bbb", "CI_COMMIT_REF_NAME": "main",
                "CI_MERGE_REQUEST_IID": "5", "CI_NODE_INDEX": "1", "CI_NODE_TOTAL": "2",
            ],
            key: "gitlab:1000",
            commit: "bbb",
            branch: "main",
            pullRequest: "5",
            shard: CIShare(index: 0, total: 2)
        ),
        ProviderCase(
            provider: .buildkite,
            environment: [
                "CI": "true", "BUILDKITE": "true", "BUILDKITE_BUILD_ID": "u-1",
                "BUILDKITE_COMMIT": "ccc", "BUILDKITE_BRANCH": "main",
                "BUILDKITE_PULL_REQUEST": "false", "BUILDKITE_PARALLEL_JOB": "1",
                "BUILDKITE_PARALLEL_JOB_COUNT": "2",
            ],
            key: "buildkite:u-1",
            commit: "ccc",
            branch: "main",
            pullRequest: "",
            shard: CIShare(index: 1, total: 2)
        ),
        ProviderCase(
            provider: .bitbucket,
            environment: [
                "CI": "true", "BITBUCKET_BUILD_NUMBER": "8", "BITBUCKET_COMMIT": "eee",
                "BITBUCKET_BRANCH": "main", "BITBUCKET_PR_ID": "3",
                "BITBUCKET_PARALLEL_STEP": "0", "BITBUCKET_PARALLEL_STEP_COUNT": "2",
            ],
            key: "bitbucket:8",
            commit: "eee",
            branch: "main",
            pullRequest: "3",
            shard: CIShare(index: 0, total: 2)
        ),
        ProviderCase(
            provider: .semaphore,
            environment: [
                "CI": "true", "SEMAPHORE": "true", "SEMAPHORE_WORKFLOW_ID": "s-1",
                "SEMAPHORE_GIT_SHA": "fff", "SEMAPHORE_GIT_BRANCH": "main",
                "SEMAPHORE_JOB_INDEX": "4", "SEMAPHORE_JOB_COUNT": "4",
            ],
            key: "semaphore:s-1",
            commit: "fff",
            branch: "main",
            pullRequest: "",
            shard: CIShare(index: 3, total: 4)
        ),
        ProviderCase(
            provider: .jenkins,
            environment: [
                "CI": "true", "JENKINS_URL": "https://j/", "BUILD_TAG": "jenkins-app-PR-7-12",
                "GIT_COMMIT": "a1a", "BRANCH_NAME": "PR-7", "CHANGE_ID": "7",
                "CHANGE_BRANCH": "topic", "GIT_BRANCH": "PR-7",
            ],
            key: "jenkins:jenkins-app-PR-7-12",
            commit: "a1a",
            branch: "topic",
            pullRequest: "7",
            shard: nil
        ),
        ProviderCase(
            provider: .generic,
            environment: ["CI": "true"],
            key: "",
            commit: "",
            branch: "",
            pullRequest: "",
            shard: nil
        ),
    ]
}

@Suite("CI environment")
struct CIEnvironmentTests {
    @Test("each provider is known by its variables", arguments: ProviderCase.all)
    func provider(expected: ProviderCase) throws {
        let found = try #require(CIEnvironment.detect(expected.environment))
        #expect(found.provider == expected.provider)
        #expect(found.runKey == expected.key)
        #expect(found.commit == expected.commit)
        #expect(found.branch == expected.branch)
        #expect(found.pullRequest == expected.pullRequest)
        #expect(found.shard == expected.shard)
        #expect(found.problems.isEmpty)
    }

    @Test("every provider has its case above")
    func complete() {
        #expect(Set(ProviderCase.all.map(\.provider)) == Set(CIProvider.allCases))
    }

    @Test(
        "a machine of one's own is no CI",
        arguments: [[:], ["CI": "false"], ["CI": ""], ["CIRCLECI": "false"], ["GITLAB_CI": ""]]
    )
    func none(environment: [String: String]) {
        #expect(CIEnvironment.detect(environment) == nil)
    }

    @Test(
        "half a pair, or a pair that cannot be, is no shard and is reported",
        arguments: [
            ["CIRCLE_NODE_INDEX": "1"], ["CIRCLE_NODE_TOTAL": "4"],
            ["CIRCLE_NODE_INDEX": "1", "CIRCLE_NODE_TOTAL": ""],
            ["CIRCLE_NODE_INDEX": "4", "CIRCLE_NODE_TOTAL": "4"],
            ["CIRCLE_NODE_INDEX": "-1", "CIRCLE_NODE_TOTAL": "4"],
            ["CIRCLE_NODE_INDEX": "one", "CIRCLE_NODE_TOTAL": "4"],
            ["CIRCLE_NODE_INDEX": "-9223372036854775808", "CIRCLE_NODE_TOTAL": "4"],
            ["SNAPFARM_SHARD_INDEX": "1", "CIRCLE_NODE_INDEX": "1", "CIRCLE_NODE_TOTAL": "4"],
        ]
    )
    func unclear(pair: [String: String]) throws {
        let found = try #require(
            CIEnvironment.detect(pair.merging(["CIRCLECI": "true"]) { $1 })
        )
        #expect(found.shard == nil)
        #expect(found.problems.map(\.code) == ["shard-unclear"])
    }

    @Test(
        "a provider that counts from one has no shard zero",
        arguments: [("0", nil), ("1", 0), ("2", 1), ("3", nil)] as [(String, Int?)]
    )
    func oneBased(index: String, expected: Int?) throws {
        let found = try #require(
            CIEnvironment.detect([
                "GITLAB_CI": "true", "CI_NODE_INDEX": index, "CI_NODE_TOTAL": "2",
            ])
        )
        #expect(found.shard?.index == expected)
    }

    @Test(
        "a job on one machine is not split, and that is no problem",
        arguments: [
            ["CIRCLECI": "true", "CIRCLE_NODE_INDEX": "0", "CIRCLE_NODE_TOTAL": "1"],
            ["GITLAB_CI": "true", "CI_NODE_TOTAL": "1"],
        ]
    )
    func single(environment: [String: String]) throws {
        let found = try #require(CIEnvironment.detect(environment))
        #expect(found.shard == nil)
        #expect(found.problems.isEmpty)
    }

    @Test("every shard of a run has one key, and another attempt has another")
    func key() {
        func key(_ index: String, attempt: String) -> String? {
            CIEnvironment.detect([
                "GITHUB_ACTIONS": "true", "GITHUB_RUN_ID": "99", "GITHUB_RUN_ATTEMPT": attempt,
                "SNAPFARM_SHARD_INDEX": index, "SNAPFARM_SHARD_TOTAL": "2",
            ])?.runKey
        }
        #expect(key("0", attempt: "1") == key("1", attempt: "1"))
        #expect(key("0", attempt: "1") != key("0", attempt: "2"))
    }

    @Test("a rerun of CircleCI's failed jobs fits what the workflow before it left")
    func rerun() throws {
        func keys(_ workflow: String) throws -> CIEnvironment {
            try #require(
                CIEnvironment.detect([
                    "CIRCLECI": "true", "CIRCLE_WORKFLOW_ID": workflow,
                    "CIRCLE_WORKFLOW_WORKSPACE_ID": "first", "CIRCLE_PIPELINE_ID": "p",
                ])
            )
        }
        #expect(try keys("first").sharedKey == keys("second").sharedKey)
        #expect(try keys("first").runKey != keys("second").runKey)
    }

    @Test("machines of two providers that say the same key and commit are of one run")
    func ownKey() throws {
        let said = ["SNAPFARM_RUN_KEY": "beef", "SNAPFARM_COMMIT": "beef"]
        let circle = ["CIRCLECI": "true", "CIRCLE_WORKFLOW_ID": "w", "CIRCLE_SHA1": "beef"]
        let gitHub = ["GITHUB_ACTIONS": "true", "GITHUB_RUN_ID": "9", "GITHUB_SHA": "merge"]
        let found = try [circle, gitHub].map {
            try #require(CIEnvironment.detect($0.merging(said) { $1 }))
        }
        #expect(found.allSatisfy { $0.runKey == "key:beef" && $0.sharedKey == "key:beef" })
        #expect(found.allSatisfy { $0.commit == "beef" && $0.problems.isEmpty })
        for wrong in ["two\nlines", String(repeating: "x", count: 300)] {
            let odd = try #require(
                CIEnvironment.detect(circle.merging(["SNAPFARM_RUN_KEY": wrong]) { $1 })
            )
            #expect(odd.runKey == "circleci:w")
            #expect(odd.problems.map(\.code) == ["run-key-unusable"])
        }
    }

    @Test(
        "only a pull request's number is one",
        arguments: [
            ("refs/heads/main", ""), ("refs/pull/x/merge", ""), ("refs/pull/12/merge", "12"),
            ("refs/tags/1.0", ""), ("12", ""),
        ]
    )
    func pullRequest(reference: String, expected: String) {
        let found = CIEnvironment.detect(["GITHUB_ACTIONS": "true", "GITHUB_REF": reference])
        #expect(found?.pullRequest == expected)
    }

    @Test("a provider's sinks are its own")
    func sinks() throws {
        let all = [
            "BITRISE_DEPLOY_DIR": "/d", "BITRISE_TEST_RESULT_DIR": "", "GITHUB_STEP_SUMMARY": "/s",
        ]
        let bitrise = try #require(
            CIEnvironment.detect(all.merging(["BITRISE_IO": "true"]) { $1 })
        )
        #expect(bitrise.sinks == [.deployFolder: "/d"])
        let circle = try #require(CIEnvironment.detect(all.merging(["CIRCLECI": "true"]) { $1 }))
        #expect(circle.sinks.isEmpty)
    }
}
