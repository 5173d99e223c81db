import FarmRun
import FarmTesting
import Foundation
import Testing

@Suite("Pictures in a terminal")
struct PictureTerminalTests {
    @Test(
        "are shown where the terminal's own answer says so",
        arguments: [
            (
                "\u{1B}_Gi=31;OK\u{1B}\\\u{1B}P>|kitty(0.35.2)\u{1B}\\\u{1B}[?62;c",
                PictureTerminal.kitty
            ),
            ("\u{1B}P>|iTerm2 3.5.4\u{1B}\\\u{1B}[?62;4c", .iTerm2),
            ("\u{1B}P>|WezTerm 20240203\u{1B}\\\u{1B}[?65;4c", .iTerm2),
            ("\u{1B}_Gi=31;ENOTSUPPORTED\u{1B}\\\u{1B}[?1;2c", nil), ("\u{1B}[?1;2c", nil),
            ("", nil), ("Gi=31,s=1", nil), ("\u{1B}P>|XTerm(390)\u{1B}\\\u{1B}[?64;4c", .sixel),
            ("\u{1B}P>|foot(1.13)\u{1B}\\\u{1B}[?62;4;22c", .sixel),
            ("\u{1B}[?64;14;40;24c", nil), ("\u{1B}[?4c", nil),
        ] as [(String, PictureTerminal?)]
    )
    func answers(reply: String, terminal: PictureTerminal?) {
        #expect(PictureTerminal(reply: Array(reply.utf8)) == terminal)
    }

    @Test("of any size are drawn whole, in messages of at most 4,096 characters for kitty")
    func drawings() {
        var random = SeededGenerator.announced()
        for size in [0, 1, 3_071, 3_072, 3_073, 10_000] {
            let png = Data((0..<size).map { _ in UInt8.random(in: 0...255, using: &random) })
            let iTerm = PictureTerminal.iTerm2.drawing(of: png)
            #expect(
                iTerm == "\u{1B}]1337;File=inline=1;size=\(size):\(png.base64EncodedString())\u{07}"
            )
            let messages = PictureTerminal.kitty.drawing(of: png).components(
                separatedBy: "\u{1B}\\"
            )
            .dropLast()
            let bodies = messages.compactMap {
                $0.split(separator: ";", maxSplits: 1).dropFirst().first
            }
            #expect(bodies.joined() == png.base64EncodedString())
            #expect(bodies.allSatisfy { $0.utf8.count <= 4_096 })
            for (place, message) in messages.enumerated() {
                #expect(message.contains("m=\(place == messages.count - 1 ? 0 : 1);"))
                #expect(message.contains("a=T,f=100") == (place == 0))
            }
        }
    }
}
