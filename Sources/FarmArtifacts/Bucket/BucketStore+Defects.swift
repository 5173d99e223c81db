// The defects of blobs in a bucket, found without changing anything: for `snapfarm check`.
import FarmCore

extension BucketStore {
    /// Returns the defects of blobs; the values of `named` are the sizes by their records, in
    /// bytes.
    ///
    /// Lists the bucket, a thousand objects a call; with `.contents` it also reads every named
    /// blob.
    ///
    /// - Throws: `ArtifactError.bucket` if the bucket does not answer or refuses.
    package func defects(
        of named: [Digest: Int?],
        _ scrutiny: BlobScrutiny
    ) async throws -> [Digest: BlobDefect] {
        let sizes = try await sizes(of: named)
        var defects: [Digest: BlobDefect] = [:]
        for (digest, bytes) in named {
            guard let size = sizes[digest] else {
                defects[digest] = .missing
                continue
            }
            if let bytes, bytes != size { defects[digest] = .size(size) }
        }
        // The bytes show whether the object is wrong or the record of its size.
        let read = sizes.filter { scrutiny == .contents || defects[$0.key] != nil }
        let damaged = try await damaged(read)
        for (digest, size) in read {
            if defects[digest] == nil {
                defects[digest] = damaged[digest]
            } else if damaged[digest] == nil {
                defects[digest] = .record(size)
            }
        }
        return defects
    }

    private func sizes(of named: [Digest: Int?]) async throws -> [Digest: Int] {
        var sizes: [Digest: Int] = [:]
        var cursor: String?
        repeat {
            let page = try await page(after: cursor)
            for blob in page.blobs where named[blob.digest] != nil {
                sizes[blob.digest] = blob.bytes
            }
            cursor = page.next
        } while cursor != nil
        return sizes
    }

    /// Returns the defects of blobs whose bytes do not match their names.
    private func damaged(_ sizes: [Digest: Int]) async throws -> [Digest: BlobDefect] {
        try await withThrowingTaskGroup(of: (Digest, BlobDefect?).self) { group in
            var rest = sizes.makeIterator()
            func start() {
                guard let (digest, bytes) = rest.next() else { return }
                group.addTask { (digest, try await self.damage(digest, bytes)) }
            }
            for _ in 0..<FarmLimits.bucketCallsAtOnce { start() }
            var defects: [Digest: BlobDefect] = [:]
            while let (digest, defect) = try await group.next() {
                defects[digest] = defect
                start()
            }
            return defects
        }
    }

    /// Reads a blob piece by piece, and returns its defect, or `nil` if it has none.
    private func damage(_ digest: Digest, _ bytes: Int) async throws -> BlobDefect? {
        var stream = DigestStream()
        do {
            for start in stride(from: 0, to: bytes, by: FarmLimits.bucketPieceBytes) {
                let end = min(bytes, start + FarmLimits.bucketPieceBytes)
                try await read(digest, in: start..<end).withUnsafeBytes { stream.append($0) }
            }
        } catch ArtifactError.missing {
            return .missing
        } catch ArtifactError.damaged {
            return .contents
        }
        return stream.finish() == digest ? nil : .contents
    }
}
