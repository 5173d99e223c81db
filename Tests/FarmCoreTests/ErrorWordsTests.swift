// Tests of readable messages for errors of libraries.
import FarmCore
import Foundation
import Testing

@Suite("A foreign error in words")
struct ErrorWordsTests {
    /// An error with the library's own description.
    private struct Described: Error, CustomStringConvertible {
        let description: String
    }
    /// An error without a description.
    private struct NIOTooManyBytesError: Error {}
    private enum Wordless: Error { case fault }
    private struct Explained: ExplainedError {
        var code: String { "code" }
        var message: String { "a sentence." }
        var remedy: String { "" }
        var exit: ExitCode { .usage }
    }

    private static let tls = """
        sslError([Error: 268435581 error:1000007d:SSL routines:OPENSSL_internal:\
        CERTIFICATE_VERIFY_FAILED at /build/checkouts/swift-nio-ssl/ssl/handshake.cc:298])
        """
    private static let connection = """
        NIOConnectionError(host: "127.0.0.1", port: 1, dnsAError: nil, connectionErrors: \
        [SingleConnectionFailure(error: connect: Connection refused (errno: 111))])
        """

    @Test(
        "names the cause, and no type, number or path of a library",
        arguments: [
            (tls, "its certificate is not trusted"), (connection, "connection refused"),
            ("HTTPClientError.deadlineExceeded", "it takes too long"),
            ("HTTPClientError.connectTimeout", "it takes too long"),
            ("NIOConnectionError(connectionErrors: [])", "its host name is not known"),
            (
                "SQLite error 13: database or disk is full",
                "SQLite error 13: database or disk is full"
            ),
            ("It ends with a stop.", "It ends with a stop"),
            (
                "Fatal at Sources/Library/File.swift:12",
                "for a reason that is not known here (Described)"
            ),
        ]
    )
    func described(text: String, words: String) {
        #expect(Described(description: text).inWords == words)
    }

    @Test("comes from its type where it says nothing itself")
    func wordless() {
        #expect(NIOTooManyBytesError().inWords == "the answer is larger than it may be")
        #expect(Wordless.fault.inWords == "for a reason that is not known here (Wordless)")
        #expect(Explained().inWords == "a sentence")
        #expect(CancellationError().inWords == "it was stopped")
    }

    @Test("of a file names the file and the system's reason")
    func file() {
        let error = #expect(throws: CocoaError.self) {
            _ = try Data(contentsOf: URL(fileURLWithPath: "/usr"))
        }
        #expect(error?.inWords.contains("Error Domain") == false)
        #expect(error?.inWords.hasSuffix("is a directory") == true, "\(error?.inWords ?? "")")
    }

    @Test(
        "of a document is about its field",
        arguments: [
            ("{}", "`name` is missing"), ("{\"name\": 1}", "`name` has another form"),
            ("{\"name\"", "it is damaged"),
        ]
    )
    func document(text: String, words: String) {
        struct Document: Decodable { let name: String }
        let error = #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Document.self, from: Data(text.utf8))
        }
        #expect(error?.inWords == words)
    }
}
