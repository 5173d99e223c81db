// `snapfarm worker`: a worker for a run on this machine, or for a coordinator elsewhere.
import ArgumentParser
import FarmCore
import FarmDrivers
import FarmRun
import Foundation

/// `snapfarm worker`: takes work from a coordinator until there is no more.
struct WorkerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "worker",
        abstract: "Runs tests for a coordinator.",
        discussion: """
            The token comes from SNAPFARM_TOKEN, or is the second line of standard input where \
            that names the coordinator. SIGTERM gives what runs back at once; SIGUSR1 lets \
            it finish, and the worker leaves.
            """
    )

    @Option(
        help:
            "The coordinator's URL, or several with commas; - for the first line of standard input."
    )
    var coordinator: String
    @Option(help: "A name that no other worker has (default: host and process).") var id: String?
    @Option(help: "A folder for leases that no other worker uses (default: a temporary folder).")
    var scratch: String?
    @Option(help: "References and bundles, shared by workers (default: the user's cache).")
    var cache: String?
    @Option(
        help: """
            Say that this worker has NAME or NAME=VALUE, besides what it finds by itself. May be \
            repeated.
            """
    )
    var offer: [String] = []
    @Option(help: "Leave after so many seconds without work (default: stay).")
    var idleSeconds: Double?
    @Flag(
        help: """
            Isolate tests by bubblewrap (Linux): they see their lease, their files and the tools of \
            the machine, and nothing else.
            """
    )
    var isolate = false
    @Option(
        help: """
            The network of isolated tests: host, or none, which leaves them a loopback of their own.
            """
    )
    var isolateNetwork: Isolation.Network?
    @Option(
        help: ArgumentHelp(
            "A folder that isolated tests may read, besides the system's. May be repeated.",
            valueName: "dir"
        )
    )
    var isolateTools: [String] = []
    @Option(help: "Leave when the process with this number has ended.") var parent: Int32?
    @Flag(help: "Stay when no run is open, and keep browsers for the next run, as `watch` does.")
    var warm = false

    func validate() throws {
        guard FleetNames.isUsable(name) else {
            throw ValidationError("--id must be one line of 1 to \(FleetNames.bytesMax) bytes.")
        }
        guard isolate || isolateNetwork == nil && isolateTools.isEmpty else {
            throw ValidationError("--isolate-network and --isolate-tools need --isolate.")
        }
        if let idleSeconds, !(idleSeconds > 0 && idleSeconds <= FarmLimits.timeoutSecondsMax) {
            throw ValidationError(
                "--idle-seconds must be above 0, and at most \(Int(FarmLimits.timeoutSecondsMax))."
            )
        }
    }

    private var wish: Isolation.Wish? {
        guard isolate else { return nil }
        return Isolation.Wish(
            network: isolateNetwork ?? .host,
            tools: isolateTools.map(PipelineSource.absolute)
        )
    }

    private var name: String { id ?? "\(ProcessInfo.processInfo.hostName)-\(getpid())" }

    func run() async throws {
        let worker = WorkerProcess(
            coordinator: coordinator,
            id: name,
            scratch: scratch.map(PipelineSource.absolute),
            cache: cache.map(PipelineSource.absolute),
            offer: try LocalOffer.said(offer),
            idleSeconds: idleSeconds,
            isolate: wish,
            parent: parent,
            isWarm: warm,
            environment: OwnEnvironment.variables
        )
        try await worker.run()
    }
}

extension Isolation.Network: ExpressibleByArgument {}
