// Two pictures to compare, and the line of a list that names them.

import FarmCore

/// Two pictures to compare.
struct PicturePair: Hashable, Sendable {
    /// The kind of source of a pair, which decides the name of the picture of its difference.
    enum Origin: Hashable, Sendable {
        /// Two folders; both pictures have the same path below them.
        case folders
        /// The lines of a list, with any two paths each; several lines may name the same file.
        case list
        /// The command line, which names two files with any paths.
        case files
    }

    /// The pair's unique number from 1: its line in the list, or its place in the folders' order.
    var number: Int
    /// The path of the reference, relative to the first folder if folders are compared.
    var a: PathBytes
    /// The path of the capture, relative to the second folder if folders are compared.
    var b: PathBytes

    init(number: Int, a: PathBytes, b: PathBytes) {
        self.number = number
        self.a = a
        self.b = b
    }

    /// Parses a line `A<TAB>B` of a list; ignores further columns.
    init(line: [UInt8], number: Int) throws(PairLineError) {
        let columns = line.split(
            separator: UInt8(ascii: "\t"),
            maxSplits: 2,
            omittingEmptySubsequences: false
        )
        guard columns.count >= 2, !columns[0].isEmpty, !columns[1].isEmpty else {
            throw .columns
        }
        guard !line.contains(0) else { throw .character }
        self.init(
            number: number,
            a: PathBytes(Array(columns[0])),
            b: PathBytes(Array(columns[1]))
        )
    }

    /// Returns the path of the difference picture, relative to the folder for differences.
    func differencePath(_ origin: Origin) -> PathBytes {
        if origin == .folders { return b }
        var name = Array(b.name)
        if !PathBytes.isPicture(name) { name += Array(".png".utf8) }
        let prefix = origin == .list ? Array("\(number)-".utf8) : []
        // File systems allow 255 bytes for a name; the end of a name tells more than its beginning.
        return PathBytes(prefix + name.suffix(255 - prefix.count))
    }
}

/// The reason why a line names no pair.
enum PairLineError: ExplainedError, Hashable {
    case columns
    case character
    case tooLong

    var code: String { "pair-line-invalid" }
    var message: String {
        switch self {
        case .columns: "it does not hold two paths."
        case .character: "it holds a NUL character."
        case .tooLong: "it has more than \(FarmLimits.pairLineBytesMax.grouped) bytes."
        }
    }
    var remedy: String { "Write two paths with a tab between them." }
    var exit: ExitCode { .invalidInput }
}
