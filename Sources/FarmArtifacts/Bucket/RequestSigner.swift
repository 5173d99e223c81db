// Signature version 4 of AWS for S3: the signed text and its order. A pure function of the request,
// the keys and the time.
import FarmCore
import Foundation

import struct Crypto.HMAC
import struct Crypto.SHA256
import struct Crypto.SymmetricKey

/// A call of S3 that is not signed yet.
package struct BucketRequest: Hashable, Sendable {
    package var method: String
    /// The host of the call, with the port if it is not the scheme's own.
    package var host: String
    /// The path of the call, from the `/` on, without percent escapes.
    package var path: String
    /// The query of the call, without percent escapes.
    package var query: [String: String] = [:]
    /// The headers with names in lower case, without `host`.
    package var headers: [String: String] = [:]

    /// The path and query as they are sent, with percent escapes.
    var target: String { escapedPath + (query.isEmpty ? "" : "?" + escapedQuery) }

    var escapedPath: String { BucketText.escaped(path, keeping: "/") }

    var escapedQuery: String {
        query.map { (BucketText.escaped($0.key), BucketText.escaped($0.value)) }
            .sorted { $0 < $1 }
            .map { "\($0)=\($1)" }
            .joined(separator: "&")
    }
}

/// Signs requests with one pair of keys, for one region of S3.
package struct RequestSigner: Sendable {
    private let accessKey: String
    private let secretKey: String
    private let region: String
    /// The token of temporary keys, or `nil` for keys that stay.
    private let sessionToken: String?

    /// The stand-in for the body's digest in a URL that is signed before there is a body.
    static let unsignedBody = "UNSIGNED-PAYLOAD"
    private static let algorithm = "AWS4-HMAC-SHA256"

    init(accessKey: String, secretKey: String, region: String, sessionToken: String? = nil) {
        self.accessKey = accessKey
        self.secretKey = secretKey
        self.region = region
        self.sessionToken = sessionToken
    }

    /// Returns the request with its signature in the headers.
    ///
    /// `body` is the hex digest of the body; `now` is in milliseconds since 1970.
    package func signed(_ request: BucketRequest, body: String, now: Int64) -> BucketRequest {
        var request = request
        let time = BucketText.time(now)
        request.headers["x-amz-date"] = time
        request.headers["x-amz-content-sha256"] = body
        request.headers["x-amz-security-token"] = sessionToken
        let signature = signature(of: request, body: body, time: time)
        request.headers["authorization"] =
            "\(Self.algorithm) Credential=\(accessKey)/\(scope(time)),"
            + "SignedHeaders=\(names(request)),Signature=\(signature)"
        return request
    }

    /// Returns the request with its signature in the query.
    ///
    /// Its URL needs no keys for `seconds`, with exactly these headers.
    package func presigned(
        _ request: BucketRequest,
        seconds: Int,
        now: Int64
    ) -> BucketRequest {
        var request = request
        let time = BucketText.time(now)
        request.query["X-Amz-Algorithm"] = Self.algorithm
        request.query["X-Amz-Credential"] = "\(accessKey)/\(scope(time))"
        request.query["X-Amz-Date"] = time
        request.query["X-Amz-Expires"] = "\(seconds)"
        request.query["X-Amz-SignedHeaders"] = names(request)
        request.query["X-Amz-Signature"] = signature(
            of: request,
            body: Self.unsignedBody,
            time: time
        )
        return request
    }

    private func scope(_ time: String) -> String {
        "\(time.prefix(8))/\(region)/s3/aws4_request"
    }

    private func names(_ request: BucketRequest) -> String {
        (request.headers.keys + ["host"]).sorted().joined(separator: ";")
    }

    private func signature(of request: BucketRequest, body: String, time: String) -> String {
        var headers = request.headers
        headers["host"] = request.host
        let lines = headers.sorted { $0.key < $1.key }
            .map { "\($0.key):\($0.value.trimmingCharacters(in: .whitespaces))\n" }
        let canonical = [
            request.method, request.escapedPath, request.escapedQuery, lines.joined(),
            names(request), body,
        ].joined(separator: "\n")
        let text = [
            Self.algorithm, time, scope(time), Digest(of: Data(canonical.utf8)).hex,
        ].joined(separator: "\n")
        var key = SymmetricKey(data: Data("AWS4\(secretKey)".utf8))
        for part in [String(time.prefix(8)), region, "s3", "aws4_request"] {
            key = SymmetricKey(data: Self.code(part, key))
        }
        return BucketText.hex(Self.code(text, key))
    }

    private static func code(_ text: String, _ key: SymmetricKey) -> Data {
        Data(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: key))
    }
}

/// Converts values to and from the texts that S3 uses.
enum BucketText {
    /// Returns the text with the percent escapes of RFC 3986, in upper-case hex.
    static func escaped(_ text: String, keeping: String = "") -> String {
        let kept = Array((keeping + "-._~").utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            let isPlain =
                (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
            if isPlain || kept.contains(byte) {
                bytes.append(byte)
            } else {
                bytes.append(UInt8(ascii: "%"))
                bytes += Array(hex([byte]).uppercased().utf8)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    static func hex(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Returns a digest in base64, as headers of S3 have checksums.
    static func base64(_ digest: Digest) -> String {
        let digits = Array(digest.hex)
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(digits[$0...$0 + 1]), radix: 16)
        }
        return Data(bytes).base64EncodedString()
    }

    /// Returns milliseconds since 1970 in the form `20130524T000000Z`.
    static func time(_ milliseconds: Int64) -> String {
        ISO8601.text(milliseconds).prefix(19).filter { $0 != "-" && $0 != ":" } + "Z"
    }

    /// Returns the milliseconds since 1970 of `2026-11-25T22:05:32.000Z` or
    /// `Wed, 25 Nov 2026 22:05:32 GMT`, or `nil` for other texts.
    static func milliseconds(_ text: String) -> Int64? {
        let months = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ]
        let isLong = text.hasSuffix(" GMT")
        let marks = isLong ? " :," : "-:T.Z"
        let words = text.split(whereSeparator: { marks.contains($0) }).map(String.init)
        guard words.count >= (isLong ? 7 : 6) else { return nil }
        let parts =
            isLong
            ? [words[3], months.firstIndex(of: words[2]).map { "\($0 + 1)" } ?? "", words[1]]
                + words[4...6]
            : Array(words.prefix(6))
        let numbers = parts.compactMap { Int64($0) }
        guard numbers.count == 6, (1970...9999).contains(numbers[0]),
            (1...12).contains(numbers[1]), (1...31).contains(numbers[2]),
            numbers[3...].allSatisfy({ (0...60).contains($0) })
        else { return nil }
        // Days since 1970 in the calendar whose years begin in March.
        let year = numbers[0] - (numbers[1] <= 2 ? 1 : 0)
        let month = (numbers[1] + 9) % 12
        let days =
            year * 365 + year / 4 - year / 100 + year / 400 + (month * 306 + 5) / 10
            + numbers[2] - 1 - 719_468
        return (((days * 24 + numbers[3]) * 60 + numbers[4]) * 60 + numbers[5]) * 1000
    }
}
