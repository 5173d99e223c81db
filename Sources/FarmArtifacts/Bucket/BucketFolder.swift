// Files by name in a bucket, below its prefix. Other than blobs they may be replaced, and people read
// them in a browser.
import FarmCore
import Foundation
import NIOCore

/// Files of a bucket, by their names below the bucket's prefix.
package struct BucketFolder: Sendable {
    private let client: BucketClient

    package init(_ client: BucketClient) { self.client = client }

    /// The URL of the folder without a signature, without `/` at its end.
    package var address: String {
        let root = client.url(client.request("GET", key: client.settings.prefix))
        return root.hasSuffix("/") ? String(root.dropLast()) : root
    }

    /// Writes a file; `type` is its content type for browsers.
    ///
    /// - Throws: `BucketError`, and `ArtifactError` for a file that cannot be read.
    package func put(fileAt path: String, as name: String, type: String) async throws {
        let file = URL(fileURLWithPath: path)
        let bytes = try Data(contentsOf: file, options: .mappedIfSafe)
        let body = BucketClient.Body.file(path, bytes: bytes.count)
        try await put(body, Digest(of: bytes), as: name, type: type)
    }

    /// Writes bytes as a file.
    ///
    /// - Throws: `BucketError`.
    package func put(_ bytes: Data, as name: String, type: String) async throws {
        try await put(.bytes(bytes), Digest(of: bytes), as: name, type: type)
    }

    private func put(
        _ body: BucketClient.Body,
        _ digest: Digest,
        as name: String,
        type: String
    ) async throws {
        let request = client.request(
            "PUT",
            key: client.prefix + name,
            headers: ["content-type": type]
        )
        _ = try await client.call(request, body, digest: digest, expecting: [200])
    }

    /// Reads a file, or returns `nil` if it is not there.
    ///
    /// - Throws: `BucketError`, also for a file of more than `bytesMax` bytes.
    package func read(_ name: String, bytesMax: Int) async throws -> Data? {
        let answer = try await client.call(
            client.request("GET", key: client.prefix + name),
            expecting: [200, 404],
            bytesMax: bytesMax
        )
        if answer.status == 404 {
            if answer.reason == "NoSuchBucket" {
                throw BucketError.noBucket(client.settings.bucket)
            }
            return nil
        }
        return Data(answer.body.readableBytesView)
    }

    /// Returns the names of all files in a folder without those in its folders, relative to it and
    /// sorted.
    ///
    /// - Throws: `BucketError`, also for more than `pagesMax` thousand files.
    package func names(in folder: String, pagesMax: Int) async throws -> [String] {
        let prefix = "\(client.prefix)\(folder)/"
        var names: [String] = []
        var after: String?
        for _ in 0..<pagesMax {
            var query = ["list-type": "2", "max-keys": "1000", "prefix": prefix, "delimiter": "/"]
            if let after { query["start-after"] = after }
            let answer = try await client.call(
                client.request("GET", query: query),
                expecting: [200],
                bytesMax: 4 << 20
            )
            let listing = BucketListing(String(buffer: answer.body))
            names += listing.keys.filter { $0.hasPrefix(prefix) }
                .map { String($0.dropFirst(prefix.count)) }
            guard listing.hasMore, let last = listing.keys.last else { return names.sorted() }
            after = last
        }
        throw client.refused(status: 200, "\(folder) has over \(pagesMax) thousand files")
    }
}
