// The options of the page about a comparison, or about a picture's history.
import ArgumentParser
import FarmRun

/// The folder and the language of a page.
struct ReportOptions: ParsableArguments {
    @Option(help: "Write a page with the pictures (and reg.json) into this folder.")
    var report: String?
    @Option(help: "The language of the page: en or ja.") var language = "en"

    func validate() throws {
        guard CatalogueFolder.languages.contains(language) else {
            let known = CatalogueFolder.languages.joined(separator: ", ")
            throw ValidationError("--language is \(language); known are \(known).")
        }
    }
}
