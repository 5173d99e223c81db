// The webhooks of a coordinator: signed calls about its events. Each receiver has its own queue, so
// a slow or dead receiver delays no other, and never the coordinator.
//
// Invariants
//   - Hearing an event never waits; events that do not fit into a full queue are dropped and
//     counted.
//   - All attempts of one event carry the same id and body.
import AsyncHTTPClient
import FarmCore
import Foundation
import NIOCore
import NIOHTTP1
import Synchronization

/// A receiver of a coordinator's webhooks.
package struct WebhookReceiver: Sendable {
    package let url: String
    /// The secret that signs each call.
    package let secret: String
    package let events: Set<FarmEvent.Kind>

    /// The host in the receiver's address, without path and query, which may be secret.
    var host: String {
        let parts = url.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        return parts.count == 3 ? String(parts[2].prefix { $0 != "/" && $0 != "?" }) : url
    }
}

/// The webhook call about one event.
struct WebhookCall: Sendable {
    let id: String
    let event: FarmEvent.Kind
    let body: Data

    init(_ event: FarmEvent, id: String) throws {
        struct Message: Encodable {
            let id: String
            let event: FarmEvent

            enum CodingKeys: String, CodingKey {
                case id, version
            }
            func encode(to encoder: any Encoder) throws {
                try event.encode(to: encoder)
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(id, forKey: .id)
                try container.encode(1, forKey: .version)
            }
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        self.id = id
        self.event = event.event
        body = try encoder.encode(Message(id: id, event: event))
    }
}

/// Queues a coordinator's events, and sends them to all receivers.
package final class Webhooks: Sendable {
    private struct Line: Sendable {
        let receiver: WebhookReceiver
        let calls: AsyncStream<WebhookCall>
        let queue: AsyncStream<WebhookCall>.Continuation
    }
    private let lines: [Line]
    /// The number of events dropped since the last message about it, by the receiver's index in
    /// `lines`.
    private let dropped = Mutex<[Int: Int]>([:])
    private let now: @Sendable () -> Int64
    private let newID: @Sendable () -> String
    private let pause: @Sendable (Double) async throws -> Void
    private let say: @Sendable (String) -> Void

    /// Creates the queues of all receivers.
    ///
    /// `now` returns seconds since 1970, `newID` an id that no other event has, `pause` waits for a
    /// number of seconds, and `say` prints errors.
    init(
        _ receivers: [WebhookReceiver],
        now: @escaping @Sendable () -> Int64,
        newID: @escaping @Sendable () -> String,
        pause: @escaping @Sendable (Double) async throws -> Void,
        say: @escaping @Sendable (String) -> Void
    ) {
        lines = receivers.map { receiver in
            let (calls, queue) = AsyncStream.makeStream(
                of: WebhookCall.self,
                bufferingPolicy: .bufferingOldest(FarmLimits.webhookQueueMax)
            )
            return Line(receiver: receiver, calls: calls, queue: queue)
        }
        self.now = now
        self.newID = newID
        self.pause = pause
        self.say = say
    }

    /// Queues an event for all receivers that want it; returns at once.
    package func enqueue(_ event: FarmEvent) {
        let wanting = lines.enumerated().filter { $0.element.receiver.events.contains(event.event) }
        guard !wanting.isEmpty, let call = try? WebhookCall(event, id: newID()) else { return }
        for (place, line) in wanting {
            if case .dropped = line.queue.yield(call) {
                dropped.withLock { $0[place, default: 0] += 1 }
            }
        }
    }

    /// Sends queued events until it is cancelled; events still queued then are lost.
    package func run() async {
        guard !lines.isEmpty else { return }
        var configuration = HTTPClient.Configuration()
        configuration.timeout.connect = .seconds(Int64(FarmLimits.webhookAnswerSeconds))
        // A redirect would send the event to an address that is not in the configuration.
        configuration.redirectConfiguration = .disallow
        let http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        await withDiscardingTaskGroup { group in
            for (place, line) in lines.enumerated() {
                group.addTask {
                    for await call in line.calls {
                        await self.send(call, to: line.receiver, http)
                        self.sayDropped(place)
                    }
                }
            }
        }
        try? await http.shutdown()
    }

    private func sayDropped(_ place: Int) {
        let count = dropped.withLock { $0.removeValue(forKey: place) ?? 0 }
        guard count > 0 else { return }
        say("webhook \(lines[place].receiver.host): \(count) events were dropped: it is too slow")
    }

    /// Sends one event to a receiver until it is accepted or refused, or no attempt is left.
    private func send(
        _ call: WebhookCall,
        to receiver: WebhookReceiver,
        _ http: HTTPClient
    ) async {
        var wait = FarmLimits.webhookPauseSeconds
        for attempt in 1...FarmLimits.webhookAttemptsMax {
            guard !Task.isCancelled else { return }
            let problem = await problem(of: call, to: receiver, http)
            guard let problem else { return }
            let isLast = attempt == FarmLimits.webhookAttemptsMax || !problem.passes
            guard !isLast else {
                return say(
                    "webhook \(receiver.host): \(call.event.rawValue) \(call.id) was given up "
                        + "after \(attempt) attempts: \(problem.words)"
                )
            }
            guard (try? await pause(wait)) != nil else { return }
            wait *= 4
        }
    }

    private struct Fault {
        let words: String
        /// Whether the fault may pass, so that another attempt may help.
        let passes: Bool
    }

    /// Sends the call once; returns the fault, or `nil` if the receiver accepted the call.
    private func problem(
        of call: WebhookCall,
        to receiver: WebhookReceiver,
        _ http: HTTPClient
    ) async -> Fault? {
        var request = HTTPClientRequest(url: receiver.url)
        request.method = .POST
        request.headers = [
            "Content-Type": "application/json",
            "User-Agent": "snapfarm",
            "Snapfarm-Event": call.event.rawValue,
            "Snapfarm-Delivery": call.id,
            "Snapfarm-Signature": WebhookSignature.header(
                call.body,
                secret: receiver.secret,
                seconds: now()
            ),
        ]
        request.body = .bytes(call.body)
        do {
            // The body of the answer is not needed, and not read.
            let limit = TimeAmount.seconds(Int64(FarmLimits.webhookAnswerSeconds))
            let status = Int(try await http.execute(request, timeout: limit).status.code)
            if (200...299).contains(status) { return nil }
            let passes = status >= 500 || [408, 425, 429].contains(status)
            return Fault(words: "it answered \(status)", passes: passes)
        } catch {
            return Fault(words: "it cannot be reached: \(error.inWords)", passes: true)
        }
    }
}
