// The certificate of a host, read without trust in it. It gives the reason why a host is untrusted,
// and the time left for a trusted one.
import FarmCore
import Foundation
import NIOCore
import NIOPosix
import NIOSSL

package enum PeerCertificate {
    /// Returns the validity of the certificate at an `https` address, or `nil` if the host shows
    /// none.
    ///
    /// Begins a handshake and ends it when the certificate is there; no other data is sent.
    package static func life(at url: String) async -> CertificateLife? {
        guard url.hasPrefix("https:"), let address = WebAddress(url)?.url, let host = address.host
        else { return nil }
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        let found = loop.makePromise(of: CertificateLife?.self)
        do {
            let context = try NIOSSLContext(configuration: .makeClientConfiguration())
            let bare = host.trimmingCharacters(in: ["[", "]"])
            let isAddress = (try? SocketAddress(ipAddress: bare, port: 0)) != nil
            let limit = TimeAmount.seconds(Int64(FarmLimits.healthSeconds))
            let channel = try await ClientBootstrap(group: loop)
                .connectTimeout(limit)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(
                            NIOSSLClientHandler(
                                context: context,
                                serverHostname: isAddress ? nil : bare,
                                customVerificationCallback: { chain, verdict in
                                    found.succeed(chain.first.map(CertificateLife.init))
                                    verdict.succeed(.failed)
                                }
                            )
                        )
                    }
                }
                .connect(host: bare, port: address.port ?? 443).get()
            channel.closeFuture.whenComplete { _ in found.succeed(nil) }
            loop.scheduleTask(in: limit) { channel.close(promise: nil) }
            return try await found.futureResult.get()
        } catch {
            found.succeed(nil)
            return nil
        }
    }
}

extension CertificateLife {
    /// Makes the validity from the two times of a certificate.
    package init(_ certificate: NIOSSLCertificate) {
        self.init(
            start: Int64(certificate.notValidBefore) * 1000,
            end: Int64(certificate.notValidAfter) * 1000
        )
    }
}

extension ConnectionFault {
    /// Returns the fault behind an error of the HTTP client.
    ///
    /// For an untrusted certificate, it reads the certificate at `url` and returns
    /// ``outOfDate(_:now:)`` if its time is the reason.
    static func of(_ error: any Error, at url: String) async -> ConnectionFault {
        let fault = ConnectionFault(error)
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        guard fault == .untrusted, let life = await PeerCertificate.life(at: url),
            !life.holds(at: now)
        else { return fault }
        return .outOfDate(life, now: now)
    }
}
