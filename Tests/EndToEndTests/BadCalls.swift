// Calls that a coordinator must refuse, with the status and the code of each refusal.
import FarmAPI
import FarmCore
import FarmTesting
import Foundation
import Testing

/// A call that a coordinator must refuse.
struct BadCall: CustomTestStringConvertible, Sendable {
    var method = "POST"
    var path: String
    var scope: String? = "work"
    var version: String? = Routes.version
    var headers: [String] = []
    var body: String?
    var status: Int
    var code: String

    var testDescription: String { "\(method) \(path.prefix(60)) → \(status) \(code)" }
}

extension BadCall {
    private static let zeros = String(repeating: "0", count: 64)
    private static let nested = String(repeating: "[", count: 50_000)

    static let all: [BadCall] = [
        BadCall(
            method: "GET",
            path: "/api/v1/runs",
            scope: nil,
            status: 401,
            code: "token-missing"
        ),
        BadCall(
            method: "GET",
            path: "/api/v1/runs",
            scope: "wrong",
            status: 401,
            code: "token-unknown"
        ),
        BadCall(
            method: "GET",
            path: "/api/v1/runs",
            scope: "expired",
            status: 401,
            code: "token-expired"
        ),
        BadCall(
            method: "GET",
            path: "/api/v1/runs",
            scope: "work",
            status: 403,
            code: "token-scope"
        ),
        BadCall(method: "GET", path: "/metrics", scope: nil, status: 401, code: "token-missing"),
        BadCall(
            path: "/api/v1/runs/none/decisions",
            scope: "submit",
            body: "{}",
            status: 403,
            code: "token-scope"
        ),
        BadCall(
            path: "/api/v1/runs/none/decisions",
            scope: "review",
            body: "{\"kind\": \"rejected\"}",
            status: 400,
            code: "request-malformed"
        ),
        BadCall(
            path: "/api/v1/runs/none/decisions",
            scope: "review",
            headers: ["Content-Length: \(FarmLimits.messageBytesMax + 1)"],
            body: "{",
            status: 413,
            code: "request-too-large"
        ),
        BadCall(
            method: "GET",
            path: "/api/v1/runs/none/decisions",
            scope: "review",
            status: 404,
            code: "unknown-run"
        ),
        BadCall(path: "/api/v1/runs", scope: "read", body: "{}", status: 403, code: "token-scope"),
        BadCall(
            path: "/api/v1/workers",
            scope: "read",
            body: "{}",
            status: 403,
            code: "token-scope"
        ),
        BadCall(
            path: "/api/v1/workers",
            version: nil,
            body: "{}",
            status: 426,
            code: "version-mismatch"
        ),
        BadCall(
            path: "/api/v1/workers",
            version: "0",
            body: "{}",
            status: 426,
            code: "version-mismatch"
        ),
        // Every served version of the API is decoded: this call lacks its fields.
        BadCall(
            path: "/api/v1/workers",
            version: Routes.versionsServed[0],
            body: "{}",
            status: 400,
            code: "request-malformed"
        ),
        BadCall(method: "GET", path: "/api/v1/nothing", status: 404, code: "not-found"),
        BadCall(method: "DELETE", path: "/api/v1/runs", status: 404, code: "not-found"),
        BadCall(method: "GET", path: "/nothing", status: 404, code: "not-found"),
        BadCall(
            method: "GET",
            path: "/api/v1/runs/none",
            scope: "read",
            status: 404,
            code: "unknown-run"
        ),
        BadCall(
            method: "GET",
            path: "/api/v1/runs/none/result",
            scope: "read",
            status: 404,
            code: "unknown-run"
        ),
        BadCall(
            path: "/api/v1/runs/none/cancel",
            scope: "submit",
            status: 404,
            code: "unknown-run"
        ),
        BadCall(
            path: "/api/v1/runs",
            scope: "submit",
            body: "",
            status: 400,
            code: "request-malformed"
        ),
        BadCall(
            path: "/api/v1/runs",
            scope: "submit",
            body: "{\"key\": 1}",
            status: 400,
            code: "request-malformed"
        ),
        BadCall(
            path: "/api/v1/runs",
            scope: "submit",
            body: nested,
            status: 400,
            code: "request-malformed"
        ),
        BadCall(path: "/api/v1/workers", body: "nonsense", status: 400, code: "request-malformed"),
        BadCall(
            path: "/api/v1/workers",
            body: #"{"worker": "a", "beginsAnew": true, "running": [], "offer": {"Xcode": ["1"]}}"#,
            status: 400,
            code: "request-malformed"
        ),
        BadCall(
            path: "/api/v1/workers",
            body: "{\"worker\": \"\", \"beginsAnew\": true, \"running\": []}",
            status: 400,
            code: "request-name"
        ),
        BadCall(
            path: "/api/v1/workers",
            body: "{\"worker\": \"a\\nb\", \"beginsAnew\": true, \"running\": []}",
            status: 400,
            code: "request-name"
        ),
        BadCall(
            path: "/api/v1/workers",
            headers: ["Content-Length: 99999999999"],
            body: "{",
            status: 413,
            code: "request-too-large"
        ),
        BadCall(
            path: "/api/v1/workers",
            headers: ["Transfer-Encoding: chunked"],
            body: "20000\r\n" + String(repeating: " ", count: 0x20000) + "\r\n0\r\n\r\n",
            status: 413,
            code: "request-too-large"
        ),
        BadCall(
            path: "/api/v1/workers/a%0Ab/claim",
            body: "{\"request\": \"1\", \"waitSeconds\": 0}",
            status: 400,
            code: "request-name"
        ),
        BadCall(
            path: "/api/v1/workers/a/claim",
            body: "{\"waitSeconds\": 1e999}",
            status: 400,
            code: "request-malformed"
        ),
        BadCall(
            path: "/api/v1/leases/L9/verdicts",
            body: "{\"epoch\":9,\"reports\":[]}",
            status: 404,
            code: "unknown-lease"
        ),
        BadCall(
            path: "/api/v1/leases/L9/verdicts",
            body: "{\"epoch\":9,\"reports\":[{\"test\":\"a\",\"seconds\":1,\"startedAt\":0}]}",
            status: 400,
            code: "request-malformed"
        ),
        BadCall(
            path: "/api/v1/leases/L9/verdicts",
            body: "{\"epoch\":9,\"reports\":["
                + Array(
                    repeating:
                        "{\"test\":\"a\",\"ending\":\"passed\",\"seconds\":1,\"startedAt\":0}",
                    count: FarmLimits.reportsPerMessageMax + 1
                ).joined(separator: ",") + "]}",
            status: 400,
            code: "report-invalid"
        ),
        BadCall(
            method: "PUT",
            path: "/api/v1/blobs/\(zeros)",
            body: "x",
            status: 400,
            code: "blob-mismatch"
        ),
        BadCall(
            method: "PUT",
            path: "/api/v1/blobs/..%2F..%2Fetc%2Fpasswd",
            body: "x",
            status: 400,
            code: "request-malformed"
        ),
        // Bundles may be larger, but a worker stores none.
        BadCall(
            method: "PUT",
            path: "/api/v1/blobs/\(zeros)",
            headers: ["Content-Length: \(FarmLimits.blobBytesMax + 1)"],
            body: "x",
            status: 413,
            code: "request-too-large"
        ),
        BadCall(
            method: "PUT",
            path: "/api/v1/blobs/\(zeros)",
            headers: ["Content-Length: 99999999999"],
            body: "x",
            status: 413,
            code: "request-too-large"
        ),
        BadCall(
            method: "GET",
            path: "/api/v1/blobs/\(zeros)",
            scope: "read",
            status: 404,
            code: "blob-missing"
        ),
        BadCall(method: "GET", path: "/api/v1/blobs/\(zeros)", status: 403, code: "not-yours"),
        BadCall(
            method: "GET",
            path: "/api/v1/references/none/host",
            status: 404,
            code: "unknown-run"
        ),
        BadCall(
            method: "GET",
            path: "/api/v1/references/..%2F../x",
            status: 404,
            code: "unknown-run"
        ),
        BadCall(
            method: "GET",
            path: "/api/v1/pictures/none/zz",
            status: 400,
            code: "request-malformed"
        ),
        BadCall(
            method: "GET",
            path: "/api/v1/pictures/none/\(zeros.prefix(40))",
            status: 404,
            code: "unknown-run"
        ),
    ]
}
