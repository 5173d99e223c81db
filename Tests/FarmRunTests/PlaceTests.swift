import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmRun

@Suite("Where things are")
struct PlaceTests {
    @Test(
        "a path is absolute and has no dots",
        arguments: [("/a/./b/../c", "/a/c"), ("/..", "/"), ("/a//b/", "/a/b")]
    )
    func absolute(path: String, found: String) {
        #expect(PipelineSource.absolute(path) == found)
    }

    @Test("a machine's share is what the command line says, then what its CI says")
    func share() {
        let ci = ["SNAPFARM_SHARD_INDEX": "1", "SNAPFARM_SHARD_TOTAL": "3"]
        func place(_ asked: ShardPlace?, _ environment: [String: String]) -> ShardPlace? {
            MachineShare.place(asked, selects: false, environment)
        }
        #expect(place(nil, ci) == ShardPlace(index: 1, total: 3))
        #expect(place(ShardPlace(index: 0, total: 2), ci) == ShardPlace(index: 0, total: 2))
        // 0/1 means everything, whatever the CI says.
        #expect(place(ShardPlace(index: 0, total: 1), ci) == nil)
        #expect(place(nil, [:]) == nil)
        #expect(MachineShare.note(nil, selects: false, ci) == nil)
    }

    @Test(
        "beside a selection a place that only the CI names is no share, and that is said",
        arguments: [
            ["GITLAB_CI": "true", "CI_NODE_INDEX": "2", "CI_NODE_TOTAL": "2"],
            ["CIRCLECI": "true", "CIRCLE_NODE_INDEX": "1", "CIRCLE_NODE_TOTAL": "2"],
            [
                "BITRISE_IO": "true", "BITRISE_IO_PARALLEL_INDEX": "1",
                "BITRISE_IO_PARALLEL_TOTAL": "2",
            ],
            [
                "BUILDKITE": "true", "BUILDKITE_PARALLEL_JOB": "1",
                "BUILDKITE_PARALLEL_JOB_COUNT": "2",
            ],
            [
                "BITBUCKET_BUILD_NUMBER": "7", "BITBUCKET_PARALLEL_STEP": "1",
                "BITBUCKET_PARALLEL_STEP_COUNT": "2",
            ],
            ["SEMAPHORE": "true", "SEMAPHORE_JOB_INDEX": "2", "SEMAPHORE_JOB_COUNT": "2"],
            [
                "GITHUB_ACTIONS": "true", "SNAPFARM_SHARD_INDEX": "1",
                "SNAPFARM_SHARD_TOTAL": "2",
            ],
        ]
    )
    func selection(ci: [String: String]) {
        let second = ShardPlace(index: 1, total: 2)
        #expect(MachineShare.place(nil, selects: false, ci) == second)
        #expect(MachineShare.place(nil, selects: true, ci) == nil)
        #expect(MachineShare.note(nil, selects: true, ci)?.contains("--shard 1/2") == true)
        // With both a shard and a selection given, both apply.
        #expect(MachineShare.place(second, selects: true, ci) == second)
        #expect(MachineShare.note(second, selects: true, ci) == nil)
    }

    @Test("a command that needs a history says why there is none", arguments: [true, false])
    func neededHistory(exists: Bool) throws {
        let folder = try TemporaryFolder("needed-history")
        if exists { try folder.write("history", "something else\n") }
        let history = HistoryFile(folder.file("history"))
        let reads: [() throws -> Void] = [
            { _ = try history.flaky(runs: 9) }, { _ = try history.reuse() },
        ]
        for read in reads {
            let thrown = #expect(throws: (any Error).self) { try read() }
            let error = thrown as? any ExplainedError
            #expect(error?.code == "history-unusable")
            #expect(error?.message.contains("there is no such file.") == !exists)
        }
    }

    @Test("a history that is not there or of another program is said, an empty one is none")
    func history() throws {
        let folder = try TemporaryFolder("history")
        func said(_ name: String) -> String? {
            var lines: [String] = []
            let found = HistoryFile(folder.file(name)).read { lines.append($0) }
            return found == nil && lines.count == 1 ? lines[0] : nil
        }
        #expect(said("none")?.contains("no history at") == true)
        try folder.write("empty", "")
        var lines: [String] = []
        #expect(HistoryFile(folder.file("empty")).read { lines.append($0) } == nil)
        #expect(lines == [])
        try folder.write("foreign", "something else\n")
        #expect(said("foreign")?.hasPrefix("warning: ") == true)
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("link"),
            withDestinationPath: folder.file("foreign")
        )
        #expect(said("link")?.contains("no regular file") == true)
    }

    @Test("a coordinator's data folder is the option's, then the configuration's")
    func configuration() throws {
        let folder = try TemporaryFolder("serve")
        let file = try folder.write("snapfarm.yaml", "version: 1\ndata: state\n")
        let own = try CoordinatorConfiguration(file: file, data: nil)
        #expect(own.data == folder.file("state") && own.tokens == folder.file("state/tokens.json"))
        #expect(try CoordinatorConfiguration(file: file, data: "/other").data == "/other")
        let none = #expect(throws: ConfigurationError.self) {
            try CoordinatorConfiguration(file: nil, data: nil)
        }
        #expect(none?.code == "data-folder-unnamed")
    }

    @Test(
        "a coordinator is a URL of a host and nothing else",
        arguments: ["farm", "ftp://farm", "http://farm/path", "http://farm/?q=1", "http://me@farm"]
    )
    func badURL(url: String) {
        let error = #expect(throws: RemoteCoordinatorError.self) {
            try RemoteCoordinator(url: url, environment: ["SNAPFARM_TOKEN": "t"])
        }
        #expect(error?.code == "coordinator-url")
    }

    @Test("a coordinator without a token is not asked")
    func noToken() {
        let error = #expect(throws: RemoteCoordinatorError.self) {
            try RemoteCoordinator(url: "https://farm:8080/", environment: ["SNAPFARM_TOKEN": ""])
        }
        #expect(error?.code == "token-missing")
    }

    @Test("a data folder has one owner at a time, and only its user may enter")
    func dataFolder() throws {
        let folder = try TemporaryFolder("data")
        let path = folder.file("state")
        let first = try DataFolder(path)
        let busy = #expect(throws: DataFolderError.self) { try DataFolder(path) }
        #expect(busy?.exit == .busy && busy?.message.contains("process \(getpid())") == true)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        #expect(mode as? Int == 0o700)
        withExtendedLifetime(first) {}
    }
}
