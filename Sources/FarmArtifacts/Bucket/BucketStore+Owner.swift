// The owner of a bucket's prefix. Two farms with the same prefix would each remove blobs that only
// the other one names.
import FarmCore
import Foundation
import NIOCore

extension BucketStore {
    /// Makes a farm the owner of the prefix, unless the prefix has an owner.
    ///
    /// `farm` is the same for all coordinators of the farm, and different for other farms.
    ///
    /// - Throws: `ArtifactError.bucket` with `BucketError.taken` if it is another farm's.
    package func take(for farm: String) async throws {
        let key = client.ownerKey
        let bytes = Data(farm.utf8)
        _ = try await call(
            client.request("PUT", key: key, headers: BucketClient.headers(of: Digest(of: bytes))),
            .bytes(bytes),
            expecting: [200, 412]
        )
        let owner = try await call(client.request("GET", key: key), expecting: [200])
        guard String(buffer: owner.body) == farm else {
            throw ArtifactError.bucket(.taken(bucket: client.settings.text, object: key))
        }
    }
}
