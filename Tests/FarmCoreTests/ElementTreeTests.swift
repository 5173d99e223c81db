// Tests of the format of element trees, which come from pages and from other programs.
import FarmCore
import FarmTesting
import Foundation
import Testing

@Suite("Element trees")
struct ElementTreeTests {
    /// Returns a tree as no page has it, but as the format allows it.
    static func random(_ random: inout SeededGenerator, elements count: Int) -> ElementTree {
        let properties = ["color", "padding", "border-radius"]
        let styles = (0..<3).map { row in properties.map { "\($0) \(row % 2)" } }
        var elements: [ElementTree.Element] = []
        for number in 0..<count {
            elements.append(
                ElementTree.Element(
                    selector: [".a", ".b", "h1", "#\(number)"].randomElement(using: &random) ?? "",
                    testID: Int.random(in: 0..<9, using: &random) == 0 ? "t\(number)" : nil,
                    box: PixelBox(
                        x: Int.random(in: 0..<50, using: &random),
                        y: Int.random(in: 0..<50, using: &random),
                        width: Int.random(in: 1..<50, using: &random),
                        height: Int.random(in: 1..<50, using: &random)
                    ),
                    text: ["", "Cart", "カート \"2\""].randomElement(using: &random) ?? "",
                    style: Bool.random(using: &random)
                        ? Int.random(in: 0..<styles.count, using: &random) : nil,
                    parent: number == 0 || Int.random(in: 0..<9, using: &random) == 0
                        ? nil : Int.random(in: 0..<number, using: &random)
                )
            )
        }
        return ElementTree(properties: properties, styles: styles, elements: elements)
    }

    @Test("what is written is read back equal, and equal trees have equal bytes")
    func roundTrip() throws {
        var random = SeededGenerator.announced("ElementTreeTests.roundTrip", usual: 3)
        for count in 0..<60 {
            var tree = Self.random(&random, elements: count)
            tree.isCut = Bool.random(using: &random)
            let json = try tree.json()
            let read = try ElementTree(parsing: json)
            #expect(read == tree)
            #expect(try read.json() == json)
        }
    }

    @Test(
        "a tree that cannot be used is refused with the reason",
        arguments: [
            ("", "not the JSON"), ("[]", "not the JSON"), (#"{"version":1}"#, "not the JSON"),
            (#"{"version":2,"elements":[]}"#, "version 2"),
            (#"{"version":1,"elements":[{"selector":"a","box":[1,2,3]}]}"#, "has not 4"),
            (#"{"version":1,"elements":[{"selector":"a","box":[1,2,3,-4]}]}"#, "none of a picture"),
            (
                #"{"version":1,"elements":[{"selector":"a","box":[1,2,3,4],"parent":0}]}"#,
                "does not come before"
            ),
            (
                #"{"version":1,"elements":[{"selector":"a","box":[1,2,3,4],"parent":-1}]}"#,
                "does not come before"
            ),
            (
                #"{"version":1,"elements":[{"selector":"a","box":[1,2,3,4],"style":0}]}"#,
                "not in `styles`"
            ),
            (#"{"version":1,"properties":["a"],"styles":[[]],"elements":[]}"#, "not one value"),
            (#"{"version":1,"properties":["a","a"],"elements":[]}"#, "not different"),
        ]
    )
    func refused(text: String, reason: String) throws {
        let error = #expect(throws: ElementTree.Mistake.self) {
            try ElementTree(parsing: Data(text.utf8))
        }
        #expect(error?.fact.contains(reason) == true, "\(error?.fact ?? "")")
    }

    @Test("trees that are too large are refused: bytes, elements, texts and depth")
    func limits() throws {
        func tree(_ count: Int, text: Int = 0) throws -> Data {
            let element = ElementTree.Element(
                selector: "a",
                box: PixelBox(x: 0, y: 0, width: 1, height: 1),
                text: String(repeating: "x", count: text)
            )
            let elements = [ElementTree.Element](repeating: element, count: count)
            return try ElementTree(properties: [], styles: [], elements: elements).json()
        }
        let fits = try tree(FarmLimits.elementsMax, text: 100)
        #expect(try ElementTree(parsing: fits).elements.count == FarmLimits.elementsMax)
        let deep = String(repeating: "[", count: 100_000)
        for bytes in [
            try tree(FarmLimits.elementsMax + 1),
            try tree(1, text: FarmLimits.elementTextBytesMax + 1),
            Data(repeating: 32, count: FarmLimits.elementsBytesMax) + (try tree(1)),
            Data(#"{"version":1,"elements":\#(deep)"#.utf8),
        ] {
            #expect(throws: ElementTree.Mistake.self) { try ElementTree(parsing: bytes) }
        }
    }

    @Test("the example in the docs is a tree")
    func documented() throws {
        let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../docs/elements.md")
        let text = String(decoding: try Data(contentsOf: page), as: UTF8.self)
        let block = text.components(separatedBy: "```json\n").last?.components(separatedBy: "```")
        let tree = try ElementTree(parsing: Data(try #require(block?.first).utf8))
        #expect(tree.elements.map(\.testID) == [nil, "pay"])
    }

    @Test("random damage never crashes the parser, and what it accepts it writes again")
    func damage() throws {
        var random = SeededGenerator.announced("ElementTreeTests.damage", usual: 5)
        for _ in 0..<300 {
            var json = try Self.random(&random, elements: 6).json()
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: 0..<json.count, using: &random)
                json[place] = UInt8.random(in: 32..<127, using: &random)
            }
            guard let tree = try? ElementTree(parsing: json) else { continue }
            #expect(try ElementTree(parsing: tree.json()) == tree)
        }
    }
}
