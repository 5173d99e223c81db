import FarmLedger
import FarmServer
import FarmTesting
import Foundation
import Synchronization
import Testing

@Suite("A coordinator that is cancelled")
struct StoppingTests {
    @Test("closes the connections that come in that moment; NIO would end the process for each")
    func arriving() async throws {
        let folder = try TemporaryFolder("stopping")
        let ledger = try SQLiteLedger(path: folder.file("ledger.sqlite"))
        for round in 0..<10 {
            let blobs = folder.file("blobs-\(round)")
            let server = TwoCoordinators.server(
                try TwoCoordinators.coordinator(ledger, blobs: blobs)
            )
            let made = Mutex(0)
            let serving = Task {
                try await server.run(port: 0) { port in
                    for _ in 0..<4 {
                        Thread.detachNewThread {
                            // Connects until the port is closed.
                            var connections: [RawConnection] = []
                            while let one = try? RawConnection(port: port) {
                                connections.append(one)
                                made.withLock { $0 += 1 }
                            }
                        }
                    }
                    while !Task.isCancelled { await Task.yield() }
                }
            }
            while made.withLock({ $0 }) < 20 + round * 10 { await Task.yield() }
            serving.cancel()
            _ = await serving.result
        }
        try ledger.close()
    }
}
