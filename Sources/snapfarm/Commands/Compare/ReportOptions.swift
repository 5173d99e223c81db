// The options of the page about a comparison.
import ArgumentParser
import FarmRun

/// The folder and the language of a comparison's page.
struct ReportOptions: ParsableArguments {
    @Option(
        name: .customLong("report"),
        help: "Write a page of all differences, and reg-suit's reg.json, into this folder."
    )
    var folder: String?
    @Option(help: "The language of the page: en or ja.") var language = "en"

    func validate() throws {
        guard CatalogueFolder.languages.contains(language) else {
            let known = CatalogueFolder.languages.joined(separator: ", ")
            throw ValidationError("--language is \(language); known are \(known).")
        }
    }
}
