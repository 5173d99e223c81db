import FarmCore
import FarmServer
import FarmTesting
import Foundation
import Testing

@Suite("Tokens in a file")
struct TokenFileTests {
    private let folder: TemporaryFolder
    private var random = SeededGenerator(seed: 7)

    init() throws { folder = try TemporaryFolder("tokens") }

    private var file: TokenFile { TokenFile(path: folder.file("tokens.json")) { 1_000 } }

    @Test("a token is good until it is revoked or expires, and is nowhere in the file")
    mutating func life() throws {
        let file = file
        let token = try file.create(name: "mac-1", scopes: [.work], expires: 2_000, using: &random)
        #expect(token.hasPrefix(TokenFile.prefix) && token.count == TokenFile.prefix.count + 64)
        let text = try String(contentsOfFile: folder.file("tokens.json"), encoding: .utf8)
        #expect(!text.contains(token.dropFirst(TokenFile.prefix.count)))
        #expect(try file.grant("Bearer \(token)", needing: [.work]).name == "mac-1")
        let later = TokenFile(path: folder.file("tokens.json")) { 2_000 }
        #expect(throws: AccessRefusal.self) { try later.grant("Bearer \(token)", needing: [.work]) }
        // Another process revokes the token; this one notices at the next call.
        try self.file.revoke(name: "mac-1")
        #expect(throws: AccessRefusal.unknown) {
            try file.grant("Bearer \(token)", needing: [.work])
        }
    }

    @Test("only its owner can read the file")
    mutating func mode() throws {
        _ = try file.create(name: "a", scopes: [.read], expires: nil, using: &random)
        let facts = try FileManager.default.attributesOfItem(atPath: folder.file("tokens.json"))
        #expect((facts[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    }

    @Test("a damaged file admits nobody")
    mutating func damaged() throws {
        let file = file
        let token = try file.create(name: "a", scopes: [.admin], expires: nil, using: &random)
        try folder.write("tokens.json", "{\"version\": 1, \"tokens\": [")
        #expect(throws: TokenFileError.self) {
            try file.grant("Bearer \(token)", needing: [.read])
        }
    }

    @Test("damaged tokens in PostgreSQL are named as those, and not as the file of the folder")
    mutating func damagedInDatabase() throws {
        struct Damaged: SharedTokens {
            func tokens() throws -> Data? { Data("{".utf8) }
            func putTokens(_ bytes: Data, replacing old: Data?) throws -> Bool { true }
        }
        let file = TokenFile(path: folder.file("tokens.json"), shared: Damaged()) { 1_000 }
        var random = random
        let made = #expect(throws: TokenFileError.self) {
            try file.create(name: "a", scopes: [.work], expires: nil, using: &random)
        }
        let followed = #expect(throws: TokenFileError.self) { try file.follow(Data("{".utf8)) }
        for error in [made, followed] {
            let words = "\(error?.message ?? "") \(error?.remedy ?? "")"
            #expect(words.contains("in PostgreSQL") && words.contains("farm.document"), "\(words)")
            #expect(!words.contains(folder.path), "\(words)")
        }
    }

    @Test("names are one word, unique, and known when they are revoked")
    mutating func names() throws {
        _ = try file.create(name: "mac-1", scopes: [.work], expires: nil, using: &random)
        for bad in ["", "two words", "a/b", "über", "mac-1", String(repeating: "a", count: 81)] {
            #expect(throws: TokenFileError.self, "\(bad)") {
                var random = SeededGenerator(seed: 8)
                _ = try file.create(name: bad, scopes: [.work], expires: nil, using: &random)
            }
        }
        #expect(throws: TokenFileError.unknownName("mac-2", near: "mac-1")) {
            try file.revoke(name: "mac-2")
        }
    }
}
