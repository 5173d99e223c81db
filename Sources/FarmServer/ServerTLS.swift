// Certificate and key of a coordinator. Each connection gets the one that is current when it begins, so
// that a new certificate needs no restart.
import FarmAPI
import FarmCore
import NIOCore
import NIOSSL

/// A certificate chain and its key.
package struct ServerCertificate: Sendable {
    /// The file of the chain.
    package let path: String
    /// Of the coordinator's own certificate, the first of the chain.
    package let life: CertificateLife
    private let chain: [NIOSSLCertificate]
    private let key: NIOSSLPrivateKey

    /// - Throws: `ServerError.certificate` for files that cannot be read or do not fit together.
    package init(_ files: TLSFiles) throws {
        path = files.certificate
        do {
            chain = try NIOSSLCertificate.fromPEMFile(files.certificate)
        } catch {
            throw ServerError.certificate(path: path, reason: "is no certificate in PEM")
        }
        guard let own = chain.first else {
            throw ServerError.certificate(path: path, reason: "is no certificate in PEM")
        }
        life = CertificateLife(own)
        do {
            key = try NIOSSLPrivateKey(file: files.key, format: .pem)
        } catch {
            throw ServerError.certificate(path: files.key, reason: "is no private key in PEM")
        }
        do {
            // Key and certificate that do not fit are found here, not at the first connection.
            _ = try NIOSSLContext(configuration: configuration)
        } catch {
            throw ServerError.certificate(
                path: files.key,
                reason: "does not belong to the certificate \(files.certificate)"
            )
        }
    }

    /// Whether another one has the same chain.
    package func isSame(as other: ServerCertificate) -> Bool { chain == other.chain }

    /// The configuration of a server; 1.2 is the oldest version it speaks.
    private var configuration: TLSConfiguration {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(key)
        )
        configuration.minimumTLSVersion = .tlsv12
        // A browser that listens to events answers no goodbye, and a stop need not wait for it.
        configuration.shutdownTimeout = .seconds(1)
        return configuration
    }

    /// The configuration of a server whose connections each ask for the current certificate; nil for
    /// a server without one.
    static func configuration(
        _ current: @escaping @Sendable () -> ServerCertificate?
    ) -> TLSConfiguration? {
        guard var configuration = current()?.configuration else { return nil }
        configuration.sslContextCallback = { _, promise in
            var override = NIOSSLContextConfigurationOverride()
            if let now = current() {
                override.certificateChain = now.chain.map { .certificate($0) }
                override.privateKey = .privateKey(now.key)
            }
            promise.succeed(override)
        }
        return configuration
    }
}
