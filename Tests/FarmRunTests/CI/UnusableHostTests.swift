// Tests of a Git host's address from the CI's variables, which may be set wrongly.
import FarmCore
import FarmTesting
import Testing

@testable import FarmRun

@Suite("A Git host whose address cannot be called")
struct UnusableHostTests {
    @Test(
        "is named in the error, and ends no process",
        arguments: ["http://127.0.0.1:99999", "http://[::1]:65536", "file:///etc"]
    )
    func named(address: String) async throws {
        let client = HostClient(
            place: HostPlace(
                kind: .gitHub,
                api: address,
                repository: "o/r",
                commit: GitHubTests.commit,
                pullRequest: 7
            ),
            token: "t",
            now: { 0 },
            pause: { _ in }
        )
        let error = await #expect(throws: HostError.self) {
            try await client.show(GitHubTests.summary(.passed))
        }
        await client.close()
        #expect(error?.message.contains("\(address) is no http or https address") == true)
    }
}
