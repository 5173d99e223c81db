// A run's page for one person on this machine, without an account. The first browser that opens the
// printed address gets a cookie, and no other browser gets in. Listens on loopback only.
//
// Invariants
//   - The address is valid for one browser. The browser sends the cookie to no other path, and so
//     to no other program that listens on this machine.
//   - A call under another host name that leads here (DNS rebinding) is refused: the host is
//     127.0.0.1.
import FarmCore
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization
import UnixSignals

/// Serves one run's page on the loopback interface.
package struct LocalPage: Sendable {
    private let desk: ShownRun
    private let judge: (@Sendable () async throws -> any ReviewSource)?
    private let visitor: PageVisitor
    private let keys: Keys
    private let clock: @Sendable () -> Int64
    private let logger: Logger
    private let use = PageUse()
    private let life = PageHub()

    /// The random parts of the page's addresses and its cookie, which no other program can guess.
    private struct Keys: Sendable {
        /// The first part of all paths of the page.
        var root: String
        /// The last part of the one-time address.
        var entry: String
        var cookie: String
    }

    /// The run that the page shows: the one under review, its newest judgement, or a newer run.
    private final class ShownRun: Sendable {
        private let source: Mutex<any ReviewSource>
        init(_ source: any ReviewSource) { self.source = Mutex(source) }
        var now: any ReviewSource { source.withLock { $0 } }
        func show(_ other: any ReviewSource) { source.withLock { $0 = other } }
    }

    /// Makes the page of a run for one person; `clock` returns milliseconds since 1970.
    ///
    /// `judge` judges the run again and returns its judgement, which the page shows from then on;
    /// if it is `nil`, the page has no button for it.
    package init(
        desk: any ReviewSource,
        person: String,
        judge: (@Sendable () async throws -> any ReviewSource)? = nil,
        logger: Logger,
        clock: @escaping @Sendable () -> Int64,
        using generator: inout some RandomNumberGenerator
    ) {
        self.desk = ShownRun(desk)
        self.judge = judge
        self.clock = clock
        self.logger = logger
        keys = Keys(
            root: String(AccessToken.random(using: &generator).prefix(Self.rootDigits)),
            entry: String(AccessToken.random(using: &generator).prefix(Self.entryDigits)),
            cookie: AccessToken.random(using: &generator)
        )
        visitor = PageVisitor(
            person: person,
            mayDecide: true,
            formToken: AccessToken.random(using: &generator)
        )
    }

    /// The number of hex digits of `Keys.root`, small because a person may have to copy the
    /// address.
    private static let rootDigits = 16
    private static let entryDigits = 32
    private static let cookieName = "snapfarm_review"

    /// Shows another run from now on; pages that are open show it by themselves.
    package func show(_ other: any ReviewSource) {
        desk.show(other)
        life.wake("/" + keys.root)
    }

    /// Serves the page until a signal comes, or until `idleSeconds` pass without a call.
    ///
    /// `onListening` gets the one-time address.
    package func serve(
        idleSeconds: Double = FarmLimits.reviewIdleSeconds,
        signals: [UnixSignal] = [.sigterm, .sigint],
        onListening: @escaping @Sendable (String) -> Void
    ) async throws {
        let address = ListenAddress(port: 0)
        let application = Application(
            responder: router().buildResponder(),
            server: .connections(idleSeconds: FarmLimits.connectionIdleSeconds),
            configuration: .init(
                address: .hostname(address.host, port: 0),
                availableConnectionsDelegate: MaximumAvailableConnections(
                    Self.connectionsMax,
                    logger: logger
                )
            ),
            onServerRunning: { channel in
                let host = "\(address.host):\(channel.localAddress?.port ?? 0)"
                use.listens(on: host)
                onListening("http://\(host)/\(keys.root)/enter/\(keys.entry)")
            },
            logger: logger
        )
        var configuration = ServiceGroupConfiguration(
            services: [
                .init(service: application),
                .init(
                    service: IdleEnd(use: use, seconds: idleSeconds),
                    successTerminationBehavior: .gracefullyShutdownGroup
                ),
            ],
            gracefulShutdownSignals: signals,
            logger: logger
        )
        configuration.maximumGracefulShutdownDuration = .seconds(FarmLimits.stopSeconds)
        let group = ServiceGroup(configuration: configuration)
        try await ServerError.explaining(address) { try await group.run() }
    }

    /// The most connections at once: a browser opens six, and a few more windows must fit.
    private static let connectionsMax = 64

    private func router() -> Router<FarmContext> {
        let router = Router(context: FarmContext.self)
        router.add(
            middleware: ErrorMiddleware(
                metrics: ServerMetrics(),
                logger: logger,
                budget: LogBudget(perMinute: 60)
            )
        )
        router.add(middleware: LanguageMiddleware())
        router.add(middleware: LoopbackMiddleware(use: use))
        FrameAssets.add(to: router.group())
        let root = "/" + keys.root
        let group = router.group(RouterPath(root))
        group.group().add(middleware: PageMiddleware()).get("enter/:entry") { request, context in
            try enter(request, context)
        }
        let again: (@Sendable () async throws -> Void)? = judge.map { judge in
            { @Sendable [desk] in desk.show(try await judge()) }
        }
        PageRoutes(
            reading: RequestReading(bodySeconds: FarmLimits.bodySeconds),
            life: life,
            clock: clock,
            judge: again
        ) { request, _ in
            guard isOurs(request) else { throw LocalPageRefusal.noCookie }
            return OpenedPage(
                desk: desk.now,
                newest: { [desk] in desk.now },
                visitor: visitor,
                root: root
            )
        }
        .add(to: group)
        return router
    }

    /// Lets in the first browser that has the one-time address, and that browser again by its
    /// cookie.
    private func enter(_ request: Request, _ context: FarmContext) throws -> Response {
        let entry: String = try context.parameters.require("entry")
        guard Self.isEqual(entry, keys.entry) else { throw LocalPageRefusal.noCookie }
        guard isOurs(request) || use.enterFirst() else { throw LocalPageRefusal.usedAddress }
        var response = PageAnswer.redirect("/\(keys.root)/")
        response.headers[.setCookie] =
            "\(Self.cookieName)=\(keys.cookie); Path=/\(keys.root); HttpOnly; SameSite=Strict"
        return response
    }

    private func isOurs(_ request: Request) -> Bool {
        request.cookies[Self.cookieName].map { Self.isEqual($0.value, keys.cookie) } ?? false
    }

    private static func isEqual(_ one: String, _ other: String) -> Bool {
        Digest(of: Data(one.utf8)).isEqualInConstantTime(to: Digest(of: Data(other.utf8)))
    }
}

