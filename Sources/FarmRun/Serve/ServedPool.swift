// A coordinator in a pool that shares one ledger in PostgreSQL: its copy of the ledger, the shared
// tokens and key of leases, and the loops that follow and lead.
import FarmCore
import FarmFiles
import FarmLedger
import FarmServer
import Foundation
import Logging

/// This coordinator as a member of a pool.
final class ServedPool: Sendable {
    let ledger: SQLiteLedger
    let member: PoolMember
    private let documents: PoolDocuments
    private let data: String
    private let keeper: PostgresStore
    private let logger: Logger

    /// Opens the copy and joins the pool, which is created if it does not exist.
    ///
    /// - Throws: `JournalStoreError`, `PoolError`.
    init(
        _ address: PostgresAddress,
        at url: String,
        in data: DataFolder,
        logger: Logger
    ) throws {
        let me = PoolMemberID(holder: UUID().uuidString.lowercased(), url: url)
        func store() -> PostgresStore { PostgresStore(address, me: me) }
        let (reader, writer) = (store(), store())
        keeper = store()
        try reader.makeTables()
        // A killed process may have left files. No other process writes there, because the folder
        // is locked.
        try? FileManager.default.removeItem(atPath: data.snapshots)
        let journal = LedgerJournal(
            writer,
            randomTx: Self.randomTx,
            // Sleeps on the writer's own thread, which has no other work until the result is known.
            pause: { Thread.sleep(forTimeInterval: 0.1) }
        )
        ledger = try SQLiteLedger(path: data.ledger, journal: journal)
        let log = logger
        member = PoolMember(
            ledger,
            journal: journal,
            me: me,
            reader: reader,
            writer: writer,
            scratch: data.snapshots,
            say: { event in log.log(level: event.level, "\(event.words)") }
        )
        try member.join(randomTx: Self.randomTx())
        documents = PoolDocuments(store: store(), key: data.leaseKey)
        self.data = data.path
        self.logger = logger
        logger.notice(
            "one of several coordinators",
            metadata: ["database": "\(address.shown)", "pool": "\(address.pool)", "url": "\(url)"]
        )
    }

    @Sendable static func randomTx() -> Data {
        var random = SystemRandomNumberGenerator()
        return Data((0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) })
    }

    var sharedTokens: any SharedTokens { documents }

    /// Downloads the pool's shared tokens and key, or uploads this coordinator's if there are none.
    func shareFiles(_ tokens: TokenFile, tokensPath: String) throws {
        try documents.shareKey()
        if let shared = try documents.tokens() {
            try tokens.follow(shared)
        } else if let own = FileManager.default.contents(atPath: tokensPath) {
            _ = try documents.putTokens(own, replacing: nil)
        }
    }

    /// Refuses blobs in another place than those of the other coordinators: each would miss the
    /// other's.
    ///
    /// - Throws: `BucketNoteError`.
    func shareBucket(_ bucket: String?) throws {
        let shared = try documents.bucket()
        guard shared != bucket else { return }
        if let shared {
            throw bucket.map { BucketNoteError.other(data, bucket: shared, configured: $0) }
                ?? BucketNoteError.folder(data, bucket: shared)
        }
        if let bucket, try !documents.recordBucketIfAbsent(bucket) { try shareBucket(bucket) }
    }

    /// Follows the shared ledger, and leads it at times, until the task is cancelled.
    func run(
        _ tokens: TokenFile,
        onLeading: @escaping @Sendable () async throws -> Void,
        onStepDown: @escaping @Sendable () -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await self.member.run(onLeading: onLeading, onStepDown: onStepDown)
            }
            group.addTask { try await self.member.keepSnapshots(self.keeper) }
            group.addTask { try await self.followTokens(tokens) }
            try await group.waitForAll()
        }
    }

    private func followTokens(_ tokens: TokenFile) async throws {
        let thread = BlockingQueue("tokens")
        let documents = documents
        var said: TokenFileError?
        while !Task.isCancelled {
            try await Task.sleep(for: .seconds(1))
            do {
                try await thread.run {
                    if let shared = try documents.tokens() { try tokens.follow(shared) }
                }
                said = nil
            } catch let error as CancellationError {
                throw error
            } catch let error as TokenFileError {
                // An error is logged once: the next look, a second later, finds the same.
                if said != error {
                    logger.error("\(error.message)", metadata: ["remedy": "\(error.remedy)"])
                }
                said = error
            } catch {
                // The next look comes soon. Another message already says that the database is
                // unreachable.
                logger.debug("tokens were not looked at: \(error)")
            }
        }
    }
}

