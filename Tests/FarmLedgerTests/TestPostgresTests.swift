// Tests of the PostgreSQL that other tests use: a fault that does not happen would prove nothing.
import FarmTesting
import Foundation
import Testing

@Suite("The PostgreSQL of the tests", .enabled(if: TestPostgres.isInstalled))
struct TestPostgresTests {
    @Test("keeps what it committed when it is killed, restarted and frozen")
    func faults() throws {
        let postgres = try TestPostgres()
        let database = try postgres.database()
        try postgres.query("CREATE TABLE row (n int PRIMARY KEY)", database: database)
        func add(_ n: Int) throws {
            try postgres.query("INSERT INTO row VALUES (\(n))", database: database)
        }
        try add(1)
        postgres.kill()
        #expect(throws: TestPostgres.Failure.self) { try add(2) }
        try postgres.start()
        try add(3)
        try postgres.restartImmediately()
        try add(4)
        postgres.freeze()
        let waiting = try postgres.start("INSERT INTO row VALUES (5)", database: database)
        #expect(!waiting.wait(seconds: 0.3) { !waiting.isRunning })
        postgres.thaw()
        #expect(waiting.ending(within: 30).status == 0)
        #expect(
            try postgres.query("SELECT n FROM row ORDER BY n", database: database) == "1\n3\n4\n5"
        )
    }

    @Test("ends connections to one database and no other")
    func terminates() throws {
        let postgres = try TestPostgres.shared()
        let (mine, other) = (try postgres.database(), try postgres.database())
        let sleepers = try [mine, other].map {
            try postgres.start("SELECT pg_sleep(60)", database: $0)
        }
        #expect(
            sleepers[0].wait(seconds: 30) {
                (try? postgres.terminateBackends(of: mine)) ?? 0 > 0
            }
        )
        #expect(sleepers[0].ending(within: 30).status != 0)
        #expect(sleepers[1].isRunning)
    }

    @Test("ends with an owner that is killed")
    func owner() throws {
        let folder = try TemporaryFolder("owned")
        let owner = try TestProcess(["sleep", "60"])
        let server = try TestProcess(["sleep", "60"])
        try folder.write("postgres/server", "\(server.pid)\n")
        let watcher = try TestPostgres.watcher(owner: owner.pid, folder: folder.file("postgres"))
        owner.kill()
        #expect(watcher.ending(within: 30).status == 0)
        #expect(server.ending(within: 30).status == 137)
        #expect(!FileManager.default.fileExists(atPath: folder.file("postgres")))
    }
}
