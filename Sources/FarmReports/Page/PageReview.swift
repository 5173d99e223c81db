// The data that a page with decisions needs beside the run. The host that serves the page makes it;
// a page without it has no buttons.
import FarmCore

/// The data of a run's page with decisions, for one person.
package struct PageReview: Sendable {
    /// The paths of the page's requests and forms; all begin with `/`.
    package struct Addresses: Hashable, Sendable {
        /// The address before a file's path relative to the output folder; ends with `/`.
        package var files: String
        /// The path that receives the form of decisions.
        package var decisions: String
        /// The path that receives the form that publishes.
        package var publish: String
        /// The path that receives the form that judges again, or `nil` if there is none.
        package var judge: String?
        /// The path of the server-sent events: `changed` comes whenever the page must load again.
        package var events: String
        package var style: String
        package var script: String
        /// The path of the list of runs, or `nil` if there is none.
        package var runs: String?
        /// The path of the page about a reference's origin (`?snapshot=ID`), or `nil` if there is
        /// none.
        package var baseline: String?
        /// The path of a reference set's catalogue (`?set=ID`), ending with `/`; `nil` whenever
        /// `baseline` is.
        package var catalogue: String?
        /// The address before a file's path for the file's thumbnail, or `nil` if there are no
        /// thumbnails.
        package var thumbnails: String?

        package init(
            files: String,
            decisions: String,
            publish: String,
            judge: String? = nil,
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
            self.judge = judge
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
    /// The decisions about the run's pipeline.
    package var decisions: DecisionBook
    /// The name of the person who looks at the page, or empty if unknown.
    package var person: String
    /// Whether the page has buttons for decisions; otherwise it only shows decisions.
    package var mayDecide: Bool
    /// The problem that prevents publishing now, or `nil` if publishing is possible.
    package var cannotPublish: Problem?
    /// The pin of the last publication that a person must commit, or `nil` if there is none.
    package var pin: PagePin?
    /// The secret in the field `token` of each form, so that no other site can send one.
    package var formToken: String
    /// The notice about the visitor's last form, for the top of the page; empty if there is none.
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
