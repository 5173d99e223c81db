// Generates docs/keys.md: every key of the files that people write, with its meaning and an
// example.

/// The reference documentation of all keys, for people.
package enum KeyReference {
    /// Returns the documentation as Markdown that ends with a newline.
    package static func markdown(_ sections: [KeySection]) -> String {
        let head = """
            # All keys

            Every key of the pipeline file and the scenes file. This page is made from the program (`make schema`), \
            and so are the schemas that editors read: [pipeline.schema.json](schema/pipeline.schema.json) and \
            [scenes.schema.json](schema/scenes.schema.json). [pipeline.md](pipeline.md) and [web.md](web.md) explain.

            """
        return head + sections.map(section).joined()
    }

    private static func section(_ section: KeySection) -> String {
        let rows = section.keys.map { key in
            let usual =
                key.isRequired
                ? "required" : key.defaultValue.isEmpty ? "–" : cell(key.defaultValue)
            return "| `\(key.name)` | \(cell(key.summary)) | \(usual) | \(example(key)) |"
        }
        return """

            ## \(section.title)

            \(section.place)

            | key | meaning | without it | example |
            |---|---|---|---|
            \(rows.joined(separator: "\n"))

            """
    }

    private static func example(_ key: FileKey) -> String {
        key.example.split(separator: "\n").map { "`\(cell(String($0)))`" }.joined(separator: "<br>")
    }

    /// Returns the text with bars escaped, which would end a cell of the table.
    private static func cell(_ text: String) -> String { text.replacing("|", with: "\\|") }
}
