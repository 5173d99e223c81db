// A connection to PostgreSQL through libpq. Each call blocks its thread for a limited time: the
// caller of a database that does not answer must learn that, and may try again.
import CFarmJournal
import Foundation

/// A parameter of a statement.
enum PostgresParameter {
    case text(String)
    case bytes(Data)

    static func number(_ value: some BinaryInteger) -> PostgresParameter { .text("\(value)") }
}

/// The rows of a result, in PostgreSQL's binary format.
struct PostgresRows {
    let rows: [[Data?]]

    var first: PostgresRow? { rows.first.map { PostgresRow(values: $0) } }
    var all: [PostgresRow] { rows.map { PostgresRow(values: $0) } }
}

struct PostgresRow {
    let values: [Data?]

    /// Returns the value of a `bigint`, `int` or `smallint`.
    func number(_ column: Int) -> Int64 {
        let bytes = bytes(column)
        let isNegative = (bytes.first ?? 0) & 0x80 != 0
        return bytes.reduce(isNegative ? -1 : 0) { $0 << 8 | Int64($1) }
    }
    func flag(_ column: Int) -> Bool { bytes(column).first == 1 }
    func text(_ column: Int) -> String { String(decoding: bytes(column), as: UTF8.self) }
    func bytes(_ column: Int) -> Data {
        column < values.count ? values[column] ?? Data() : Data()
    }
}

/// A connection to PostgreSQL, for one thread at a time.
///
/// It is sendable because it never leaves the private lock of its `PostgresStore`.
final class PostgresConnection: @unchecked Sendable {
    private let handle: OpaquePointer
    private var direct: Bool?

    /// The file names of libpq, in the order in which they are tried.
    private static let libraries = [
        "libpq.so.5", "libpq.5.dylib",
        "/opt/homebrew/opt/libpq/lib/libpq.5.dylib", "/usr/local/opt/libpq/lib/libpq.5.dylib",
    ]
    private static let isLoaded: Bool = {
        let names = libraries.map { strdup($0) }
        defer { for name in names { free(name) } }
        return names.map { UnsafePointer($0) }.withUnsafeBufferPointer {
            farm_pq_load($0.baseAddress, Int32($0.count)) != 0
        }
    }()

    /// Connects to the first host of a URL that accepts writes.
    ///
    /// - Throws: `JournalStoreError`.
    init(_ address: PostgresAddress, seconds: Double) throws {
        guard Self.isLoaded else { throw JournalStoreError.noLibrary }
        // The URL overrides the settings before it.
        let settings =
            [
                ("application_name", "snapfarm"), ("connect_timeout", "5"),
                ("tcp_user_timeout", "5000"), ("keepalives_idle", "5"),
                ("keepalives_interval", "2"), ("keepalives_count", "2"),
                ("target_session_attrs", "read-write"),
            ]
            + (address.password.map { [("password", $0)] } ?? []) + [("dbname", address.url)]
        let words = settings.map { (strdup($0.0), strdup($0.1)) }
        defer {
            for (keyword, value) in words {
                free(keyword)
                free(value)
            }
        }
        let started = (words.map { UnsafePointer($0.0) } + [nil]).withUnsafeBufferPointer {
            keywords in
            (words.map { UnsafePointer($0.1) } + [nil]).withUnsafeBufferPointer { values in
                farm_pq_start(keywords.baseAddress, values.baseAddress)
            }
        }
        guard let started else { throw JournalStoreError.unknown("no memory") }
        handle = started
        try connect(by: Deadline(seconds: seconds))
    }

    deinit { farm_pq_finish(handle) }

    private func connect(by deadline: Deadline) throws {
        var wanted = Int16(POLLOUT)
        while true {
            let socket = farm_pq_socket(handle)
            if socket >= 0 { try wait(socket, wanted, deadline) }
            switch farm_pq_connect_poll(handle) {
            case 1: wanted = Int16(POLLIN)
            case 2: wanted = Int16(POLLOUT)
            case 3: return
            default: throw JournalStoreError.unknown(error)
            }
        }
    }

    /// Returns whether this connection reaches the database server without a pooler between.
    ///
    /// Behind a pooler, other clients may share a session and its locks.
    func isDirect(seconds: Double) throws -> Bool {
        if let known = direct { return known }
        let rows = try run("SELECT pg_backend_pid()", seconds: seconds)
        let isDirect = rows.first?.number(0) == Int64(farm_pq_backend(handle))
        direct = isDirect
        return isDirect
    }

