// The tests' own words in a report. Each appears once: beside a picture, or in the list of tests.
import FarmCore

/// The messages of a run's tests, by their place in a report.
struct TestWords {
    /// The tests that need an entry of their own, because no open picture shows their message:
    /// failed, errored, unreached, flaky, without a verdict, or with a message about pictures that
    /// are not shown.
    let listed: [TestSummary]
    private let besidePictures: [TestCauses.PictureOwner: String]

    init(_ summary: RunSummary) {
        let shown = Set(summary.openPictures.lazy.map { TestCauses.PictureOwner(of: $0) })
        var listed: [TestSummary] = []
        var besidePictures: [TestCauses.PictureOwner: String] = [:]
        for test in summary.tests where test.needsWords {
            let owner = TestCauses.PictureOwner(test)
            if test.isAboutPictures, shown.contains(owner) {
                besidePictures[owner] = test.message
            } else {
                listed.append(test)
            }
        }
        self.listed = listed
        self.besidePictures = besidePictures
    }

    /// Returns the message of the test that made a picture, for the place beside this picture;
    /// empty if the test has none.
    func beside(_ picture: SnapshotSummary) -> String {
        besidePictures[TestCauses.PictureOwner(of: picture)] ?? ""
    }
}

extension TestSummary {
    fileprivate var needsWords: Bool {
        switch verdict {
        case nil, .failed, .errored, .unreached, .flaky: true
        case .passed, .inherited: false
        case .changed, .moved, .new, .missing: !message.isEmpty
        }
    }
}
