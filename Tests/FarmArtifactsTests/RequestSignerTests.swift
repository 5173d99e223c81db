// Tests of S3's signature version 4 against the examples that AWS publishes.
import FarmCore
import Foundation
import Testing

@testable import FarmArtifacts

@Suite("Signatures of S3")
struct RequestSignerTests {
    private static let signer = RequestSigner(
        accessKey: "AKIAIOSFODNN7EXAMPLE",
        secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        region: "us-east-1"
    )
    private static let host = "examplebucket.s3.amazonaws.com"
    /// 24 May 2013, 0:00 UTC.
    private static let now: Int64 = 1_369_353_600_000

    struct Example: Sendable {
        var request: BucketRequest
        var body = ""
        var signature: String
    }

    private static let examples = [
        Example(
            request: BucketRequest(
                method: "GET",
                host: host,
                path: "/test.txt",
                headers: ["range": "bytes=0-9"]
            ),
            signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
        ),
        Example(
            request: BucketRequest(
                method: "PUT",
                host: host,
                path: "/test$file.text",
                headers: [
                    "date": "Fri, 24 May 2013 00:00:00 GMT",
                    "x-amz-storage-class": "REDUCED_REDUNDANCY",
                ]
            ),
            body: "Welcome to Amazon S3.",
            signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
        ),
        Example(
            request: BucketRequest(method: "GET", host: host, path: "/", query: ["lifecycle": ""]),
            signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"
        ),
        Example(
            request: BucketRequest(
                method: "GET",
                host: host,
                path: "/",
                query: ["prefix": "J", "max-keys": "2"]
            ),
            signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
        ),
    ]

    @Test("the published examples get their published signatures", arguments: examples.indices)
    func headers(index: Int) throws {
        let example = Self.examples[index]
        let signed = Self.signer.signed(
            example.request,
            body: Digest(of: Data(example.body.utf8)).hex,
            now: Self.now
        )
        let words = try #require(signed.headers["authorization"])
        #expect(words.hasSuffix("Signature=\(example.signature)"), "\(words)")
        #expect(
            words.hasPrefix(
                "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
            )
        )
    }

    @Test("the published address gets its published signature, and keeps the secret")
    func presigned() {
        let signed = Self.signer.presigned(
            BucketRequest(method: "GET", host: Self.host, path: "/test.txt"),
            seconds: 86_400,
            now: Self.now
        )
        #expect(
            signed.query["X-Amz-Signature"]
                == "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"
        )
        #expect(!"\(signed)".contains("wJalr"))
    }
}
