// The errors of the browser as a whole, and of one scene. The former are thrown; the latter become
// the scene's ending.
import FarmCore

/// The reason why scenes cannot be captured at all.
package enum WebDriverError: ExplainedError, Equatable {
    case browserMissing(program: String)
    case browserNotStarted(reason: String)
    case deviceMissing(job: String)
    case scenesUnreadable(path: String)
    case axeUnreadable(path: String)
    /// Files that scenes show do not exist; the paths are relative to the work tree.
    case pagesMissing([String])
    case folderUnwritable(path: String, reason: String)
    /// A server of the job's `serve` has ended.
    case serverFailed(reason: String, LastWords)
    /// A server did not answer in time; `namesPort` is whether its command has `{port}`.
    case serverSilent(address: String, seconds: Double, namesPort: Bool, LastWords)
    case serverMissing(page: String)
    case storybookUnreadable(place: String, reason: String)
    case fontsMissing([String])
    /// No page of the job can see the axis; `near` is an axis that was probably meant.
    case axisUnknown(job: String, axis: String, near: String?)
    case valueUnknown(job: String, axis: String, value: String, near: String?, known: String)

    /// The command of a server, and the end of its output.
    ///
    /// `command` is the command as it was run. `cause` is the line with the reason, or empty if
    /// there is none; it lacks the port, so that it is the same for every worker. `end` is the end
    /// of the output, unchanged.
    package struct LastWords: Hashable, Sendable {
        var command: String
        var cause: String
        var end: String

        /// Returns a message: `what` happened, the cause and the end of the output.
        ///
        /// `more` is put before the output.
        fileprivate func text(_ what: String, _ more: String = "") -> String {
            cause.isEmpty
                ? "\(what) and printed nothing.\n\(more)Its command: `\(command)`."
                : "\(what): \(cause)\n\(more)The end of what `\(command)` printed:\n\(end)\n"
        }
    }

    package var code: String {
        switch self {
        case .browserMissing: "browser-missing"
        case .browserNotStarted: "browser-not-started"
        case .deviceMissing: "device-missing"
        case .scenesUnreadable: "scenes-unreadable"
        case .axeUnreadable: "axe-unreadable"
        case .pagesMissing: "page-not-found"
        case .folderUnwritable: "folder-unwritable"
        case .serverFailed, .serverSilent: "server-failed"
        case .serverMissing: "server-missing"
        case .storybookUnreadable: "storybook-unreadable"
        case .fontsMissing: "fonts-missing"
        case .axisUnknown: "unknown-axis"
        case .valueUnknown: "unknown-value"
        }
    }

    package var message: String {
        switch self {
        case .browserMissing(let program): "\(program) is not installed."
        case .browserNotStarted(let reason): "the browser did not start: \(reason)."
        case .deviceMissing(let job): "job \(job) captures scenes, but has no devices."
        case .axeUnreadable(let path):
            "the script of axe-core, \(path), cannot be read, or has more than "
                + "\(FarmLimits.axeBytesMax.grouped) bytes."
        case .scenesUnreadable(let path): "the scenes file \(path) cannot be read."
        case .folderUnwritable(let path, let reason):
            "\(path) could not be written: \(reason)."
        case .serverFailed(let reason, let words): words.text("the server \(reason)")
        case .serverSilent(let address, let seconds, _, let words):
            words.text(
                "the server did not answer on its port within \(secondsText(seconds))",
                "It was expected at \(address).\n"
            )
        case .serverMissing(let page): "a scene shows \(page), but the job has no server."
        case .storybookUnreadable(let place, let reason):
            "the stories at \(place) cannot be read: \(reason)."
        case .fontsMissing(let fonts):
            "this machine has no font \(fonts.map { "\"\($0)\"" }.joined(separator: ", "))."
        case .axisUnknown(let job, let axis, _):
            "the axis \(axis) changes nothing in the pages of job \(job)."
        case .valueUnknown(let job, let axis, let value, _, _):
            "\(axis): \(value) means nothing to the pages of job \(job)."
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
        case .axeUnreadable:
            "Install axe-core (`npm install --save-dev axe-core`), and name its script in `axe:` of "
                + "the job; the path starts at the pipeline file's folder."
        case .folderUnwritable: "Check the permissions and the space of that folder."
        case .serverFailed:
            "Run the command by hand in the folder of the pipeline file, with a port in place of "
                + "`{port}`."
        case .serverSilent(_, _, true, _):
            "Let the command listen on the port that it is given, or write into `url` of `serve` "
                + "where it answers."
        case .serverSilent(_, _, false, _):
            "Let the command listen on the port in its variable PORT, or write `{port}` where it "
                + "takes one."
        case .serverMissing: "Add `serve: {command: …}` or `serve: {folder: …}` to the job."
        case .storybookUnreadable:
            "Build it with `storybook build`, and name its folder in `storybook` of the job."
        case .fontsMissing(let fonts): FontPackages.remedy(for: fonts)
        case .axisUnknown(_, let axis, let near):
            (near.map { "Did you mean \($0)? " } ?? "")
                + "Pages see \(WebAxes.known.joined(separator: ", ")); of an axis of your own, write "
                + "`{\(axis)}` into the scenes' `url`, `cookies` or `localStorage`; or narrow the job's "
                + "`matrix` to one value."
        case .valueUnknown(_, _, _, let near, let known):
            (near.map { "Did you mean \($0)? " } ?? "") + "Known: \(known)."
        case .pagesMissing:
            "Correct `file` in the scenes file (it starts at that file's folder), or build the pages "
                + "before the run."
        }
    }

    package var exit: ExitCode {
        switch self {
        case .browserMissing: .configuration
        case .browserNotStarted: .busy
        case .fontsMissing: .configuration
        case .deviceMissing, .scenesUnreadable, .axeUnreadable, .pagesMissing, .serverFailed,
            .serverSilent,
            .serverMissing, .storybookUnreadable, .axisUnknown, .valueUnknown:
            .invalidInput
        case .folderUnwritable: .inputOutput
        }
    }
}

