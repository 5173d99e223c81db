// A coordinator among others that share one ledger in PostgreSQL: its copy, the tokens and the key
// of leases that all of them have, and the loops that follow and lead.
import FarmCore
import FarmFiles
import FarmLedger
import FarmServer
import Foundation
import Logging

/// This coordinator's place in a pool.
final class ServedPool: Sendable {
    let ledger: SQLiteLedger
    let member: PoolMember
    private let documents: PoolDocuments
    private let data: String
    private let keeper: PostgresStore
    private let logger: Logger

    /// Opens the copy and joins the pool, which is made where it is not there.
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
        // What a killed process left on its way; the folder's lock says that nobody writes there.
        try? FileManager.default.removeItem(atPath: data.snapshots)
        let journal = LedgerJournal(
            writer,
            randomTx: Self.randomTx,
            // On the writer's own thread, which has nothing else to do until it knows.
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

    /// Makes the files that all coordinators share what the others have, or the others' what is here.
    func shareFiles(_ tokens: TokenFile, tokensPath: String) throws {
        try documents.shareKey()
        if let shared = try documents.tokens() {
            try tokens.follow(shared)
        } else if let own = FileManager.default.contents(atPath: tokensPath) {
            _ = try documents.putTokens(own, replacing: nil)
        }
    }

    /// Refuses blobs that lie elsewhere than those of the others: each would miss the other's.
    ///
    /// - Throws: `BucketNoteError`.
    func shareBucket(_ bucket: String?) throws {
        let shared = try documents.bucket()
        guard shared != bucket else { return }
        if let shared {
            throw bucket.map { BucketNoteError.other(data, bucket: shared, configured: $0) }
                ?? BucketNoteError.folder(data, bucket: shared)
        }
        if let bucket, try !documents.putBucket(bucket) { try shareBucket(bucket) }
    }

    /// Follows and leads until it is cancelled.
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
        while !Task.isCancelled {
            try await Task.sleep(for: .seconds(1))
            do {
                try await thread.run {
                    if let shared = try documents.tokens() { try tokens.follow(shared) }
                }
            } catch let error as CancellationError {
                throw error
            } catch {
                // The next look comes soon; that the database is away is said elsewhere.
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
        // A look that began after the call shows what the leader had at it.
        let seen = member.looks
        for _ in 0..<100 where member.looks < seen + 2 {
            try? await Task.sleep(for: .milliseconds(20))
        }
    }
}

/// What all coordinators of a pool have in the same words.
struct PoolDocuments: SharedTokens {
    let store: PostgresStore
    /// Path of the key of leases.
    let key: String

    func tokens() throws -> Data? { try store.document("tokens") }

    func putTokens(_ bytes: Data, replacing old: Data?) throws -> Bool {
        try store.put(bytes, as: "tokens", replacing: old)
    }

    /// Where the blobs of the pool lie; nil: in folders, as far as anybody has said.
    func bucket() throws -> String? {
        try store.document("bucket").map { String(decoding: $0, as: UTF8.self) }
    }

    func putBucket(_ bucket: String) throws -> Bool {
        try store.put(Data(bucket.utf8), as: "bucket", replacing: nil)
    }

    /// Leases stay those of their workers when another coordinator leads.
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
    /// The same with what a command's options say of the shared ledger.
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

    /// Where the ledger is that several coordinators share; nil: none is.
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
    /// The tokens that this coordinator shares with others; nil: its file is the only truth.
    ///
    /// - Throws: `PoolError.unnamed` where the folder is a copy, and no shared ledger is named.
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
    /// How the pool of the shared ledger is.
    package func sharedStatus(_ environment: [String: String]) throws -> PoolStatus {
        guard let address = try sharedLedger(environment) else {
            throw ConfigurationError.noLedger
        }
        let store = PostgresStore(address, me: PoolMemberID(holder: "", url: ""))
        return try store.status()
    }
}
