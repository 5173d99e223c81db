// Certificate and key of a coordinator, read once when it starts.
import FarmCore
import NIOCore
import NIOSSL

enum ServerTLS {
    /// The configuration of a server; 1.2 is the oldest version it speaks.
    ///
    /// - Throws: `ServerError.certificate` for files that cannot be read or do not fit together.
    static func configuration(_ files: TLSFiles) throws -> TLSConfiguration {
        let chain: [NIOSSLCertificate]
        do {
            chain = try NIOSSLCertificate.fromPEMFile(files.certificate)
        } catch {
            throw ServerError.certificate(
                path: files.certificate,
                reason: "is no certificate in PEM"
            )
        }
        let key: NIOSSLPrivateKey
        do {
            key = try NIOSSLPrivateKey(file: files.key, format: .pem)
        } catch {
            throw ServerError.certificate(path: files.key, reason: "is no private key in PEM")
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(key)
        )
        configuration.minimumTLSVersion = .tlsv12
        // A browser that listens to events answers no goodbye, and a stop need not wait for it.
        configuration.shutdownTimeout = .seconds(1)
        do {
            // Key and certificate that do not fit are found here, not at the first connection.
            _ = try NIOSSLContext(configuration: configuration)
        } catch {
            throw ServerError.certificate(
                path: files.key,
                reason: "does not belong to the certificate \(files.certificate)"
            )
        }
        return configuration
    }
}
