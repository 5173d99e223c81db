// Tests of a store's lock that another process holds.
import FarmGit
import FarmTesting
import Foundation
import ReferenceTesting
import Testing

@testable import FarmReferences

@Suite("the lock of a store")
struct StoreLockTests {
    @Test("whoever waits for it in vain gives up with its path, and gets it once it is free")
    func limit() throws {
        let fixture = try StoreFixture()
        let store = fixture.store.path
        let refusal = GitError.locked(file: store + "/snapfarm.lock")
        do {
            let alone = try StoreLock(exclusive: store)
            #expect(throws: refusal) { try StoreLock(shared: store, seconds: 0.05) }
            withExtendedLifetime(alone) {}
        }
        do {
            let sharing = (try StoreLock(shared: store), try StoreLock(shared: store))
            #expect(throws: refusal) { try StoreLock(exclusive: store, seconds: 0.05) }
            withExtendedLifetime(sharing) {}
        }
        #expect(throws: Never.self) { try StoreLock(exclusive: store, seconds: 0) }
    }

    @Test("ends with it although a child that was just forked still has its descriptor")
    func child() throws {
        let fixture = try StoreFixture()
        let store = fixture.store.path
        let lock = try StoreLock(exclusive: store)
        let copy = withExtendedLifetime(lock) { dup($0.descriptor) }
        _ = consume lock
        defer { close(copy) }
        #expect(copy >= 0)
        #expect(throws: Never.self) { try StoreLock(exclusive: store, seconds: 0) }
    }
}
