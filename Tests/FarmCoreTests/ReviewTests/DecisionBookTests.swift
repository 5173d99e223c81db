import FarmCore
import Foundation
import Testing

@Suite("What counts of decisions")
struct DecisionBookTests {
    private func decision(
        _ kind: Decision.Kind,
        _ capture: String = "one",
        reference: String? = "reference"
    ) throws -> Decision {
        Decision(
            kind: kind,
            pipeline: "p",
            snapshot: try SnapshotID(cell: CellID("c"), suite: "S", name: "a"),
            capture: Digest(of: Data(capture.utf8)),
            reference: reference.map { ObjectID(ofBlob: Data($0.utf8)) },
            reason: "",
            who: "ada",
            when: 1,
            run: "r"
        )
    }

    @Test(
        "the newest decision stands, until it is withdrawn; what is published stays so",
        arguments: [
            ([], nil), ([.rejected], .rejected), ([.rejected, .accepted], .accepted),
            ([.accepted, .withdrawn], nil), ([.withdrawn], nil),
            ([.rejected, .commented], .rejected), ([.commented], nil),
            ([.accepted, .published, .withdrawn], .published),
            ([.rejected, .withdrawn, .commented, .rejected], .rejected),
        ] as [([Decision.Kind], Decision.Kind?)]
    )
    func newest(_ kinds: [Decision.Kind], _ stands: Decision.Kind?) throws {
        let all = try kinds.map { try decision($0) }
        let subject = try decision(.rejected).subject
        let book = DecisionBook(all)
        #expect(book.standing[subject]?.kind == stands)
        #expect((book.comments[subject] ?? []).count == kinds.count { $0 == .commented })
        var grown = DecisionBook()
        for one in all { grown.add([one]) }
        #expect(grown.standing == book.standing)
    }

    @Test("a decision is about one capture against one reference, in whatever run")
    func subject() throws {
        var later = try decision(.rejected)
        later.run = "later"
        let book = DecisionBook([try decision(.rejected)])
        #expect(book.standing[later.subject] != nil)
        let others = [
            try decision(.rejected, "two"), try decision(.rejected, reference: "other"),
            try decision(.rejected, reference: nil),
        ]
        for other in others { #expect(book.standing[other.subject] == nil) }
    }
}
