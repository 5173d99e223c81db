// What the page needs beside the run where people decide on it. The host that serves the page makes
// it; a page without it has no buttons.
import FarmCore

/// A run's page with buttons, for one person.
package struct PageReview: Sendable {
    /// Paths that the page asks for and its forms post to; all begin with `/`.
    package struct Addresses: Hashable, Sendable {
        /// Before a file's path relative to the output folder; ends with `/`.
        package var files: String
        /// Takes the form of decisions.
        package var decisions: String
        /// Takes the form that publishes.
        package var publish: String
        /// A stream of server-sent events: `changed` whenever the page is to be asked for again.
        package var events: String
        package var style: String
        package var script: String
        /// The list of runs; nil where there is none.
        package var runs: String?
        /// Says why a picture is the reference (`?snapshot=ID`); nil where nobody knows.
        package var baseline: String?
        /// The catalogue of a set (`?set=ID`); ends with `/`, and is nil as `baseline` is.
        package var catalogue: String?
        /// As `files`, for a small picture of the picture; nil where there are none.
        package var thumbnails: String?

        package init(
            files: String,
            decisions: String,
            publish: String,
            events: String,
            style: String,
            script: String,
            runs: String? = nil,
            baseline: String? = nil,
            catalogue: String? = nil,
            thumbnails: String? = nil
        ) {
            self.files = files
            self.decisions = decisions
            self.publish = publish
            self.events = events
            self.style = style
            self.script = script
            self.runs = runs
            self.baseline = baseline
            self.catalogue = catalogue
            self.thumbnails = thumbnails
        }
    }

    package var addresses: Addresses
    /// Of the run's pipeline.
    package var decisions: DecisionBook
    /// Who looks; empty where unknown.
    package var person: String
    /// False: the page shows decisions and has no buttons.
    package var mayDecide: Bool
    /// Why nothing can be published, and what to do; nil where it can.
    package var cannotPublish: Problem?
    /// What a person must commit of the last publication; nil for nothing.
    package var pin: PagePin?
    /// What each form carries as `token`, so that no other site can send one.
    package var formToken: String
    /// What the last form did, for the top of the page; empty for nothing.
    package var notice: String

    package init(
        addresses: Addresses,
        decisions: DecisionBook,
        person: String,
        mayDecide: Bool,
        cannotPublish: Problem? = nil,
        pin: PagePin? = nil,
        formToken: String,
        notice: String = ""
    ) {
        self.addresses = addresses
        self.decisions = decisions
        self.person = person
        self.mayDecide = mayDecide
        self.cannotPublish = cannotPublish
        self.pin = pin
        self.formToken = formToken
        self.notice = notice
    }
}
