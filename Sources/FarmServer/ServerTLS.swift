// Certificate and key of a coordinator. Each new connection gets the current certificate, so that a
// new one needs no restart.
import FarmAPI
import FarmCore
import NIOCore
import NIOSSL

/// A certificate chain and its key.
package struct ServerCertificate: Sendable {
    /// The path of the file with the certificate chain.
    package let path: String
    /// The validity of the coordinator's own certificate, the first of the chain.
    package let life: CertificateLife
    private let chain: [NIOSSLCertificate]
    private let key: NIOSSLPrivateKey

    /// Reads a certificate chain and its key from files.
    ///
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
            // Finds a key of another certificate here, not at the first connection.
            _ = try NIOSSLContext(configuration: configuration)
        } catch {
            throw ServerError.certificate(
                path: files.key,
                reason: "does not belong to the certificate \(files.certificate)"
            )
        }
    }

    /// Returns whether `other` has the same certificate chain.
    package func isSame(as other: ServerCertificate) -> Bool { chain == other.chain }

    /// The TLS configuration of a server; TLS 1.2 is the oldest version that it speaks.
    private var configuration: TLSConfiguration {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(key)
        )
        configuration.minimumTLSVersion = .tlsv12
        // A browser that listens to events does not answer the TLS close, and a stop need not wait
        // for it.
        configuration.shutdownTimeout = .seconds(1)
        return configuration
    }

    /// Returns the TLS configuration of a server whose connections each get the current
    /// certificate, or `nil` for a server without one.
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
