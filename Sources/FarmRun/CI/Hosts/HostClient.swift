// The client of a Git host: commit statuses here, the comment in HostClient+Comment.swift.
// `GitHost` makes the requests. A call may be sent twice without harm. `HostRules` limits the
// waits.
import AsyncHTTPClient
import FarmCore
import Foundation
import NIOCore
import NIOHTTP1

/// Calls the REST API of a Git host.
package struct HostClient: Sendable {
    let place: HostPlace
    let host: any GitHost
    private let token: String
    private let http: HTTPClient
    let now: @Sendable () -> Double
    let pause: @Sendable (Double) async throws -> Void

    /// The most pages of comments or statuses that are read.
    static let pagesMax = 20
    /// The most times that a text of several jobs is read back and written again.
    static let roundsMax = 8
    private static let answerBytesMax = 16 << 20

    /// Creates a client; `now` returns seconds since 1970, and `pause` waits for a number of
    /// seconds.
    init(
        place: HostPlace,
        token: String,
        now: @escaping @Sendable () -> Double,
        pause: @escaping @Sendable (Double) async throws -> Void
    ) {
        self.place = place
        host = place.host
        self.token = token
        self.now = now
        self.pause = pause
        var configuration = HTTPClient.Configuration()
        configuration.timeout.connect = .seconds(10)
        // A redirect would send the token to another address.
        configuration.redirectConfiguration = .disallow
        http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// Closes the connections; the client cannot be used afterwards.
    package func close() async { try? await http.shutdown() }

    /// Sets the status of this place's commit.
    package func set(_ status: CommitStatus) async throws {
        let call = "the commit status"
        do {
            try await send(try host.setStatus(status, of: place.commit), as: call)
        } catch HostError.refused(_, _, 400, let reason)
            where host.isThere(status, reason: reason)
        {
            // The status is set already.
        }
    }

    /// Sets the status of a run and, for a part of its pipeline, also the pipeline's.
    ///
    /// Parts that end at the same time do not see each other's status. So the pipeline's status is
    /// read back and set again until it agrees with the parts.
    package func show(
        _ summary: RunSummary,
        rejected: RejectedPictures = RejectedPictures(),
        page: String? = nil
    ) async throws {
        let page = page ?? place.page
        try await set(CommitStatus(summary, rejected: rejected, page: page))
        guard summary.run.partName != nil else { return }
        for _ in 1...Self.roundsMax {
            let known = try await statuses()
            let whole = CommitStatus.ofParts(
                of: summary.run.pipeline,
                known: known,
                page: page
            )
            let shown = known.first { $0.context == whole.context }
            if let shown, host.says(shown, for: whole) { return }
            try await set(whole)
        }
    }

    /// Returns the newest status of each context of the commit.
    private func statuses() async throws -> [CommitStatus] {
        try await all(as: "the statuses of the commit") {
            host.statuses(of: place.commit, page: $0)
        } read: {
            host.readStatuses($0)
        }
    }

    // MARK: calls

    /// Returns the items of a list's pages, up to the first page with an item for which `ends` is
    /// true.
    func all<Item>(
        as call: String,
        _ request: (Int) throws -> HostRequest,
        read: (Data) -> HostPage<Item>?,
        ends: (Item) -> Bool = { _ in false }
    ) async throws -> [Item] {
        var all: [Item] = []
        for page in 1...Self.pagesMax {
            let bytes = try await send(try request(page), as: call)
            guard let found = read(Data(bytes)) else {
                throw HostError.unreadable(host.kind, call: call)
            }
            all += found.items
            if found.isLast || found.items.contains(where: ends) { break }
        }
        return all
    }

    @discardableResult
    func send(_ request: HostRequest, as call: String) async throws -> [UInt8] {
        for attempt in 1... {
            let answer = try await exchange(request, as: call)
            if (200...299).contains(answer.status) { return answer.body }
            guard let wait = HostRules.retry(answer, attempt: attempt, now: now()) else {
                throw HostError(host.kind, answer, call: call, reason: reason(answer))
            }
            try await pause(wait)
        }
        throw HostError.unreachable(host.kind, call: call, reason: "it was sent too often")
    }

    func exchange(_ call: HostRequest, as name: String) async throws -> HostAnswer {
        guard WebAddress(place.api) != nil else {
            throw HostError.unreachable(
                host.kind,
                call: name,
                reason: "\(place.api) is no http or https address of a host"
            )
        }
        var request = HTTPClientRequest(url: place.api + call.path)
        request.method = call.method
        for (name, value) in host.headers(token: token) {
            request.headers.add(name: name, value: value)
        }
        request.headers.add(name: "User-Agent", value: "snapfarm")
        if let body = call.body {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(body)
        }
        do {
            let response = try await http.execute(request, timeout: .seconds(30))
            let bytes = try await response.body.collect(upTo: Self.answerBytesMax)
            let headers = response.headers.map { ($0.name.lowercased(), $0.value) }
            return HostAnswer(
                status: Int(response.status.code),
                headers: Dictionary(headers, uniquingKeysWith: { first, _ in first }),
                body: Array(bytes.readableBytesView)
            )
        } catch let error as CancellationError {
            throw error
        } catch {
            throw HostError.unreachable(host.kind, call: name, reason: error.inWords)
        }
    }

    /// Returns the reason in the host's answer as one line of at most 300 characters.
    func reason(_ answer: HostAnswer) -> String {
        guard let words = host.reason(Data(answer.body)) else { return "no reason given" }
        let line = words.unicodeScalars.prefix(300).map { $0.value < 32 ? " " : $0 }
        return String(String.UnicodeScalarView(line))
    }
}
