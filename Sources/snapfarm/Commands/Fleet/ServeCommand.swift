// `snapfarm serve`: its address, its log, and the proxy whose identity header is trusted.
import ArgumentParser
import FarmCore
import FarmDrivers
import FarmRun
import Foundation

extension LogFormat: ExpressibleByArgument {}

/// `snapfarm serve`: the coordinator of a fleet.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Coordinates runs and workers of many machines.",
        discussion: """
            SIGTERM stops it: it finishes the calls it is answering and keeps all leases. SIGHUP, and \
            `snapfarm reload`, let it read certificate, stores, repositories and launchers again.
            """
    )

    @OptionGroup var place: CoordinatorPlace
    @Option(help: "The port, over that of the configuration; 0 takes any free one.")
    var port: Int?
    @Flag(help: "Listen beyond this machine without TLS.") var insecure = false
    @Option(help: "The ledger in PostgreSQL that several coordinators share: postgres://…")
    var ledger: String?
    @Option(help: "The farm whose ledger it is; a database may have several (default: farm).")
    var pool: String?
    @Option(help: "Where the other coordinators reach this one (default: its name and port).")
    var address: String?
    @Option(help: "json or text (default: text on a terminal, json elsewhere).")
    var logFormat: LogFormat?
    @Option(help: "The IP address of a proxy that says who looks at the pages.")
    var trustedProxy: String?
    @Option(help: "The header in which it names the person.")
    var identityHeader: String = TrustedProxy.defaultHeader
    @Option(help: "What that person may do on the pages: read or review.")
    var proxyScope: AccessScope = .read

    func validate() throws {
        guard TrustedProxy.isHeader(identityHeader) else {
            throw ValidationError("--identity-header is no name of a header for persons.")
        }
        guard [.read, .review].contains(proxyScope) else {
            throw ValidationError("--proxy-scope is read or review.")
        }
        if let trustedProxy, !TrustedProxy.isAddress(trustedProxy) {
            throw ValidationError("--trusted-proxy is no IP address.")
        }
        if let port, !(0...65_535).contains(port) {
            throw ValidationError("--port is \(port); it must be from 0 to 65535.")
        }
    }

    func run() async throws {
        let (file, data) = (place.config, place.data)
        let read = { @Sendable [ledger, pool, address] in
            try CoordinatorConfiguration(file: file, data: data).sharing(ledger, pool, at: address)
        }
        let configuration = try read()
        var listen =
            configuration.settings.listen
            ?? ListenAddress(port: CoordinatorSettings.defaultPort)
        if let port { listen.port = port }
        if let shared = configuration.settings.ledger, shared.address == nil, listen.port == 0 {
            throw ValidationError(
                "other coordinators cannot find port 0: name the port, or --address."
            )
        }
        let process = CoordinatorProcess(
            configuration: configuration,
            reading: read,
            listen: listen,
            isInsecure: insecure,
            logFormat: logFormat ?? configuration.settings.logFormat,
            proxy: trustedProxy.map {
                TrustedProxy(address: $0, header: identityHeader, scope: proxyScope)
            },
            environment: OwnEnvironment.variables
        )
        try await process.run()
    }
}
