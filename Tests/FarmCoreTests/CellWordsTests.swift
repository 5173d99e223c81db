import FarmCore
import Testing

@Suite("Words for cells")
struct CellWordsTests {
    private static let matrix: [CellSummary] = ["A", "B"].flatMap { device in
        ["light", "dark"].flatMap { look in
            ["ja", "en", "de", "fr"].map { language in
                cell("\(device)_\(look)_\(language)", device, look, language)
            }
        }
    }

    private static func cell(
        _ id: String,
        _ device: String,
        _ look: String,
        _ language: String
    ) -> CellSummary {
        CellSummary(
            id: id,
            device: device,
            os: "18",
            variant: ["appearance": look, "locale": language],
            complete: true,
            counts: VerdictCounts()
        )
    }

    @Test(
        "all combinations are named by their values, other cells one by one",
        arguments: [
            (["A_dark_ja"], "A (18) dark · ja"),
            (["A_dark_ja", "A_dark_ja"], "A (18) dark · ja"),
            (["A_light_ja", "A_light_en"], "2 cells: ja/en, A (18), light"),
            (["A_light_ja", "B_light_ja"], "2 cells: 2 devices, light, ja"),
            (
                ["A_light_ja", "A_light_en", "A_dark_ja", "A_dark_en"],
                "4 cells: light/dark × ja/en, A (18)"
            ),
            (matrix.map(\.id), "16 cells: 2 devices × light/dark × 4 values of locale"),
            (
                ["A_light_ja", "B_dark_ja", "A_dark_en"],
                "3 cells: A (18) light · ja, B (18) dark · ja, A (18) dark · en"
            ),
            (
                ["A_light_ja", "B_dark_ja", "A_dark_en", "gone"],
                "4 cells: A (18) light · ja, B (18) dark · ja, A (18) dark · en, …"
            ),
            (["gone"], "gone"),
        ]
    )
    func words(cells: [String], words: String) {
        #expect(CellWords(Self.matrix).words(cells) == words)
    }

    @Test("cells without devices and variants are called by their ids")
    func plain() {
        let cells = ["one", "two"].map {
            CellSummary(
                id: $0,
                device: "",
                os: "",
                variant: [:],
                complete: true,
                counts: VerdictCounts()
            )
        }
        #expect(CellWords(cells).words(["one", "two"]) == "2 cells: one, two")
    }
}