/// Notes whether a browser has entered the page, and when the last call came.
final class PageUse: Sendable {
    private struct State {
        var host = ""
        var isEntered = false
        var last = ContinuousClock.now
    }

    private let state = Mutex(State())

    func listens(on host: String) { state.withLock { $0.host = host } }

    func isHost(_ host: String?) -> Bool { state.withLock { !$0.host.isEmpty && $0.host == host } }

    /// Returns true to the first caller only.
    func enterFirst() -> Bool {
        state.withLock { state in
            defer { state.isEntered = true }
            return !state.isEntered
        }
    }

    func touch() { state.withLock { $0.last = .now } }

    /// The seconds since the page's last call.
    var idleSeconds: Double { (ContinuousClock.now - state.withLock(\.last)) / .seconds(1) }
}

/// Refuses calls under another host name than that of the printed address.
private struct LoopbackMiddleware: RouterMiddleware {
    let use: PageUse

    func handle(
        _ request: Request,
        context: FarmContext,
        next: (Request, FarmContext) async throws -> Response
    ) async throws -> Response {
        guard use.isHost(request.head.authority) else { throw LocalPageRefusal.foreignHost }
        use.touch()
        return try await next(request, context)
    }
}

/// Ends the service group when the page has had no call for `seconds`.
private struct IdleEnd: Service {
    let use: PageUse
    let seconds: Double

    func run() async throws {
        while use.idleSeconds < seconds {
            let left = max(0.1, seconds - use.idleSeconds)
            do {
                try await cancelWhenGracefulShutdown { try await Task.sleep(for: .seconds(left)) }
            } catch is CancellationError {
                return
            }
        }
    }
}

/// The reason why a caller may not see the page.
private enum LocalPageRefusal: ExplainedError {
    case foreignHost
    case noCookie
    case usedAddress

    var code: String {
        switch self {
        case .foreignHost: "page-foreign-host"
        case .noCookie: "page-no-cookie"
        case .usedAddress: "page-address-used"
        }
    }
    var message: String {
        switch self {
        case .foreignHost: "this page is served under another name."
        case .noCookie: "this browser did not open the printed address."
        case .usedAddress: "the printed address was opened before, by another browser."
        }
    }
    var remedy: String {
        switch self {
        case .foreignHost: "Open the address that snapfarm printed."
        case .noCookie, .usedAddress:
            "Stop the command with Ctrl-C, start it again, and open the new address."
        }
    }
    var exit: ExitCode { .usage }
}

extension LocalPageRefusal: StatusedRefusal {
    var status: Int { 403 }
}
