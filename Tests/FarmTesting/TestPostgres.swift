// A real PostgreSQL for tests, on a Unix socket in a temporary folder. One serves a whole test
// process; each test makes a database of its own. Invariants: it listens on no port; it runs as an
// unprivileged user, because PostgreSQL refuses root; it ends with its owner, even if the owner is
// killed, by a small program that watches the owner; its processes are found by its process id.
import Foundation
import Synchronization

/// A PostgreSQL that can be killed, frozen and restarted.
package final class TestPostgres: Sendable {
    /// Whether PostgreSQL is installed.
    ///
    /// Without it its tests are skipped.
    package static let isInstalled = programs != nil

    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// The folder of initdb, postgres and psql: Debian's newest, or Homebrew's.
    private static let programs: String? = {
        let debian = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: debian)) ?? []
        let newest = versions.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }
        let folders =
            newest.map { "\(debian)/\($0)/bin" }
            + ["/opt/homebrew", "/usr/local"].map { "\($0)/opt/postgresql@15/bin" }
        return folders.first { FileManager.default.isExecutableFile(atPath: $0 + "/initdb") }
    }()

    /// The words that start PostgreSQL as the user of Debian's package, because root must not run
    /// it.
    private static let unprivileged =
        geteuid() == 0
        ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--"] : []

    private static let superuser = "snapfarm"

    private struct Running {
        var server: TestProcess?
        var watcher: TestProcess?
        var databases = 0
    }

    /// The folder of the socket, by which a program reaches the server.
    package var socketFolder: String { folder.path }
    private let folder: TemporaryFolder
    private let bin: String
    private let running = Mutex(Running())

    private static let common = Mutex<TestPostgres?>(nil)

    /// Returns the server of this process, for tests that end only their own connections.
    ///
    /// A test that kills, freezes or restarts a server makes its own.
    package static func shared() throws -> TestPostgres {
        try common.withLock { common in
            let postgres = try common ?? TestPostgres()
            common = postgres
            return postgres
        }
    }

    /// Makes and starts a server, which takes about two seconds.
    package init() throws {
        guard let bin = Self.programs else {
            throw Failure(description: "no PostgreSQL; run deploy/system-packages.sh test")
        }
        self.bin = bin
        folder = try TemporaryFolder("postgres")
        if geteuid() == 0 {
            let given = try TestProcess.run(["chown", "postgres", folder.path])
            guard given.status == 0 else { throw Failure(description: given.errors) }
        }
        try running.withLock {
            $0.watcher = try Self.watcher(owner: getpid(), folder: folder.path)
        }
        let made = try TestProcess.run(
            Self.unprivileged + [
                bin + "/initdb", "-D", folder.file("data"), "-U", Self.superuser, "-A", "trust",
                "-E", "UTF8", "--no-locale", "--no-sync",
            ]
        )
        guard made.status == 0 else { throw Failure(description: made.errors) }
        try start()
    }

    deinit {
        kill()
        running.withLock { $0.watcher?.kill() }
    }

    // MARK: use

    /// Makes an empty database and returns its URL for libpq.
    package func database() throws -> String {
        let number = running.withLock { running in
            running.databases += 1
            return running.databases
        }
        let name = "test\(number)"
        _ = try query("CREATE DATABASE \(name)", database: "postgres")
        return url(database: name)
    }

    package func url(database: String) -> String {
        let path = socketFolder.replacingOccurrences(of: "/", with: "%2F")
        return "postgres://\(Self.superuser)@\(path)/\(database)"
    }

    /// Runs SQL and returns rows as lines, with columns separated by `|`.
    ///
    /// `database` is a name, or a URL of ``database()``. Throws psql's error output.
    @discardableResult
    package func query(_ sql: String, database: String) throws -> String {
        let ending = try start(sql, database: database).ending(within: 30)
        guard ending.status == 0 else { throw Failure(description: ending.errors) }
        return ending.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Starts psql with SQL, as a client beside the test.
    package func start(_ sql: String, database: String) throws -> TestProcess {
        let place = database.contains("://") ? database : url(database: database)
        return try TestProcess(
            [bin + "/psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", sql, place]
        )
    }

    // MARK: faults

    /// Kills the server and all its processes at one moment, as when a machine dies.
    package func kill() {
        running.withLock { running in
            if let server = running.server, server.isRunning {
                // A frozen server starts no backend while the list is made.
                signal(server.pid, SIGSTOP)
                for pid in children(of: server.pid) { signal(pid, SIGKILL) }
                server.kill()
            }
            running.server = nil
        }
    }

    /// Starts the server with the data on the disk; returns when it answers.
    package func start() throws {
        try running.withLock { running in
            let server = try TestProcess(
                Self.unprivileged + [
                    bin + "/postgres", "-D", folder.file("data"), "-c", "listen_addresses=",
                    "-c", "unix_socket_directories=\(folder.path)", "-c", "max_connections=60",
                    // Only processes die here, never the machine: the kernel keeps the written
                    // data.
                    "-c", "fsync=off", "-c", "shared_buffers=16MB",
                ]
            )
            running.server = server
            try Data("\(server.pid)\n".utf8).write(to: URL(fileURLWithPath: folder.file("server")))
            let isUp = server.wait(seconds: 60) {
                !server.isRunning || (try? query("SELECT 1", database: "postgres")) != nil
            }
            guard isUp, server.isRunning else { throw Failure(description: server.errors) }
        }
    }

    /// Restarts like `pg_ctl restart -m immediate`: connections get no notice, and nothing is
    /// written back.
    package func restartImmediately() throws {
        running.withLock { running in
            guard let server = running.server else { return }
            signal(server.pid, SIGQUIT)
            _ = server.ending(within: 30)
            running.server = nil
        }
        try start()
    }

    /// Ends the connections to a database and returns their number.
    @discardableResult
    package func terminateBackends(of url: String) throws -> Int {
        let count = try query(
            """
            SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()
            """,
            database: url
        )
        return Int(count) ?? 0
    }

    /// Freezes every process of the server: connections stay open without answers.
    package func freeze() { signalAll(SIGSTOP) }

    package func thaw() { signalAll(SIGCONT) }

    private func signalAll(_ number: Int32) {
        running.withLock { running in
            guard let server = running.server else { return }
            for pid in [server.pid] + children(of: server.pid) { signal(pid, number) }
        }
    }

    private func signal(_ pid: pid_t, _ number: Int32) { _ = Foundation.kill(pid, number) }

    /// Backends lead process groups of their own, so no signal to one group reaches them all.
    private func children(of pid: pid_t) -> [pid_t] {
        let listed = try? TestProcess.run(["pgrep", "-P", "\(pid)"])
        return (listed?.output ?? "").split(separator: "\n").compactMap { pid_t($0) }
    }

    /// Starts a program that ends the server and removes its folder once the owner is gone.
    package static func watcher(owner: pid_t, folder: String) throws -> TestProcess {
        let script = """
            while kill -0 "$1" 2>/dev/null; do sleep 0.5; done
            server=$(cat "$2/server") && kill -STOP "$server" && {
              kill -KILL $(pgrep -P "$server") 2>/dev/null; kill -KILL "$server"
            }
            rm -rf "$2"
            """
        return try TestProcess(["sh", "-c", script, "sh", "\(owner)", folder])
    }
}
