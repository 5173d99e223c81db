// Several sets that follow each other.
import FarmCore
import FarmReferences
import Foundation

/// Sets of the cell `a`, recorded over each other, with journal entries 100 seconds apart.
package struct History {
    package var pins: [ReferencePin] = []
    package var sets: [ObjectID] = []

    package init(_ fixture: StoreFixture, _ steps: [[String: String]]) throws {
        for (index, pictures) in steps.enumerated() {
            let made = try fixture.record(
                [try fixture.recording("a", pictures)],
                over: pins.last ?? ReferencePin()
            )
            try fixture.store.appendJournal(
                set: made.set,
                pin: made.pin,
                title: "entry \(index)",
                trailers: [JournalTrailer("Snapfarm-Recorder", "Ann")],
                files: ["catalogue/x/y.md": Data("x".utf8)],
                now: Date(timeIntervalSince1970: 1_700_000_000 + Double(index) * 100)
            )
            pins.append(made.pin)
            sets.append(made.set)
        }
    }
}
