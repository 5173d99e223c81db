// `snapfarm refs catalogue`: a page for people with all pictures of a set.
import ArgumentParser
import FarmCore
import FarmRun
import Foundation

struct RefsCatalogue: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "catalogue",
        abstract: "Writes a page with all pictures of a set, by suite, device and variant.",
        discussion: """
            The folder opens from a disk and from any web server. Where the pipeline names its \
            `screens:`, the page says which of them have no picture.
            """
    )

    @Argument(help: "A set, a commit, a branch or a pin file (default: the pin).")
    var set: String?
    @OptionGroup var options: RefsOptions
    @Option(name: .shortAndLong, help: "The folder to write into.") var output: String
    @Option(help: "The language of the page: en or ja.") var language = "en"

    func validate() throws {
        guard CatalogueFolder.languages.contains(language) else {
            let known = CatalogueFolder.languages.joined(separator: ", ")
            throw ValidationError("--language is \(language); known are \(known).")
        }
    }

    func run() async throws {
        let place = try options.place()
        let pin = try place.pin(named: set, in: try place.store())
        let store = try place.store(holding: pin)
        let written = try await CatalogueFolder(output).write(
            place,
            store,
            pin,
            language: language
        )
        var lines = written.unreadable.map { "\($0): cannot be decoded" }
        if let screens = written.screens { lines.append(screens.words) }
        lines.append("\(Amount.count(written.pictures, "picture")) in \(written.page)")
        try options.show(written, lines: lines)
    }
}