/// The reason why one scene has no picture.
package enum SceneError: ExplainedError, Equatable {
    case sceneMissing(TestID)
    /// The page's file does not exist, or the answer is 404 or 410.
    ///
    /// Pages have the names that the scene gives them: an address at the job's server has another
    /// port for each worker.
    case pageNotFound(page: String, status: Int?)
    case pageError(page: String, reason: String)
    /// A selector or a function of the scene is wrong.
    case scriptFailed(reason: String)
    case axeFailed(reason: String)
    /// The scene's condition was not met; `seconds` is the time of the whole scene, `thrown` an
    /// error of a script of the page.
    case waitTimedOut(condition: String, seconds: Double, thrown: String?)
    /// No element matched the selector of the scene's wait; `seconds` is the time that the scene
    /// waited for it.
    case selectorMissing(String, seconds: Double, thrown: String?)
    case elementMissing(selector: String, thrown: String?)
    case elementTooLarge(selector: String, size: String)
    case wrongSize(expected: PixelSize, actual: PixelSize)
    case notPicture
    case timedOut(seconds: Double)
    /// No byte of the page came in time.
    case unanswered(page: String, seconds: Double)
    case browserDied(reason: String)
    /// A step could not be done; `step` is the step's number and its description.
    case stepFailed(step: String, reason: String)
    case storyFailed(reason: String)
    case serverDied(reason: String)
    /// No element matches a mask's selector; `near` is a name on the page that was probably meant.
    case maskMissing(selector: String, near: String?)
    case maskMoved(selectors: [String])
    /// Two captures of one page differ in a region of `size` pixels at `at`, which is in `element`.
    case moves(size: PixelSize, at: String, element: String?)

    package var code: String {
        switch self {
        case .sceneMissing: "scene-missing"
        case .pageNotFound: "page-not-found"
        case .pageError, .scriptFailed, .axeFailed: "page-error"
        case .waitTimedOut, .selectorMissing: "wait-timed-out"
        case .elementMissing: "element-missing"
        case .elementTooLarge: "element-too-large"
        case .wrongSize, .notPicture: "capture-wrong-size"
        case .timedOut, .unanswered: "test-timed-out"
        case .browserDied: "browser-died"
        case .stepFailed: "step-failed"
        case .storyFailed: "story-failed"
        case .serverDied: "server-died"
        case .maskMissing: "mask-missing"
        case .maskMoved: "mask-moved"
        case .moves: "scene-moves"
        }
    }

    package var message: String {
        switch self {
        case .sceneMissing(let test): "the scenes file has no scene \(test)."
        case .pageNotFound(let page, let status):
            "\(page) was not found" + (status.map { " (status \($0))." } ?? ".")
        case .pageError(let page, let reason): "\(page) could not be shown: \(reason)."
        case .scriptFailed(let reason): "\(reason)."
        case .axeFailed(let reason): "the script that `axe` names failed on the page: \(reason)."
        case .waitTimedOut(let condition, let seconds, let thrown):
            "the page was not ready in time (a scene has \(brief(seconds)) s): \(condition)."
                + words(thrown)
        case .selectorMissing(let selector, let seconds, let thrown):
            "the page had no element \"\(selector)\" within \(brief(seconds)) s after it had loaded."
                + words(thrown)
        case .unanswered(let page, let seconds):
            "\(page) did not load within \(brief(seconds)) s."
        case .elementMissing(let selector, let thrown):
            "the page has no visible element \"\(selector)\"." + words(thrown)
        case .elementTooLarge(let selector, let size):
            "the element \"\(selector)\" is \(size) pixels large."
        case .wrongSize(let expected, let actual):
            "the capture has \(actual) pixels instead of \(expected)."
        case .notPicture: "the browser's capture is not a PNG."
        case .timedOut(let seconds): "the scene took longer than \(brief(seconds)) s."
        case .browserDied(let reason):
            "the browser died twice while it showed the scene: \(reason)."
        case .stepFailed(let step, let reason): "\(step): \(reason)."
        case .storyFailed(let reason): "the story failed: \(reason)."
        case .serverDied(let reason): reason
        case .maskMissing(let selector, let near):
            "nothing on the page matches `\(selector)` of `mask`"
                + (near.map { "; the page has `\($0)`." } ?? ".")
        case .maskMoved(let selectors):
            "what is masked moves while it is captured (\(selectors.joined(separator: ", "))), so "
                + "nothing was kept."
        case .moves(let size, let place, let element):
            "the page moves by itself: \(size) pixels at \(place)"
                + (element.map { ", in \($0)," } ?? "") + " changed without being touched."
        }
    }

    package var remedy: String {
        switch self {
        case .sceneMissing: "The file changed after discovery; run again."
        case .pageNotFound: "Check `file` or `url` of the scene, and that its server runs."
        case .pageError:
            "Open it in a browser; check `url` of the scene, and that its server runs."
        case .scriptFailed: "Correct it in the scene; a browser's console shows what it does."
        case .axeFailed: "Name axe-core's own script, `axe.min.js`, in `axe:` of the job."
        case .waitTimedOut:
            "Check what the scene waits for, or raise `timeout: {test: …}` of the job."
        case .selectorMissing:
            "Check the selector of `wait`; for a page that takes longer, wait for a `function`."
        case .elementMissing: "Check `element` of the scene."
        case .stepFailed:
            "Check the step's selector in a browser; a step waits 5 s for its element."
        case .storyFailed: "Open the story in Storybook."
        case .serverDied: "See the lease's log; it is started again for the next scene."
        case .maskMissing:
            "Correct the selector in `mask`, or let `wait` wait for it; it is also looked for in shadow "
                + "roots, and in frames of the same origin."
        case .maskMoved: "Mask an element around it that has a fixed place and size."
        case .moves:
            "Stop it in the page when `prefers-reduced-motion` is `reduce`, `wait` for its end, or "
                + "`mask` it."
        case .elementTooLarge: "Capture at most \(FarmLimits.picturePixelsMax) pixels at once."
        case .wrongSize, .notPicture:
            "Check width, height and scale of the device: points × scale must be whole pixels."
        case .timedOut, .unanswered:
            "See whether its server is slow, something that it loads never comes, or a script of it "
                + "never ends; or raise `timeout: {test: …}` of the job."
        case .browserDied: "See the lease's log; the page may need more memory than there is."
        }
    }

    package var exit: ExitCode { .differences }

    /// Returns the error with the line of the scenes file that names the page, if a page cannot be
    /// shown.
    func named(at place: String?) -> SceneError {
        guard let place else { return self }
        return switch self {
        case .pageNotFound(let page, let status):
            .pageNotFound(page: "\(page) (\(place))", status: status)
        case .pageError(let page, let reason):
            .pageError(page: "\(page) (\(place))", reason: reason)
        default: self
        }
    }

    private func words(_ thrown: String?) -> String {
        thrown.map { " A script of the page threw: \($0)." } ?? ""
    }

    private func brief(_ seconds: Double) -> String {
        seconds == seconds.rounded() ? "\(Int(seconds))" : "\((seconds * 10).rounded() / 10)"
    }
}