extension ServedPool: Leadership {
    var leader: Leader {
        if member.leads { return .me }
        return member.otherLeader.map { .other(url: $0) } ?? .none
    }

    var canRead: Bool { member.standing.canRead }

    var obstacle: String? { member.standing.problem }

    var facts: LeadershipFacts {
        let standing = member.standing
        var facts = LeadershipFacts(leads: member.leads)
        facts.term = standing.row?.term ?? 0
        facts.behind = max(0, (standing.row?.seq ?? 0) - standing.seq)
        facts.isSound = standing.problem == nil
        return facts
    }

    func catchUp() async {
        // A look that began after this call sees all changes that the leader had at that time.
        let seen = member.looks
        for _ in 0..<100 where member.looks < seen + 2 {
            try? await Task.sleep(for: .milliseconds(20))
        }
    }
}

/// The documents that all coordinators of a pool share.
struct PoolDocuments: SharedTokens {
    let store: PostgresStore
    /// The path of the file with the key that seals leases.
    let key: String

    func tokens() throws -> Data? { try store.document("tokens") }

    func putTokens(_ bytes: Data, replacing old: Data?) throws -> Bool {
        try store.put(bytes, as: "tokens", replacing: old)
    }

    /// Returns the bucket of the pool's blobs, or `nil` if no coordinator has named one.
    func bucket() throws -> String? {
        try store.document("bucket").map { String(decoding: $0, as: UTF8.self) }
    }

    func recordBucketIfAbsent(_ bucket: String) throws -> Bool {
        try store.put(Data(bucket.utf8), as: "bucket", replacing: nil)
    }

    /// Shares the key of leases with the pool, so that leases stay valid when another coordinator
    /// leads.
    func shareKey() throws {
        if let shared = try store.document("lease key") {
            guard FileManager.default.contents(atPath: key) != shared else { return }
            return try DurableFile.write(shared, to: key, readers: .owner)
        }
        var random = SystemRandomNumberGenerator()
        let own =
            FileManager.default.contents(atPath: key) ?? LeaseSealer.randomKey(using: &random)
        guard try store.put(own, as: "lease key", replacing: nil) else { return try shareKey() }
        try DurableFile.write(own, to: key, readers: .owner)
    }
}

extension CoordinatorConfiguration {
    /// Returns the configuration with the command's options for the shared ledger.
    package func sharing(
        _ url: String?,
        _ pool: String?,
        at address: String? = nil
    ) -> CoordinatorConfiguration {
        guard var shared = url.map({ SharedLedgerSettings(url: $0) }) ?? settings.ledger else {
            return self
        }
        shared.password = settings.ledger?.password
        shared.pool = pool ?? settings.ledger?.pool ?? SharedLedgerSettings.defaultPool
        shared.address = address ?? settings.ledger?.address
        var changed = self
        changed.settings.ledger = shared
        return changed
    }

    /// Returns the address of the shared ledger, or `nil` if there is none.
    ///
    /// - Throws: `ConfigurationError.noVariable`, `JournalStoreError.badURL`.
    package func sharedLedger(_ environment: [String: String]) throws -> PostgresAddress? {
        guard let shared = settings.ledger else { return nil }
        return try PostgresAddress(
            url: shared.url,
            password: try secret(shared.password, or: "PGPASSWORD", environment),
            pool: shared.pool
        )
    }
}

extension CoordinatorConfiguration {
    /// Returns the tokens that this coordinator shares with others, or `nil` if only its own file
    /// counts.
    ///
    /// - Throws: `PoolError.unnamed` if the folder is a copy and no shared ledger is named.
    package func sharedTokens(_ environment: [String: String]) throws -> (any SharedTokens)? {
        if settings.ledger == nil, SQLiteLedger.isCopy(atPath: data + "/ledger.sqlite") {
            throw PoolError.unnamed(data)
        }
        return try sharedLedger(environment).map { address in
            let me = PoolMemberID(holder: "", url: "")
            let store = PostgresStore(address, me: me)
            try store.makeTables()
            return PoolDocuments(store: store, key: data + "/lease.key")
        }
    }
}

extension CoordinatorConfiguration {
    /// Returns the status of the shared ledger's pool.
    package func sharedStatus(_ environment: [String: String]) throws -> PoolStatus {
        guard let address = try sharedLedger(environment) else {
            throw ConfigurationError.noLedger
        }
        let store = PostgresStore(address, me: PoolMemberID(holder: "", url: ""))
        return try store.status()
    }
}
