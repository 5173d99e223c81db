// Decodes `blobs:` of a coordinator's configuration: an S3 bucket instead of a folder. The file
// contains the names of the variables that hold the keys, never the keys.
import FarmCore
import Yams

extension CoordinatorSettingsDecoder {
    private static let bucketKeys = [
        "endpoint", "region", "bucket", "prefix", "path-style", "access-key", "secret-key",
    ]

    mutating func blobs(_ node: Node) -> BucketSettings? {
        guard let entries = reader.mapping(node, known: ["s3"], what: "blobs") else { return nil }
        guard let s3 = entries["s3"] else {
            reader.report(
                node,
                "blobs names no bucket.",
                "Write `blobs: {s3: {…}}`; without `blobs:` they lie in the data folder."
            )
            return nil
        }
        let what = "blobs.s3"
        guard let entries = reader.mapping(s3, known: Self.bucketKeys, what: what) else {
            return nil
        }
        let endpoint = entries["endpoint"].flatMap { reader.bucketEndpoint($0) }
        let bucket = entries["bucket"].flatMap { bucketName($0) }
        let access = entries["access-key"].flatMap { variable($0, what: "access-key of \(what)") }
        let secret = entries["secret-key"].flatMap { variable($0, what: "secret-key of \(what)") }
        for key in ["endpoint", "bucket", "access-key", "secret-key"] where entries[key] == nil {
            reader.report(
                s3,
                "\(what) has no \(key).",
                "Write endpoint, bucket, and the variables that hold the two keys: "
                    + "`access-key: S3_ACCESS_KEY`."
            )
        }
        guard let endpoint, let bucket, let access, let secret else { return nil }
        var settings = BucketSettings(
            endpoint: endpoint,
            bucket: bucket,
            accessKey: access,
            secretKey: secret
        )
        if let region = entries["region"].flatMap({ reader.bucketRegion($0) }) {
            settings.region = region
        }
        if let prefix = entries["prefix"].flatMap({ bucketPrefix($0) }) { settings.prefix = prefix }
        if let style = entries["path-style"].flatMap({ reader.boolean($0, what: "path-style") }) {
            settings.isPathStyle = style
        }
        return settings
    }

    private mutating func bucketName(_ node: Node) -> String? {
        guard let text = reader.text(node, what: "bucket") else { return nil }
        guard BucketSettings.isName(text) else {
            reader.report(
                node,
                "bucket is \"\(text.prefix(80))\".",
                "Write the name of a bucket: 3 to 63 lower-case letters, digits, - and dots."
            )
            return nil
        }
        return text
    }

    private mutating func bucketPrefix(_ node: Node) -> String? {
        guard let text = reader.text(node, what: "prefix") else { return nil }
        guard Self.isPathInside(text), text.utf8.count <= 200 else {
            reader.report(
                node,
                "prefix is \"\(text.prefix(80))\".",
                "Write a path without / at its ends, such as farms/main."
            )
            return nil
        }
        return text
    }
}

extension DocumentReader {
    /// Decodes the server of a bucket, without `/` at its end.
    mutating func bucketEndpoint(_ node: Node) -> String? {
        guard var text = self.text(node, what: "endpoint") else { return nil }
        if text.hasSuffix("/") { text.removeLast() }
        guard CoordinatorSettingsDecoder.isWebAddress(text),
            text.utf8.count(where: { $0 == UInt8(ascii: "/") }) == 2,
            !text.contains("?"), !text.contains("#")
        else {
            report(
                node,
                "endpoint is no http or https address of a host.",
                "Write it without bucket and path, such as https://s3.eu-central-1.amazonaws.com."
            )
            return nil
        }
        return text
    }

    mutating func bucketRegion(_ node: Node) -> String? {
        guard let text = self.text(node, what: "region") else { return nil }
        guard BucketSettings.isRegion(text) else {
            report(
                node,
                "region is \"\(text.prefix(80))\".",
                "Write it as the server calls it, such as eu-central-1; R2 calls it auto."
            )
            return nil
        }
        return text
    }
}
