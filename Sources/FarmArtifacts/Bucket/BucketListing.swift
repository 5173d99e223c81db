// The answer to ListObjectsV2, read without an XML parser: only an object's key, size and time are
// needed.
import FarmCore
import Foundation

/// One page of the list of a bucket's objects.
struct BucketListing {
    var blobs: [StoredBlob] = []
    /// The keys of the page, as the bucket spells them.
    var keys: [String] = []
    var hasMore = false

    /// Reads the XML of an answer; blobs are the objects whose names are digests.
    init(_ text: String) {
        hasMore = Self.text(of: "IsTruncated", in: Substring(text)) == "true"
        var rest = Substring(text)
        while let start = rest.range(of: "<Contents>"),
            let end = rest[start.upperBound...].range(of: "</Contents>")
        {
            let object = rest[start.upperBound..<end.lowerBound]
            rest = rest[end.upperBound...]
            guard let key = Self.text(of: "Key", in: object) else { continue }
            keys.append(Self.unescaped(key))
            guard let digest = Digest(key.suffix(64)),
                let bytes = Self.text(of: "Size", in: object).flatMap({ Int($0) }),
                let modified = Self.text(of: "LastModified", in: object)
                    .flatMap({ BucketText.milliseconds($0) })
            else { continue }
            blobs.append(StoredBlob(digest: digest, bytes: bytes, modified: modified))
        }
    }

    /// Returns the text inside the first element with a name, or `nil` if there is none.
    static func text(of element: String, in text: Substring) -> String? {
        guard let start = text.range(of: "<\(element)>"),
            let end = text[start.upperBound...].range(of: "</\(element)>")
        else { return nil }
        return String(text[start.upperBound..<end.lowerBound])
    }

    private static func unescaped(_ text: String) -> String {
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")]
            .reduce(text) { $0.replacing($1.0, with: $1.1) }
    }
}
