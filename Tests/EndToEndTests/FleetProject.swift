// A coordinator for a project under test: a real `snapfarm serve` on a port of this machine, with
// tokens and ways to call it.
import FarmAPI
import FarmRun
import FarmTesting
import Foundation
import Testing

/// A project whose jobs can run on other machines, and a coordinator for it.
final class Fleet {
    let project: Project
    /// The folder of the coordinator's state and configuration.
    let place: TemporaryFolder
    let port: Int
    /// The address on which the coordinator listens.
    var address = "127.0.0.1" {
        didSet { configuration.replace("\(oldValue):\(port)", with: "\(address):\(port)") }
    }
    var configuration: String
    /// Extra environment variables of coordinator, workers and callers.
    var environment: [String: String] = [:]
    private var tokens: [String: String] = [:]
    private(set) var server: TestProcess?
    private var workers: [TestProcess] = []

    static let bundle = "bundle: [test.sh, scenes, units, \"pictures/**\", \"act**\"]"

    init(_ project: Project? = nil, limits: String = "") throws {
        self.project = try project ?? Project()
        place = try TemporaryFolder("fleet")
        port = try TestPort.reserved()
        configuration = """
            version: 1
            listen: 127.0.0.1:\(port)
            data: state
            stores: {app: \(self.project.folder.file("store.git"))}
            log: json
            \(limits)
            """
        try travel()
    }

    /// Returns a fleet whose only job shows scenes in a browser; `scenes` is the text of their file
    /// `screens.yaml`.
    static func showing(_ scenes: String) throws -> Fleet {
        let fleet = try Fleet()
        let project = fleet.project.folder
        try project.write(
            "app.yaml",
            """
            version: 1
            name: app
            references: {store: store.git}
            devices: [{name: A, width: 80, height: 60, scale: 1}]
            jobs:
              shots:
                kind: snapshot
                driver: webdriver
                scenes: screens.yaml
                comparison: {policy: exact}
            """
        )
        try project.write("screens.yaml", scenes)
        return fleet
    }

    deinit {
        for worker in workers { worker.kill() }
        server?.kill()
    }

    /// Makes every job of the project's pipeline declare the files it needs.
    private func travel() throws {
        // A pattern of a bundle must match a file.
        try project.folder.write("act/none", "exit 1\n")
        let lines = project.text("app.yaml").split(separator: "\n").map { line in
            line.hasPrefix("    run: ") ? "\(line)\n    \(Self.bundle)" : String(line)
        }
        try project.folder.write("app.yaml", lines.joined(separator: "\n") + "\n")
    }

    var url: String { "http://\(address):\(port)" }

    var program: Program { Program(folder: place.path, environment: environment) }

    // MARK: coordinator

    /// Starts the coordinator and waits until it answers.
    func serve(_ arguments: [String] = []) throws {
        try place.write("farm.yaml", configuration)
        let server = try program.start(["serve", "--config", "farm.yaml"] + arguments)
        self.server = server
        let answers = server.wait(seconds: 60) { server.errors.contains("listening") }
        #expect(answers, "\(server.errors)")
    }

    /// Starts a coordinator in a process that dies before this step of a publication.
    func serve(until step: PublishStep) throws -> TestProcess {
        let file = try place.write("farm.yaml", configuration)
        let server = try KillTask.start(
            .serve,
            until: step,
            [file],
            environment: environment,
            in: place.path
        )
        self.server = server
        let answers = server.wait(seconds: 60) { server.errors.contains("listening") }
        #expect(answers, "\(server.errors)")
        return server
    }

    /// Starts the coordinator with its own certificate, `cert.pem`, valid for `localhost` only.
    func serveTLS() throws {
        let made = try TestProcess.run(
            [
                "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
                "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
                "-keyout", "key.pem", "-out", "cert.pem",
            ],
            in: place.path
        )
        #expect(made.status == 0, "\(made.said)")
        configuration += "\ntls: {certificate: cert.pem, key: key.pem}"
        try serve()
    }

    /// Replaces the certificate for `localhost`; the times are in the format of `openssl ca`, such
    /// as `20200101000000Z`.
    func certify(from start: String? = nil, until end: String? = nil) throws {
        let times = [("-startdate", start), ("-enddate", end)]
            .flatMap { option, time in time.map { [option, $0] } ?? [] }
        let script = """
            set -e
            openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
              -subj /CN=localhost -keyout key.pem -out request.pem
            : >index.txt
            mkdir -p issued
            printf '%s\n' '[ca]' 'default_ca=own' '[own]' 'database=index.txt' 'policy=name' \
              'new_certs_dir=issued' 'rand_serial=yes' 'default_md=sha256' 'default_days=90' \
              'unique_subject=no' 'x509_extensions=names' '[name]' 'commonName=supplied' \
              '[names]' 'subjectAltName=DNS:localhost' 'basicConstraints=CA:TRUE' >ca.cnf
            openssl ca -batch -selfsign -notext -config ca.cnf -keyfile key.pem -in request.pem \
              -out cert.pem "$@"
            """
        let made = try TestProcess.run(["sh", "-c", script, "sh"] + times, in: place.path)
        #expect(made.status == 0, "\(made.said)")
    }

