// Checks that a request that changes something comes from our own page. Browsers show it in headers
// that no script can set: `Sec-Fetch-Site` (Fetch Metadata) and `Origin` (RFC 6454, Fetch
// standard).
import FarmCore
import Foundation
import HTTPTypes
import Hummingbird

enum PageOrigin {
    private static let site = HTTPField.Name("Sec-Fetch-Site") ?? .origin

    /// Checks that a request comes from our own page.
    ///
    /// - Throws: `PageRefusal.foreignOrigin` if another site may have sent it.
    static func check(_ request: Request) throws(PageRefusal) {
        let site = request.headers[site]
        guard site == nil || site == "same-origin" else { throw .foreignOrigin }
        // A page that sends no referrer sends the origin `null`; then only `Sec-Fetch-Site` counts.
        guard let origin = request.headers[.origin], origin != "null" else {
            if site == nil { throw .foreignOrigin }
            return
        }
        // Behind a proxy the scheme may differ, but the host name is ours.
        let host = origin.split(separator: "://", maxSplits: 1).last.map(String.init)
        guard origin.contains("://"), let own = request.head.authority, !own.isEmpty,
            host?.lowercased() == own.lowercased()
        else { throw .foreignOrigin }
    }
}
