// How one call is tried: at each coordinator in turn, then again after a pause, as long as the
// client has patience. Every call may come twice, so one that got no answer is sent again.
import AsyncHTTPClient
import FarmCore
import Foundation
import NIOCore
import NIOHTTP1

/// What one attempt brought.
enum Attempt<Value> {
    case answered(Value)
    /// A status over 499, and what the coordinator said with it.
    case failed(HTTPResponseStatus, HTTPHeaders, Data)
}

extension CoordinatorClient {
    /// Calls until there is an answer; `once` is given the coordinator to ask.
    ///
    /// What `once` throws as an `ExplainedError`, and what the disk says, ends it; a connection that
    /// breaks is tried again.
    func attempting<Value>(
        _ once: (String) async throws -> Attempt<Value>
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
                    // The disk's, not the network's.
                    throw error
                } catch {
                    fault = ConnectionFault(error)
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

    /// What a status over 499 means; throws where asking again changes nothing.
    private func fault(
        _ status: HTTPResponseStatus,
        _ body: Data,
        at place: String,
        _ tries: RetryPolicy.Tries
    ) throws -> ConnectionFault {
        let refusal = try? JSONDecoder().decode(ErrorBody.self, from: body)
        guard status == .serviceUnavailable else {
            // What a coordinator that works answers twice it will answer again; for a full disk
            // somebody may make room.
            let mayChange = status == .insufficientStorage && !tries.isLast
            if let refusal, tries.isPatient, !mayChange { throw APIError(refusal) }
            return .status(status.code)
        }
        guard let refusal else { return .status(status.code) }
        if refusal.problem.code == Routes.noLeaderCode {
            return .noLeader(reason: Self.reason(in: refusal.problem.message))
        }
        // One that is busy says why; one that is being stopped is waited for.
        if tries.isLast { throw APIError(refusal) }
        if refusal.problem.code == Routes.bucketAwayCode {
            return .elsewhere(host: "the bucket", reason: "does not answer")
        }
        return .status(status.code)
    }

    /// Returns why a coordinator knows of no leader, out of its message; `nil` where it gives no reason.
    private static func reason(in message: String) -> String? {
        let start = "\(Routes.noLeaderWords): "
        guard message.hasPrefix(start) else { return nil }
        let reason = message.dropFirst(start.count)
        return String(reason.hasSuffix(".") ? reason.dropLast() : reason)
    }

    /// Seconds that the coordinator asks for, within the limits of a pause.
    private static func hint(_ headers: HTTPHeaders) -> Double {
        let seconds = headers.first(name: "retry-after").flatMap { Int($0) } ?? 0
        return min(max(0, Double(seconds)), FarmLimits.retryPauseSecondsMax)
    }
}

extension APIError {
    fileprivate init(_ body: ErrorBody) { self = .refused(body.problem, body.exit) }

    /// Why none of those asked has answered.
    fileprivate static func of(_ asked: [AskedCoordinator]) -> APIError {
        if asked.count == 1, let only = asked.first, !only.fault.isLeaderless {
            return .unreachable(url: only.url, only.fault)
        }
        return .nobodyLeads(asked)
    }
}
