// Why a coordinator does not listen, each with what to change.
import FarmCore
import NIOCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The reason why a server does not listen.
package enum ServerError: ExplainedError, Hashable {
    case portTaken(ListenAddress)
    case cannotListen(ListenAddress, String)
    case certificate(path: String, reason: String)
    /// The address is reachable without TLS, so others on the network could read tokens and
    /// pictures.
    case open(ListenAddress)

    package var code: String {
        switch self {
        case .portTaken: "port-taken"
        case .cannotListen: "cannot-listen"
        case .certificate: "tls-certificate"
        case .open: "listen-without-tls"
        }
    }
    package var message: String {
        switch self {
        case .portTaken(let address): "port \(address.port) of \(address.host) is taken."
        case .cannotListen(let address, let reason): "cannot listen on \(address.text): \(reason)."
        case .certificate(let path, let reason): "\(path): \(reason)."
        case .open(let address):
            "\(address.text) can be reached from other machines, and there is no TLS."
        }
    }
    package var remedy: String {
        switch self {
        case .portTaken: "Choose another with --port, or leave it out for any free port."
        case .cannotListen: "Correct `listen:`: an address of this machine, a port over 1023."
        case .certificate:
            "Name PEM files of one certificate chain and its key under `tls:`."
        case .open:
            "Add `tls: {certificate: …, key: …}` to the configuration, or pass --insecure where "
                + "something else encrypts (a proxy, a private network)."
        }
    }
    package var exit: ExitCode {
        switch self {
        case .portTaken: .busy
        case .cannotListen, .certificate, .open: .configuration
        }
    }

    /// Runs `body`, and replaces the system's errors about an address by a `ServerError`.
    static func explaining(
        _ address: ListenAddress,
        _ body: () async throws -> Void
    ) async throws {
        do {
            try await body()
        } catch let error as IOError where error.errnoCode == EADDRINUSE {
            throw ServerError.portTaken(address)
        } catch let error as IOError {
            throw ServerError.cannotListen(address, String(cString: strerror(error.errnoCode)))
        } catch let error as SocketAddressError {
            throw ServerError.cannotListen(address, error.inWords)
        }
    }
}
