// Tests of a coordinator's retention while a backup is being made.
import FarmArtifacts
import FarmCore
import FarmLedger
import FarmServer
import FarmTesting
import Foundation
import Logging
import Synchronization
import Testing

@testable import FarmRun

@Suite("Retention while serving")
struct ServedRetentionTests {
    private struct Enough: Error {}

    @Test("one that a backup kept from its turn comes again within the hour, and then the next day")
    func turns() async throws {
        let folder = try TemporaryFolder("retention")
        let data = try DataFolder(folder.file("state"))
        let ledger = try SQLiteLedger(path: data.ledger)
        let backup = Mutex<RetentionLock?>(try RetentionLock(data.path, .backup))
        let pauses = Mutex<[Double]>([])
        let retention = ServedRetention(
            data: data,
            coordinator: Coordinator(
                ledger: ledger,
                store: nil,
                blobs: try BlobStore(folder: data.blobs),
                driverMistakes: { _ in [] },
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
                reencode: { _ in nil },
                clock: { 1_700_000_000_000 }
            ),
            ledger: ledger,
            policy: .standard,
            leads: { true },
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            now: { 1_700_000_000_000 },
            pause: { seconds in
                backup.withLock { $0 = nil }
                // A child that another test starts at this moment has the lock until its exec.
                var tries = 0
                while (try? RetentionLock(data.path, .backup)) == nil, tries < 500 {
                    tries += 1
                    usleep(10_000)
                }
                let count = pauses.withLock { pauses in
                    pauses.append(seconds)
                    return pauses.count
                }
                if count == 2 { throw Enough() }
            }
        )
        await #expect(throws: Enough.self) { try await retention.run() }
        #expect(pauses.withLock { $0 } == [3_600, 86_400])
        #expect(UpkeepTimes.facts(of: data.path).lastSuccess[.retention] != nil)
        try ledger.close()
    }
}
