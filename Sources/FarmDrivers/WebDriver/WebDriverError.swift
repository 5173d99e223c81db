// What can go wrong with the browser as a whole, and with one scene. The first is thrown, the
// second becomes the scene's ending.
import FarmCore

/// Why scenes cannot be captured at all.
package enum WebDriverError: ExplainedError, Equatable {
    case browserMissing(program: String)
    case browserNotStarted(reason: String)
    case deviceMissing(job: String)
    case scenesUnreadable(path: String)
    /// Files that scenes show, relative to the work tree.
    case pagesMissing([String])
    case folderUnwritable(path: String, reason: String)

    package var code: String {
        switch self {
        case .browserMissing: "browser-missing"
        case .browserNotStarted: "browser-not-started"
        case .deviceMissing: "device-missing"
        case .scenesUnreadable: "scenes-unreadable"
        case .pagesMissing: "page-not-found"
        case .folderUnwritable: "folder-unwritable"
        }
    }

    package var message: String {
        switch self {
        case .browserMissing(let program): "\(program) is not installed."
        case .browserNotStarted(let reason): "the browser did not start: \(reason)."
        case .deviceMissing(let job): "job \(job) captures scenes, but has no devices."
        case .scenesUnreadable(let path): "the scenes file \(path) cannot be read."
        case .folderUnwritable(let path, let reason):
            "\(path) could not be written: \(reason)."
        case .pagesMissing(let pages) where pages.count == 1:
            "a scene shows \(pages[0]), which is not there."
        case .pagesMissing(let pages):
            "scenes show \(pages.count) files that are not there: "
                + pages.prefix(Self.pagesNamedMax).joined(separator: ", ")
                + (pages.count > Self.pagesNamedMax ? " …" : "") + "."
        }
    }

    private static let pagesNamedMax = 5

    package var remedy: String {
        switch self {
        case .browserMissing:
            "Run `apt-get install -y chromium-driver chromium-headless-shell fonts-noto-cjk`, or "
                + "set SNAPFARM_CHROMIUM and SNAPFARM_CHROMEDRIVER to their paths."
        case .browserNotStarted:
            "Try again; if it stays, start `chromedriver` and the browser by hand to see why."
        case .deviceMissing: "Add `devices:` with their sizes to the pipeline."
        case .scenesUnreadable:
            "Check `scenes:` of the job; it starts at the pipeline file's folder."
        case .folderUnwritable: "Check the permissions and the space of that folder."
        case .pagesMissing:
            "Correct `file` in the scenes file (it starts at that file's folder), or build the pages "
                + "before the run."
        }
    }

    package var exit: ExitCode {
        switch self {
        case .browserMissing: .configuration
        case .browserNotStarted: .busy
        case .deviceMissing, .scenesUnreadable, .pagesMissing: .invalidInput
        case .folderUnwritable: .inputOutput
        }
    }
}

/// Why one scene has no picture.
package enum SceneError: ExplainedError, Equatable {
    case sceneMissing(TestID)
    /// No file, or an answer of 404 or 410.
    case pageNotFound(address: String, status: Int?)
    case pageError(address: String, reason: String)
    case waitTimedOut(condition: String, seconds: Double)
    case elementMissing(selector: String)
    case elementTooLarge(selector: String, size: String)
    case wrongSize(expected: PixelSize, actual: PixelSize)
    case notPicture
    case timedOut(seconds: Double)
    case browserDied(reason: String)

    package var code: String {
        switch self {
        case .sceneMissing: "scene-missing"
        case .pageNotFound: "page-not-found"
        case .pageError: "page-error"
        case .waitTimedOut: "wait-timed-out"
        case .elementMissing: "element-missing"
        case .elementTooLarge: "element-too-large"
        case .wrongSize, .notPicture: "capture-wrong-size"
        case .timedOut: "test-timed-out"
        case .browserDied: "browser-died"
        }
    }

    package var message: String {
        switch self {
        case .sceneMissing(let test): "the scenes file has no scene \(test)."
        case .pageNotFound(let address, let status):
            "\(address) was not found" + (status.map { " (status \($0))." } ?? ".")
        case .pageError(let address, let reason): "\(address) could not be shown: \(reason)."
        case .waitTimedOut(let condition, let seconds):
            "the page was not ready after \(brief(seconds)) s: \(condition)."
        case .elementMissing(let selector): "the page has no visible element \"\(selector)\"."
        case .elementTooLarge(let selector, let size):
            "the element \"\(selector)\" is \(size) pixels large."
        case .wrongSize(let expected, let actual):
            "the capture has \(actual) pixels instead of \(expected)."
        case .notPicture: "the browser's capture is not a PNG."
        case .timedOut(let seconds): "the scene took longer than \(brief(seconds)) s."
        case .browserDied(let reason):
            "the browser died twice while it showed the scene: \(reason)."
        }
    }

    package var remedy: String {
        switch self {
        case .sceneMissing: "The file changed after discovery; run again."
        case .pageNotFound: "Check `file` or `url` of the scene, and that its server runs."
        case .pageError: "Open the page in a browser, and check the scene's selectors and function."
        case .waitTimedOut: "Check `wait` of the scene, or raise `timeout: {test: …}` of the job."
        case .elementMissing: "Check `element` of the scene."
        case .elementTooLarge: "Capture at most \(FarmLimits.picturePixelsMax) pixels at once."
        case .wrongSize, .notPicture:
            "Check width, height and scale of the device: points × scale must be whole pixels."
        case .timedOut: "See whether the page loops, or raise `timeout: {test: …}` of the job."
        case .browserDied: "See the lease's log; the page may need more memory than there is."
        }
    }

    package var exit: ExitCode { .differences }

    private func brief(_ seconds: Double) -> String {
        seconds == seconds.rounded() ? "\(Int(seconds))" : "\((seconds * 10).rounded() / 10)"
    }
}
