// Tests of S3's two time formats: in headers and in listings.
import Testing

@testable import FarmArtifacts

@Suite("Times of a bucket")
struct BucketTimeTests {
    @Test(
        "headers and listings tell the same time",
        arguments: [
            ("Wed, 25 Nov 2026 22:05:32 GMT", "2026-11-25T22:05:32.000Z", 1_795_644_332_000),
            ("Thu, 01 Jan 1970 00:00:00 GMT", "1970-01-01T00:00:00Z", 0),
            ("Tue, 29 Feb 2028 23:59:59 GMT", "2028-02-29T23:59:59.9Z", 1_835_481_599_000),
            ("Sat, 24 Oct 2026 10:00:07 GMT", "2026-10-24T10:00:07.123456Z", 1_792_836_007_000),
        ] as [(String, String, Int64)]
    )
    func times(_ header: String, _ listing: String, _ expected: Int64) {
        #expect(BucketText.milliseconds(header) == expected)
        #expect(BucketText.milliseconds(listing) == expected)
    }

    @Test(
        "what is no time is none",
        arguments: [
            "", " GMT", "GMT", "Thu, 26 Nov", "yesterday", "2026-11-25", "2026-13-25T22:05:32Z",
            "Wed, 25 Foo 2026 22:05:32 GMT", "99999-11-25T22:05:32Z", "a b c d e f GMT",
        ]
    )
    func noTimes(_ text: String) { #expect(BucketText.milliseconds(text) == nil) }
}