    /// Runs a statement and returns its rows.
    ///
    /// - Throws: `JournalStoreError.unknown` if no answer came, or if it came with a warning.
    ///   PostgreSQL warns if it stopped waiting for a standby, which may then lack the change.
    func run(
        _ statement: String,
        _ parameters: [PostgresParameter] = [],
        seconds: Double
    ) throws -> PostgresRows {
        let deadline = Deadline(seconds: seconds)
        _ = farm_pq_take_warnings(handle)
        guard send(statement, parameters) != 0 else { throw JournalStoreError.unknown(error) }
        let socket = farm_pq_socket(handle)
        while true {
            let left = farm_pq_flush(handle)
            guard left >= 0 else { throw JournalStoreError.unknown(error) }
            if left == 0 { break }
            try wait(socket, Int16(POLLIN | POLLOUT), deadline)
            guard farm_pq_consume(handle) != 0 else { throw JournalStoreError.unknown(error) }
        }
        var rows = PostgresRows(rows: [])
        var failure: JournalStoreError?
        while true {
            while farm_pq_is_busy(handle) != 0 {
                try wait(socket, Int16(POLLIN), deadline)
                guard farm_pq_consume(handle) != 0 else {
                    throw JournalStoreError.unknown(error)
                }
            }
            guard let result = farm_pq_result(handle) else { break }
            defer { farm_pq_clear(result) }
            if farm_pq_status(result) == 0 {
                failure = failure ?? Self.failure(result)
            } else {
                rows = Self.rows(result)
            }
        }
        if let failure { throw failure }
        guard farm_pq_take_warnings(handle) == 0 else {
            throw JournalStoreError.unknown("it warned that no standby may have the change")
        }
        return rows
    }

    private func send(_ statement: String, _ parameters: [PostgresParameter]) -> Int32 {
        // A text needs a zero byte at its end; bytes have a length.
        let values = parameters.map { parameter in
            switch parameter {
            case .text(let text): Data(text.utf8) + [0]
            case .bytes(let bytes): bytes.isEmpty ? Data([0]) : bytes
            }
        }
        let lengths = parameters.map { parameter -> Int32 in
            switch parameter {
            case .text(let text): Int32(text.utf8.count)
            case .bytes(let bytes): Int32(bytes.count)
            }
        }
        let formats = parameters.map { parameter -> Int32 in
            if case .bytes = parameter { 1 } else { 0 }
        }
        let buffers = values.map { value in
            let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: value.count)
            value.withUnsafeBytes { bytes in
                UnsafeMutableRawPointer(buffer).copyMemory(
                    from: bytes.baseAddress ?? UnsafeRawPointer(buffer),
                    byteCount: bytes.count
                )
            }
            return buffer
        }
        defer { for buffer in buffers { buffer.deallocate() } }
        return buffers.map { UnsafePointer<CChar>?($0) }.withUnsafeBufferPointer { pointers in
            farm_pq_send(
                handle,
                statement,
                Int32(parameters.count),
                pointers.baseAddress,
                lengths,
                formats
            )
        }
    }

    private static func failure(_ result: OpaquePointer) -> JournalStoreError {
        let state = farm_pq_sqlstate(result).map { String(cString: $0) } ?? "08000"
        let text = farm_pq_result_error(result).map { String(cString: $0) } ?? "no reason"
        var words = text.split(whereSeparator: \.isNewline).first.map(String.init) ?? text
        if let level = words.firstRange(of: ":  ") { words.removeSubrange(..<level.upperBound) }
        // 08: connection; 57: the server ends; 25006: it is a standby now. The result is uncertain.
        let isOpen = state.hasPrefix("08") || state.hasPrefix("57") || state == "25006"
        return isOpen ? .unknown(words) : .refused(words)
    }

    private static func rows(_ result: OpaquePointer) -> PostgresRows {
        let columns = farm_pq_columns(result)
        return PostgresRows(
            rows: (0..<farm_pq_rows(result)).map { row in
                (0..<columns).map { column in
                    guard farm_pq_is_null(result, row, column) == 0 else { return nil }
                    let length = Int(farm_pq_length(result, row, column))
                    guard length > 0, let value = farm_pq_value(result, row, column) else {
                        return Data()
                    }
                    return Data(bytes: value, count: length)
                }
            }
        )
    }

    private var error: String {
        let text = String(cString: farm_pq_error(handle))
        return text.split(whereSeparator: \.isNewline).first.map(String.init) ?? "no reason"
    }

    private func wait(_ socket: Int32, _ events: Int16, _ deadline: Deadline) throws {
        while true {
            let left = deadline.millisecondsLeft
            guard left > 0 else { throw JournalStoreError.unknown("no answer in time") }
            var descriptor = pollfd(fd: socket, events: events, revents: 0)
            let count = poll(&descriptor, 1, Int32(min(left, 1000)))
            if count > 0 { return }
            guard count == 0 || errno == EINTR else {
                throw JournalStoreError.unknown(String(cString: strerror(errno)))
            }
        }
    }
}

/// A deadline by a clock that cannot be set.
private struct Deadline {
    private let end: ContinuousClock.Instant

    init(seconds: Double) { end = .now + .seconds(seconds) }

    var millisecondsLeft: Int64 {
        let left = ContinuousClock.now.duration(to: end)
        return left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000
    }
}