    var log: String { server?.errors ?? "" }
    /// The standard error of all workers that the test has started.
    var workerLog: String { workers.map(\.errors).joined(separator: "\n") }
    var pid: pid_t { server?.pid ?? 0 }
    var isServing: Bool { server?.isRunning ?? false }

    /// Stops the coordinator by SIGTERM.
    func stop() throws -> ProcessEnding {
        let server = try #require(server)
        kill(server.pid, SIGTERM)
        return server.ending(within: 40)
    }

    func killServer() { server?.kill() }

    /// Returns a token with these scopes; the same one at each call.
    func token(_ scopes: String...) throws -> String {
        let name = scopes.joined(separator: "-")
        if let known = tokens[name] { return known }
        let words = ["tokens", "create", name, "--data", "state"]
        let made = try program.run(words + scopes.flatMap { ["--scope", $0] })
        #expect(made.status == 0, "\(made.said)")
        let token = made.output.trimmingCharacters(in: .whitespacesAndNewlines)
        tokens[name] = token
        return token
    }

    // MARK: callers

    /// Starts a worker in an empty folder that knows only the coordinator's address.
    ///
    /// `through` is a command that starts the worker; `offering` adds offers to those it detects.
    /// With `former`, the worker takes over that worker's folder. `machine` adds environment
    /// variables, `options` options of the command.
    func startWorker(
        _ id: String,
        after former: String? = nil,
        through: [String] = [],
        offering: [String] = [],
        options: [String] = [],
        on machine: [String: String] = [:]
    ) throws -> TestProcess {
        let folder = place.file("worker-\(former ?? id)")
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true
        )
        let worker = try Program(
            folder: folder,
            environment: environment.merging(machine) { $1 }.merging([
                "SNAPFARM_TOKEN": try token("work"), "XDG_CACHE_HOME": folder + "/cache",
            ]) { $1 }
        ).start(
            ["worker", "--coordinator", url, "--id", id, "--scratch", folder + "/scratch"]
                + offering.flatMap { ["--offer", $0] } + options,
            through: through
        )
        workers.append(worker)
        return worker
    }

    /// Stops all workers by SIGTERM.
    func stopWorkers() {
        for worker in workers { kill(worker.pid, SIGTERM) }
        for worker in workers {
            let ending = worker.ending(within: 40)
            #expect(ending.status == 0, "\(ending.said)")
        }
    }

    func submitting(_ scopes: String...) throws -> Program {
        let name = scopes.isEmpty ? ["submit"] : scopes
        let token =
            name == ["submit"] ? try token("submit") : try token("submit", "work")
        return project.program(environment.merging(["SNAPFARM_TOKEN": token]) { $1 })
    }

    func run(_ arguments: [String] = []) throws -> ProcessEnding {
        try submitting().run(["run", "app.yaml", "--coordinator", url] + arguments)
    }

    /// Returns the time of the worker's last call, as the coordinator reports it.
    func lastCall(_ worker: String) throws -> String {
        struct Answer: Decodable {
            struct Row: Decodable {
                let worker: String
                let seen: String
            }
            let workers: [Row]
        }
        let ending = try submitting().run(["workers", "--json", "--coordinator", url])
        let answer = try JSONDecoder().decode(Answer.self, from: Data(ending.output.utf8))
        return try #require(answer.workers.first { $0.worker == worker }).seen
    }

    /// Makes one call and returns the answer's bytes, or `nil` if the coordinator closes the
    /// connection without an answer or sends nothing for `seconds`.
    func call(
        _ method: String,
        _ path: String,
        token: String? = nil,
        version: String? = Routes.version,
        headers: [String] = [],
        body: Data? = nil,
        within seconds: Double = 20
    ) throws -> RawConnection.Response? {
        let connection = try RawConnection(port: port)
        var lines = ["\(method) \(path) HTTP/1.1", "Host: 127.0.0.1"] + headers
        if let token { lines.append("Authorization: Bearer \(token)") }
        if let version { lines.append("Snapfarm-Version: \(version)") }
        let isSized = headers.contains {
            $0.hasPrefix("Content-Length") || $0.hasPrefix("Transfer-Encoding")
        }
        if let body, !isSized { lines.append("Content-Length: \(body.count)") }
        connection.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
        if let body { connection.send(body) }
        return connection.response(within: seconds, isHead: method == "HEAD")
    }
}
