import FarmCore
import FarmServer
import FarmTesting
import Foundation
import Testing

@Suite("The key of a coordinator's leases")
struct LeaseKeyFileTests {
    private let folder: TemporaryFolder
    private var random = SeededGenerator(seed: 7)
    private let token = LeaseToken(id: LeaseID("L1"), epoch: 1)

    init() throws { folder = try TemporaryFolder("lease-key") }

    private var path: String { folder.file("lease.key") }

    @Test("leases are known again after a restart, and only their coordinator's")
    mutating func restart() throws {
        let before = try LeaseKeyFile.sealer(path, using: &random).sealed(token)
        let after = try LeaseKeyFile.sealer(path, using: &random)
        #expect(after.opened(before) == token)
        let other = try LeaseKeyFile.sealer(folder.file("other"), using: &random)
        #expect(other.opened(before) == nil)
    }

    @Test("only its owner can read the file")
    mutating func mode() throws {
        _ = try LeaseKeyFile.sealer(path, using: &random)
        let facts = try FileManager.default.attributesOfItem(atPath: path)
        #expect((facts[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["lease.key"])
    }

    @Test("a damaged file is said and kept: a key of zeros would be anybody's")
    mutating func damaged() throws {
        try Data(count: 3).write(to: URL(fileURLWithPath: path))
        let reason = "it has 3 bytes instead of 32"
        #expect(throws: LeaseKeyError.unreadable(path, reason)) {
            try LeaseKeyFile.sealer(path, using: &random)
        }
        #expect(FileManager.default.contents(atPath: path)?.count == 3)
    }

    @Test("a folder that cannot be written is said")
    mutating func unwritable() {
        #expect(throws: LeaseKeyError.self) {
            try LeaseKeyFile.sealer("/nowhere/lease.key", using: &random)
        }
    }
}
