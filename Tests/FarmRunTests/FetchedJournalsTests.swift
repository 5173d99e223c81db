// Tests of the pause between two fetches of a journal for a page.
import FarmCore
import Testing

@testable import FarmRun

@Suite("Journals that were fetched")
struct FetchedJournalsTests {
    @Test("views of one minute ask a host once, and each store by itself")
    func once() {
        let journals = FetchedJournals()
        let now = ContinuousClock.now
        #expect(journals.isDue("a", now: now))
        // The pause holds even while that fetch hangs.
        #expect(!journals.isDue("a", now: now))
        #expect(journals.isDue("b", now: now))
        #expect(!journals.isDue("a", now: now + .seconds(59)))
        #expect(journals.isDue("a", now: now + .seconds(60)))
        #expect(!journals.isDue("a", now: now + .seconds(61)))
    }
}
