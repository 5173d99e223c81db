// The visitor of a page, identified by the cookie of a one-time address on the person's own
// machine, or by a login at a coordinator. A page's routes need nothing else about a caller.
import FarmCore

/// The person who looks at a run's page.
package struct PageVisitor: Sendable {
    /// The person's name, or empty if it is unknown.
    package var person: String
    /// Whether the visitor may make decisions; otherwise the visitor only sees them.
    package var mayDecide: Bool
    /// The secret in each form of this visitor, which proves that the visitor sent the form.
    package var formToken: String
}

/// A run's page and its visitor, for one request.
package struct OpenedPage: Sendable {
    package var desk: any ReviewSource
    /// Returns the run that the page shows by now, or `nil` if the page always shows `desk`.
    var newest: (@Sendable () -> any ReviewSource)?
    package var visitor: PageVisitor
    /// The path of the page without a slash at its end.
    ///
    /// All other paths of the page lie below it.
    package var root: String
    /// The path of the list of runs, or `nil` if there is none.
    package var runs: String?
}

/// The reason why a page refuses a request.
package enum PageRefusal: ExplainedError, Hashable {
    /// The form or the call does not come from our own page.
    case foreignOrigin
    /// The form's token is of another visitor, or of a program that has ended.
    case foreignForm
    case mayNotDecide
    case cannotPublish(Problem)
    case notAForm(String)
    /// The form's filter selects other pictures now than when the form was made.
    case othersShown
    case noFile
    case noStore
    case tooManyListeners

    package var code: String {
        switch self {
        case .foreignOrigin: "page-foreign-origin"
        case .foreignForm: "page-foreign-form"
        case .mayNotDecide: "page-may-not-decide"
        case .cannotPublish(let obstacle): obstacle.code
        case .notAForm: "page-not-a-form"
        case .othersShown: "page-others-shown"
        case .noFile: "page-no-file"
        case .noStore: "page-no-store"
        case .tooManyListeners: "page-too-many-listeners"
        }
    }
    package var message: String {
        switch self {
        case .foreignOrigin: "this call does not come from the page itself."
        case .foreignForm: "this form is not of this visit of the page."
        case .mayNotDecide: "you may look at this run, and not decide about it."
        case .cannotPublish(let obstacle): obstacle.message
        case .notAForm(let reason): "what was sent is no form of the page: \(reason)."
        case .othersShown: "the page showed other pictures than there are now; nothing was decided."
        case .noFile: "the run has no such file."
        case .noStore: "no reference store of this pipeline is known here."
        case .tooManyListeners: "too many pages are open."
        }
    }
    package var remedy: String {
        switch self {
        case .foreignOrigin, .foreignForm, .notAForm: "Load the page again, and use its buttons."
        case .othersShown: "Load the page again, and look at what it shows."
        case .mayNotDecide: "Ask for a token with the scope review."
        case .cannotPublish(let obstacle): obstacle.remedy
        case .noFile: "Load the page again: the run may have changed."
        case .noStore: "Add it to `stores:` of the coordinator's configuration."
        case .tooManyListeners: "Close some of them; the others go on without news of each other."
        }
    }
    package var exit: ExitCode {
        switch self {
        case .tooManyListeners: .busy
        case .cannotPublish: .incomplete
        default: .usage
        }
    }
}

extension PageRefusal: StatusedRefusal {
    var status: Int {
        switch self {
        case .foreignOrigin, .foreignForm, .mayNotDecide: 403
        case .cannotPublish, .othersShown: 409
        case .notAForm: 400
        case .noFile, .noStore: 404
        case .tooManyListeners: 503
        }
    }
}
