// What tests say beside their pictures: each is told once, where a person looks for it.
import FarmCore

/// The words of a run's tests, by where they belong.
struct TestWords {
    private struct Owner: Hashable {
        let job: String
        let cell: String
        let test: String
    }

    /// Tests that no picture shows and that have something to say: failed, errored, flaky, or
    /// without a verdict.
    let listed: [TestSummary]
    private let besidePictures: [Owner: String]

    init(_ summary: RunSummary) {
        let shown = Set(
            summary.openPictures.lazy
                .map { Owner(job: $0.job, cell: $0.cell, test: $0.test) }
        )
        var listed: [TestSummary] = []
        var besidePictures: [Owner: String] = [:]
        for test in summary.tests where test.needsWords {
            let owner = Owner(job: test.job, cell: test.cell, test: test.test)
            if test.isAboutPictures, shown.contains(owner) {
                besidePictures[owner] = test.message
            } else {
                listed.append(test)
            }
        }
        self.listed = listed
        self.besidePictures = besidePictures
    }

    /// What the test that made an open picture says of it; empty where that is nothing.
    func beside(_ picture: SnapshotSummary) -> String {
        besidePictures[Owner(job: picture.job, cell: picture.cell, test: picture.test)] ?? ""
    }
}

extension TestSummary {
    fileprivate var needsWords: Bool {
        switch verdict {
        case nil, .failed, .errored, .unreached, .flaky: true
        case .passed: false
        case .changed, .moved, .new, .missing: !message.isEmpty
        }
    }
}
