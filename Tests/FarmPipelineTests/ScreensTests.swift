// Tests of `screens:` in a pipeline file: a list, or the path of a list.
import FarmCore
import FarmDrivers
import FarmPipeline
import Testing

@Suite("screens in a pipeline")
struct ScreensTests {
    private func decode(_ text: String) throws(DocumentErrors) -> Pipeline {
        try PipelineDecoder.decode(
            "version: 1\njobs: {u: {kind: unit, driver: swiftpm, package: P}}\n\(text)\n",
            file: "p.yaml",
            drivers: DriverCatalog.kinds
        )
    }

    @Test("a list holds each name once, a text is the path of a list, and without it there is none")
    func decoding() throws {
        #expect(try decode("screens: [A/b, A/c, A/b]").screens == .named(["A/b", "A/c"]))
        #expect(try decode("screens: screens.txt").screens == .file("screens.txt"))
        #expect(try decode("").screens == nil)
        #expect(try decode("screens: []").screens == .named([]))
    }

    @Test(
        "a name that no picture can have is a mistake with its line",
        arguments: ["[\"a\\nb\"]", "[\"\"]", "[{a: b}]", "{a: b}"]
    )
    func mistakes(text: String) {
        let error = #expect(throws: DocumentErrors.self) { try decode("screens: \(text)") }
        #expect(error?.problems.first?.line == 3)
    }
}
