// Pictures in a terminal that can show them. The terminal says so itself: variables such as TERM name
// the terminal, and not what is between it and the person.
import FarmCore
import FarmImaging
import Foundation

/// The ways in which terminals show pictures.
package enum PictureTerminal: Hashable, Sendable, CaseIterable {
    /// The graphics protocol of kitty.
    case kitty
    /// The inline images of iTerm2, which WezTerm shows, too.
    case iTerm2
    /// Sixels, which foot, Windows Terminal and xterm as VT340 show.
    case sixel

    /// The question: whether a picture of one pixel in kitty's protocol would be shown, the name of
    /// the terminal, and its attributes, which every terminal answers last.
    static let question = "\u{1B}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\\u{1B}[>q\u{1B}[c"
    /// Removes what a terminal printed that did not understand the question.
    private static let erase = "\r\u{1B}[K"
    /// The milliseconds until a terminal that says nothing counts as one without pictures; one over
    /// ssh may be far away.
    private static let milliseconds = 600
    private static let replyBytesMax = 4_096
    /// The most characters of base64 in one message of kitty's protocol.
    private static let chunk = 4_096

    /// Reads the answers to the question; returns `nil` for a terminal without pictures.
    package init?(reply: some Sequence<UInt8>) {
        let text = String(decoding: Array(reply), as: UTF8.self)
        if text.contains("\u{1B}_Gi=31;OK") {
            self = .kitty
        } else if text.contains(">|iTerm2") || text.contains(">|WezTerm") {
            self = .iTerm2
        } else if text.contains(Self.sixelAttribute) {
            self = .sixel
        } else {
            return nil
        }
    }

    /// Asks the terminal of this process; returns `nil` if there is none, or none with pictures.
    package static func asked(_ environment: [String: String]) -> PictureTerminal? {
        guard Console.isLive(environment, on: STDOUT_FILENO), isatty(STDIN_FILENO) == 1 else {
            return nil
        }
        let terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard terminal >= 0 else { return nil }
        defer { close(terminal) }
        var before = termios()
        // A process in the background would be stopped.
        guard tcgetpgrp(terminal) == getpgrp(), tcgetattr(terminal, &before) == 0 else {
            return nil
        }
        var quiet = before
        quiet.c_lflag &= ~tcflag_t(ICANON | ECHO)
        guard tcsetattr(terminal, TCSANOW, &quiet) == 0 else { return nil }
        defer { tcsetattr(terminal, TCSAFLUSH, &before) }
        Console.write(question, to: terminal)
        let reply = reply(from: terminal)
        Console.write(erase, to: terminal)
        return PictureTerminal(reply: reply)
    }

    /// Reads until the answer about the attributes, which comes last.
    private static func reply(from terminal: Int32) -> [UInt8] {
        var reply: [UInt8] = []
        let limit = ContinuousClock.now + .milliseconds(milliseconds)
        while reply.count < replyBytesMax, !isWhole(reply), ContinuousClock.now < limit {
            var waiting = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, 50) > 0 else { continue }
            var bytes = [UInt8](repeating: 0, count: 256)
            let count = read(terminal, &bytes, bytes.count)
            guard count > 0 else { break }
            reply += bytes[..<count]
        }
        return reply
    }

    /// The answer about the attributes of a terminal with sixels: 4 is one of them.
    private static var sixelAttribute: Regex<Substring> {
        /\u{1B}\[\?[0-9;]*;4(?:;[0-9;]*)?c/
    }

    /// Whether the reply ends with the terminal's attributes: `ESC [ ? 62 ; 4 c`.
    static func isWhole(_ reply: [UInt8]) -> Bool {
        String(decoding: reply, as: UTF8.self).contains(/\u{1B}\[\?[0-9;]*c/)
    }

    /// Returns the bytes that show a PNG where the cursor is.
    package func drawing(of png: Data) -> String {
        let text = png.base64EncodedString()
        switch self {
        case .iTerm2:
            return "\u{1B}]1337;File=inline=1;size=\(png.count):\(text)\u{07}"
        case .kitty:
            let characters = Array(text.utf8)
            let starts = Array(stride(from: 0, to: characters.count, by: Self.chunk))
            return starts.map { start in
                let part = characters[start..<min(start + Self.chunk, characters.count)]
                let keys = start == 0 ? "a=T,f=100,q=2," : ""
                let more = start == starts.last ? 0 : 1
                let body = String(decoding: part, as: UTF8.self)
                return "\u{1B}_G\(keys)m=\(more);\(body)\u{1B}\\"
            }.joined()
        case .sixel:
            return (try? PNGDecoder.decode(png)).map { SixelPicture($0).text } ?? ""
        }
    }

    /// Prints pictures, each below its words.
    package func show(_ pictures: [(words: String, png: Data)]) {
        for picture in pictures {
            Console.print(picture.words + "\n")
            Console.write(drawing(of: picture.png) + "\n", to: STDOUT_FILENO)
        }
    }
}
