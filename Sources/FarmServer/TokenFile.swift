// The tokens of a coordinator: one file in its data folder, readable by its owner only, with
// hashes and no token. `snapfarm tokens` changes it while the coordinator runs.
//
// Invariants
//   - The file is replaced in one step under a lock: it is always whole.
//   - A change counts from the next call on. A file that cannot be read admits nobody.
import FarmCore
import FarmFiles
import Foundation
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The tokens in a file.
package final class TokenFile: CallAccess {
    /// What every token begins with, so that logs can mask it and scanners find it.
    package static let prefix = "snapfarm_"

    private struct Contents: Codable {
        var version = 1
        var tokens: [TokenRecord]
    }

    /// Differs whenever the file was replaced.
    private struct Stamp: Equatable {
        var inode: UInt64
        var size: Int64
        var seconds: Int
        var nanoseconds: Int
    }

    private let path: String
    private let clock: @Sendable () -> Int64
    private let known = Mutex<(stamp: Stamp?, records: [TokenRecord])>((nil, []))

    /// `clock` gives milliseconds since 1970.
    package init(path: String, clock: @escaping @Sendable () -> Int64) {
        self.path = path
        self.clock = clock
    }

    // MARK: calls

    package func grant(_ header: String?, needing scopes: Set<AccessScope>) throws -> AccessGrant {
        try AccessRules.grant(header, among: current(), needing: scopes, now: clock())
    }

    private func current() throws -> [TokenRecord] {
        let stamp = stamp()
        return try known.withLock { known in
            if known.stamp != stamp || stamp == nil {
                known = (stamp, try records())
            }
            return known.records
        }
    }

    private func stamp() -> Stamp? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        return Stamp(
            inode: UInt64(status.st_ino),
            size: Int64(status.st_size),
            seconds: time.tv_sec,
            nanoseconds: time.tv_nsec
        )
    }

    // MARK: administration

    /// All tokens, in the order they were made; none where there is no file.
    package func records() throws -> [TokenRecord] {
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw TokenFileError.unreadable(path, String(cString: strerror(errno)))
        }
        guard bytes.count <= FarmLimits.tokenFileBytesMax,
            let contents = try? JSONDecoder().decode(Contents.self, from: bytes),
            contents.version == 1
        else { throw TokenFileError.unreadable(path, "it is not a file of tokens") }
        return contents.tokens
    }

    /// Makes a token and returns it; nothing can show it again.
    ///
    /// `expires` in milliseconds since 1970.
    package func create(
        name: String,
        scopes: Set<AccessScope>,
        expires: Int64?,
        using generator: inout some RandomNumberGenerator
    ) throws -> String {
        guard AccessRules.isName(name) else { throw TokenFileError.badName(name) }
        let token = Self.prefix + AccessToken.random(using: &generator)
        let record = TokenRecord(
            name: name,
            scopes: AccessScope.allCases.filter { scopes.contains($0) },
            sha256: Digest(of: Data(token.utf8)),
            created: clock(),
            expires: expires
        )
        try change { records in
            guard !records.contains(where: { $0.name == name }) else {
                throw TokenFileError.nameTaken(name)
            }
            guard records.count < FarmLimits.tokensMax else { throw TokenFileError.tooMany }
            records.append(record)
        }
        return token
    }

    /// Forgets a token: its next call is refused.
    package func revoke(name: String) throws {
        try change { records in
            guard let place = records.firstIndex(where: { $0.name == name }) else {
                let near = nearest(name, among: records.map(\.name))
                throw TokenFileError.unknownName(name, near: near)
            }
            records.remove(at: place)
        }
    }

    private func change(_ body: (inout [TokenRecord]) throws -> Void) throws {
        let lock = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else {
            throw TokenFileError.unwritable(path, String(cString: strerror(errno)))
        }
        defer { _ = close(lock) }
        guard flock(lock, LOCK_EX) == 0 else {
            throw TokenFileError.unwritable(path, String(cString: strerror(errno)))
        }
        var records = try records()
        try body(&records)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        let bytes = try encoder.encode(Contents(tokens: records))
        do {
            try DurableFile.write(bytes, to: path, readers: .owner)
        } catch {
            throw TokenFileError.unwritable(path, error.reason)
        }
    }
}

/// Why tokens cannot be read or changed.
package enum TokenFileError: ExplainedError, Hashable {
    case unreadable(String, String)
    case unwritable(String, String)
    case badName(String)
    case nameTaken(String)
    case unknownName(String, near: String?)
    case tooMany

    package var code: String {
        switch self {
        case .unreadable: "tokens-unreadable"
        case .unwritable: "tokens-unwritable"
        case .badName, .nameTaken, .unknownName: "token-name"
        case .tooMany: "tokens-too-many"
        }
    }
    package var message: String {
        switch self {
        case .unreadable(let path, let reason): "the tokens in \(path) cannot be read: \(reason)."
        case .unwritable(let path, let reason): "the tokens in \(path) cannot be kept: \(reason)."
        case .badName(let name): "\(name.prefix(100).debugDescription) is no name for a token."
        case .nameTaken(let name): "there is a token \(name) already."
        case .unknownName(let name, _): "there is no token \(name)."
        case .tooMany: "there are \(FarmLimits.tokensMax) tokens already."
        }
    }
    package var remedy: String {
        switch self {
        case .unreadable: "Restore the file, or remove it and make new tokens."
        case .unwritable: "Run this as the user that runs the coordinator; check the disk."
        case .badName: "Use letters, digits, `-`, `_` and `.`."
        case .nameTaken: "Choose another name, or revoke it first: snapfarm tokens revoke NAME."
        case .unknownName(_, let near):
            near.map { "Did you mean \($0)?" } ?? "List them with `snapfarm tokens list`."
        case .tooMany: "Revoke those that nobody uses."
        }
    }
    package var exit: ExitCode {
        switch self {
        case .unreadable, .unwritable: .inputOutput
        case .badName, .nameTaken, .unknownName, .tooMany: .usage
        }
    }
}
