import FarmCore
import FarmTesting
import Foundation
import Testing

@Suite("Seals of leases")
struct LeaseSealerTests {
    private let token = LeaseToken(id: LeaseID("L7"), epoch: 7)
    private let sealer: LeaseSealer

    init() throws {
        sealer = try #require(LeaseSealer(key: Data(repeating: 1, count: LeaseSealer.keyBytes)))
    }

    @Test("a lease that was given away is known again, as the ledger knows it")
    func roundTrip() {
        let sealed = sealer.sealed(token)
        #expect(sealed.seal != nil && sealed == sealer.sealed(token))
        #expect(sealer.opened(sealed) == token)
    }

    @Test("a seal is HMAC-SHA-256 of the lease's epoch and name")
    func vector() {
        // Computed by: printf '7 L7' | openssl dgst -sha256 -mac HMAC -macopt hexkey:0101…01
        let expected = "10f78cef12a4883af94a8d81665047b289143ed7a2fce8d650cd90f405655e31"
        #expect(sealer.sealed(token).seal?.hex == expected)
    }

    @Test("no seal, another lease's seal and another coordinator's seal open nothing")
    func foreign() throws {
        #expect(sealer.opened(token) == nil)
        let sealed = sealer.sealed(token)
        let later = LeaseToken(id: token.id, epoch: 8, seal: sealed.seal)
        let renamed = LeaseToken(id: LeaseID("L8"), epoch: 7, seal: sealed.seal)
        #expect(sealer.opened(later) == nil)
        #expect(sealer.opened(renamed) == nil)
        var generator = SeededGenerator(seed: 1)
        #expect(LeaseSealer(using: &generator).opened(sealed) == nil)
    }

    @Test("a key of another length is none")
    func keys() {
        for count in [0, LeaseSealer.keyBytes - 1, LeaseSealer.keyBytes + 1] {
            #expect(LeaseSealer(key: Data(count: count)) == nil)
        }
    }
}
