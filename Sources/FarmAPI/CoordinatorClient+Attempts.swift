// The attempts of one call: at each coordinator in turn, then again after a pause, within the
// client's patience. Every call may come twice, so one without an answer is sent again.
import AsyncHTTPClient
import FarmCore
import Foundation
import NIOCore
import NIOHTTP1

/// The result of one attempt of a call.
enum CallAttempt<Value> {
    case answered(Value)
    /// The coordinator answered with a status over 499, with these headers and this body.
    case failed(HTTPResponseStatus, HTTPHeaders, Data)
}

extension CoordinatorClient {
    /// Makes attempts of a call until there is an answer; `once` makes one, given a coordinator's
    /// URL.
    ///
    /// An `ExplainedError` or an error of the disk ends the attempts; after a broken connection
    /// they go on.
    func attempting<Value>(
        _ once: (String) async throws -> CallAttempt<Value>
    ) async throws -> Value {
        var tries = patience.begin()
        var asked: [AskedCoordinator] = []
        while try await tries.next() {
            asked = []
            for place in places.byTurn {
                let fault: ConnectionFault
                do {
                    switch try await once(place) {
                    case .answered(let value):
                        places.stay(at: place)
                        return value
                    case .failed(let status, let headers, let body):
                        fault = try self.fault(status, body, at: place, tries)
                        if status == .serviceUnavailable { tries.pauses(for: Self.hint(headers)) }
                    }
                } catch let error as any ExplainedError {
                    throw error
                } catch is CancellationError {
                    throw CancellationError()
                } catch let error as CocoaError {
                    // An error of the disk, not of the network.
                    throw error
                } catch {
                    fault = await ConnectionFault.of(error, at: place)
                }
                asked.append(AskedCoordinator(url: place, fault: fault))
            }
            tries.isLeaderless = asked.contains(where: \.fault.isLeaderless)
            tries.isBucketAway = asked.contains { $0.fault.isElsewhere }
            guard asked.contains(where: { patience.goesOn(after: $0.fault) }) else { break }
            if tries.isBucketAway { patience.onBucketAway() }
        }
        throw APIError.of(asked)
    }

    /// Returns the fault behind a status over 499; throws if a retry changes nothing.
    private func fault(
        _ status: HTTPResponseStatus,
        _ body: Data,
        at place: String,
        _ tries: RetryPolicy.Tries
    ) throws -> ConnectionFault {
        let refusal = try? JSONDecoder().decode(ErrorBody.self, from: body)
        guard status == .serviceUnavailable else {
            // A working coordinator repeats its answer, so further tries are no use; but a full
            // disk may get room.
            let mayChange = status == .insufficientStorage && !tries.isLast
            if let refusal, tries.hasUsedMinimum, !mayChange { throw APIError(refusal) }
            return .status(status.code)
        }
        guard let refusal else { return .status(status.code) }
        if refusal.problem.code == Routes.noLeaderCode {
            return .noLeader(reason: Self.reason(in: refusal.problem.message))
        }
        // The last try throws the coordinator's reason. Before that, one that is busy or stopping
        // is worth a retry.
        if tries.isLast { throw APIError(refusal) }
        if refusal.problem.code == Routes.bucketAwayCode {
            return .elsewhere(host: "the bucket", reason: "does not answer")
        }
        return .status(status.code)
    }

    /// Returns the reason in a coordinator's message that no coordinator leads, or `nil` if the
    /// message has none.
    private static func reason(in message: String) -> String? {
        let start = "\(Routes.noLeaderWords): "
        guard message.hasPrefix(start) else { return nil }
        let reason = message.dropFirst(start.count)
        return String(reason.hasSuffix(".") ? reason.dropLast() : reason)
    }

    /// Returns the seconds after which the coordinator suggests another attempt, within the limits
    /// of a pause.
    private static func hint(_ headers: HTTPHeaders) -> Double {
        let seconds = headers.first(name: "retry-after").flatMap { Int($0) } ?? 0
        return min(max(0, Double(seconds)), FarmLimits.retryPauseSecondsMax)
    }
}

extension APIError {
    fileprivate init(_ body: ErrorBody) { self = .refused(body.problem, body.exit) }

    /// Returns the error of a call that no coordinator in `asked` answered.
    fileprivate static func of(_ asked: [AskedCoordinator]) -> APIError {
        if asked.count == 1, let only = asked.first, !only.fault.isLeaderless {
            return .unreachable(url: only.url, only.fault)
        }
        return .nobodyLeads(asked)
    }
}
