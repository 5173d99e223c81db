// Tests of bytes that a disk or a bucket has changed since they were stored.
import FarmArtifacts
import FarmCore
import FarmServer
import FarmTesting
import Foundation
import Testing

@Suite("A stored blob whose bytes are not its own any more")
struct DamagedBlobTests {
    @Test("is sent neither whole nor in part", arguments: [20, 1 << 20])
    func refused(_ bytes: Int) async throws {
        try await TwoCoordinators.serving { two in
            let digest = try await two.leader.blobs.put(Data(repeating: 7, count: bytes))
            func get(_ range: String?) async throws -> RawConnection.Response? {
                let headers = range.map { ["Range: bytes=\($0)"] } ?? []
                let line = "GET /api/v1/blobs/\(digest.hex)"
                return try await TwoCoordinators.ask(
                    two.leaderPort,
                    TwoCoordinators.call(line, headers)
                )
            }
            let part = try await get("2-5")
            #expect(part?.status == 206 && part?.body == Data(repeating: 7, count: 4))
            #expect(try await get(nil)?.body.count == bytes)
            let path = two.folder.file("blobs/\(digest.hex.prefix(2))/\(digest.hex)")
            try FileManager.default.removeItem(atPath: path)
            // Only the last byte is damaged: the first requested range is still intact.
            let damaged = Data(repeating: 7, count: bytes - 1) + [8]
            try damaged.write(to: URL(fileURLWithPath: path))
            for range in ["2-5", "2-", "-4"] {
                let answer = try await get(range)
                #expect(answer?.status == 500, "\(range)")
                #expect(TwoCoordinators.code(answer) == "blob-damaged", "\(range)")
            }
            // A fault after the first bytes closes the connection, so the answer never arrives
            // whole.
            let whole = try await get(nil)
            #expect(whole == nil || whole?.status == 500)
        }
    }
}
