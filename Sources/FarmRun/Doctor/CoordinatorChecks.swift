// The doctor's checks of a coordinator: whether it answers, what the token allows, which workers
// fit, and whether the clocks agree.
import FarmAPI
import FarmCore
import FarmPipeline
import Foundation

struct CoordinatorChecks: Sendable {
    let url: String
    let environment: [String: String]
    /// The pipeline that the user would submit, or `nil` if there is none yet.
    let pipeline: Pipeline?

    var check: HealthCheck {
        HealthCheck(
            "coordinator",
            at: url,
            seconds: FarmLimits.healthFarSeconds,
            late: .failure
        ) {
            await lines()
        }
    }

    private func lines() async -> [HealthLine] {
        let token = environment["SNAPFARM_TOKEN"] ?? ""
        let client: CoordinatorClient
        do {
            // A placeholder for a missing token still shows whether the coordinator answers.
            let known = ["SNAPFARM_TOKEN": token.isEmpty ? "none" : token]
            client = try RemoteCoordinator(
                url: url,
                environment: environment.merging(known) { $1 }
            ).client(patience: .once)
        } catch {
            return [.failure("coordinator", error)]
        }
        let lines = await lines(client, hasToken: !token.isEmpty)
        await client.close()
        return lines
    }

    private func lines(_ client: CoordinatorClient, hasToken: Bool) async -> [HealthLine] {
        let clock: HealthLine
        do {
            let date = try await client.date()
            clock = MachineHealth.clock(ahead: date.flatMap(Self.ahead))
        } catch {
            return [.failure("coordinator", error)]
        }
        let certificate = await self.certificate(client.places.current)
        guard hasToken else {
            return [.ok("coordinator", "\(client.places.current) answers"), clock] + certificate
                + [.failure("token", RemoteCoordinatorError.noToken)]
        }
        let token: TokenReply
        do {
            token = try await client.token()
        } catch {
            return [.ok("coordinator", "\(client.places.current) answers"), clock] + certificate
                + [.failure("token", error)]
        }
        let grant = token.grant
        let head =
            [line(token, of: client.places.current), clock] + certificate
            + [CoordinatorHealth.token(grant, handsIn: pipeline != nil)]
        guard grant.allows([.read, .submit]) else { return head }
        return head + [await workers(client)]
    }

    /// Returns the doctor's line about the coordinator's certificate; none for a coordinator
    /// without TLS.
    private func certificate(_ url: String) async -> [HealthLine] {
        guard let life = await PeerCertificate.life(at: url) else { return [] }
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        return [CoordinatorHealth.certificate(life, now: now)]
    }

    private func line(_ token: TokenReply, of url: String) -> HealthLine {
        let fact = "\(url) is snapfarm \(token.program)"
        guard token.program != ProgramVersion.text else { return .ok("coordinator", fact) }
        return .ok("coordinator", fact + ", here is \(ProgramVersion.text); they can work together")
    }

    private func workers(_ client: CoordinatorClient) async -> HealthLine {
        do {
            let listed = try await client.workers(limit: FarmLimits.listMax)
            let live = listed.filter { $0.state == .live }
                .map { OfferingWorker($0.worker, $0.offer ?? WorkerOffer()) }
            return CoordinatorHealth.workers(live, needs: pipeline?.needsOfCells ?? [])
        } catch {
            return .failure("workers", error)
        }
    }

    /// Returns the seconds by which this machine's clock is ahead of an HTTP date (RFC 9110,
    /// 5.6.7), or `nil` for a text that is no such date.
    private static func ahead(of text: String) -> Double? {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "GMT")
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return format.date(from: text).map { Date().timeIntervalSince($0) }
    }
}

extension Pipeline {
    /// The needs of each cell of each job of the pipeline, as far as they are known before
    /// discovery.
    fileprivate var needsOfCells: [Needs] {
        jobs.flatMap { job in
            job.cells.map { cell in
                Needs((job.needs?.all ?? []) + (cell.device?.needs?.all ?? []))
            }
        }
    }
}
