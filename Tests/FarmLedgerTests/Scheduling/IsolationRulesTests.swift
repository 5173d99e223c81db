import FarmCore
import Testing

@testable import FarmLedger

@Suite("Which work a worker gets beside what must run isolated")
struct IsolationRulesTests {
    private func cell(count: Int = 0, isolated: Int = 0) -> WaitingCell {
        WaitingCell(job: JobName("j"), cell: .host, count: count, isolated: isolated)
    }
    private func choice(_ company: LeaseCompany) -> ClaimChoice {
        ClaimChoice(job: JobName("j"), cell: .host, size: 1, company: company)
    }

    @Test("beside an isolated lease its host begins nothing else")
    func isolatedHost() {
        let host = HostState(leases: 1, isIsolated: true)
        for company in [LeaseCompany.others, .alone, .isolated] {
            let step = IsolationRules.step(
                choice: choice(company),
                waiting: [cell(count: 1, isolated: 1)],
                host: host
            )
            #expect(step == .nothing)
        }
    }

    @Test("isolated work waits for its host, and other work does not")
    func waits() {
        let busy = HostState(leases: 1)
        let isolated = [cell(isolated: 1)]
        #expect(
            IsolationRules.step(choice: choice(.isolated), waiting: isolated, host: busy) == .wait
        )
        #expect(
            IsolationRules.step(choice: choice(.isolated), waiting: isolated, host: HostState())
                == .lease(choice(.isolated))
        )
        #expect(
            IsolationRules.step(choice: choice(.others), waiting: [cell(count: 1)], host: busy)
                == .lease(choice(.others))
        )
        #expect(IsolationRules.step(choice: nil, waiting: [], host: busy) == .nothing)
    }

    @Test("a host that is awaited works only for runs with isolated work")
    func awaited() {
        let host = HostState(leases: 1, isAwaited: true)
        let other = choice(.others)
        #expect(
            IsolationRules.step(choice: other, waiting: [cell(count: 1)], host: host) == .nothing
        )
        #expect(
            IsolationRules.step(choice: other, waiting: [cell(count: 1, isolated: 1)], host: host)
                == .lease(other)
        )
    }
}
