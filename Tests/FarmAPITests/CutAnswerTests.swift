// Tests of a coordinator whose answer breaks off, for example at a damaged part of a blob, or that
// redirects to an unreachable place.
import FarmAPI
import FarmCore
import FarmTesting
import Testing

@Suite("An answer that is cut off, or leads nowhere")
struct CutAnswerTests {
    @Test("is said to be that, and its coordinator is not taken for something else")
    func said() async throws {
        let coordinator = try ScriptedListener { _ in
            .last("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{")
        }
        let client = CoordinatorClient(url: coordinator.url, token: "t", patience: .once)
        let error = await #expect(throws: APIError.self) { try await client.runs(limit: 1) }
        await client.close()
        #expect(error?.message.contains("in the middle of its answer") == true, "\(error as Any)")
        #expect(error?.exit == .unavailable)
    }

    @Test("that leads to no usable address is an error, and ends no process")
    func unusable() async throws {
        let coordinator = try ScriptedListener { _ in
            .last(
                "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.1:99999/\r\n"
                    + "Content-Length: 0\r\n\r\n"
            )
        }
        let client = CoordinatorClient(url: coordinator.url, token: "t", patience: .once)
        let error = await #expect(throws: TransferError.self) {
            try await client.blob(Digest(of: "a".utf8.map(\.self)), of: RunID("r"))
        }
        await client.close()
        #expect(error?.code == "transfer-refused", "\(error as Any)")
    }
}
