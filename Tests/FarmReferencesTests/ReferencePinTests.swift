import FarmCore
import FarmTesting
import Foundation
import Testing

private let oidA = String(repeating: "a", count: 40)
private let oidB = String(repeating: "b", count: 40)

@Suite("the text of a pin")
struct ReferencePinTests {
    @Test("no references are an empty text and an empty text is no references")
    func empty() throws {
        #expect(ReferencePin().text == "")
        #expect(try ReferencePin(parsing: Data()) == ReferencePin())
    }

    @Test("a pin has two lines per subtree, sorted by the bytes of the path")
    func form() throws {
        var pin = ReferencePin()
        pin[try path("a", "x")] = ObjectID(oidA)
        pin[try path("a-b", "x")] = ObjectID(oidB)
        pin[try path("a", "B")] = ObjectID(oidB)
        #expect(pin.text == "a-b/x\n \(oidB)\na/B\n \(oidB)\na/x\n \(oidA)\n")
        pin[try path("a-b", "x")] = nil
        #expect(pin.cells == [CellID("a")])
    }

    @Test("what is written is read back equal")
    func roundTrip() throws {
        var random = SeededGenerator.announced()
        let letters = Array("aAzZ09.-_ ~ʀ日é:\\\u{301}\u{2028}😀<=\"")
        for _ in 0..<200 {
            var pin = ReferencePin()
            for _ in 0..<Int.random(in: 0..<12, using: &random) {
                let names = (0..<2).map { _ in
                    String(
                        (0..<Int.random(in: 1...6, using: &random)).map { _ in
                            letters[Int.random(in: 0..<letters.count, using: &random)]
                        }
                    )
                }
                let digits = (0..<40).map { _ in
                    String(Int.random(in: 0..<16, using: &random), radix: 16)
                }
                if let path = SubtreePath(cell: CellID("c" + names[0]), folder: names[1]) {
                    pin[path] = ObjectID(digits.joined())
                }
            }
            #expect(try ReferencePin(parsing: Data(pin.text.utf8)) == pin)
        }
    }

    @Test(
        "a text that is not a pin is refused with its line",
        arguments: [
            ("a/x\n \(oidA)\na/x\n \(oidA)\n", 3, "named twice"),
            ("b/x\n \(oidA)\na/x\n \(oidA)\n", 3, "belongs before"),
            ("a/x\n \(oidA.dropLast())\n", 2, "40 lower-case hex digits"),
            ("a/x\n \(oidA.uppercased())\n", 2, "40 lower-case hex digits"),
            ("a/x\n  \(oidA)\n", 2, "40 lower-case hex digits"),
            ("a/x\n\(oidA)\n", 2, "no object id on the next line"),
            ("a/x\n \(oidA)\nb/y\n", 3, "no object id on the next line"),
            (" \(oidA)\n", 1, "without a path"),
            ("\(oidA)\n", 1, "without a path"),
            ("a\n \(oidA)\n", 1, "not a path"),
            ("a/x/y\n \(oidA)\n", 1, "not a path"),
            ("a/..\n \(oidA)\n", 1, "not a path"),
            ("/x\n \(oidA)\n", 1, "not a path"),
            (" a/x\n \(oidA)\n", 1, "not a path"),
            ("a/e\u{301}\n \(oidA)\n", 1, "not a path"),
            ("a/x\n \(oidA)\n\n", 3, "not a path"),
            ("\u{FEFF}", 1, "no line end"),
            ("a/x\n \(oidA)", 2, "no line end"),
            ("a/x\r\n \(oidA)\r\n", 1, "carriage return"),
            ("a/x\n<<<<<<< HEAD\n \(oidA)\n=======\n", 2, "unresolved merge"),
            ("=======\n", 1, "unresolved merge"),
        ]
    )
    func refused(text: String, line: Int, fact: String) throws {
        let error = #expect(throws: ReferencePinError.self) {
            try ReferencePin(parsing: Data(text.utf8))
        }
        #expect(error?.message.hasPrefix("snapfarm.refs:\(line): ") == true)
        #expect(error?.message.contains(fact) == true, "\(error?.message ?? "")")
        #expect(error?.exit == .configuration)
    }

    @Test("bytes that are not text and files that are too large are refused")
    func notText() throws {
        var bytes = Data("a/x\n".utf8)
        bytes.append(contentsOf: [32, 0xFF, 10])
        let error = #expect(throws: ReferencePinError.self) {
            try ReferencePin(parsing: bytes, file: "p")
        }
        #expect(error?.message == "p:2: the line is not UTF-8.")
        #expect(throws: ReferencePinError.self) {
            try ReferencePin(parsing: Data(count: ReferencePin.bytesMax + 1))
        }
    }

    @Test("an unresolved merge is named with the way out")
    func conflictRemedy() throws {
        let error = #expect(throws: ReferencePinError.self) {
            try ReferencePin(parsing: Data("<<<<<<< ours\n".utf8), file: "refs/app.refs")
        }
        #expect(error?.code == "pin-conflict")
        #expect(error?.remedy.contains("`snapfarm refs merge`") == true)
        // Taking one side whole would drop the other side's pictures.
        #expect(error?.remedy.contains("--ours") == false)
    }

    private func path(_ cell: String, _ folder: String) throws -> SubtreePath {
        try #require(SubtreePath(cell: CellID(cell), folder: folder))
    }
}
