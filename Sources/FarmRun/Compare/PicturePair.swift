// Two pictures to compare, and the line of a list that names them.

import FarmCore

/// Two pictures to compare.
struct PicturePair: Hashable, Sendable {
    /// Where pairs come from, which decides what their differences are called.
    enum Origin: Hashable, Sendable {
        /// Both paths are the same, below two folders.
        case folders
        /// Any two paths of one line; lines may name equal files.
        case list
        /// One pair of any two paths.
        case files
    }

    /// The line of the list, or the place in the order of folders; from 1, no two alike.
    var number: Int
    /// The reference's side, below the first folder where folders are compared.
    var a: PathBytes
    /// The capture's side, below the second folder where folders are compared.
    var b: PathBytes

    init(number: Int, a: PathBytes, b: PathBytes) {
        self.number = number
        self.a = a
        self.b = b
    }

    /// Reads a line `A<TAB>B`; further columns are ignored.
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

    /// Where the picture of the difference lies below the folder for them.
    func differencePath(_ origin: Origin) -> PathBytes {
        if origin == .folders { return b }
        var name = Array(b.name)
        if !PathBytes.isPicture(name) { name += Array(".png".utf8) }
        let prefix = origin == .list ? Array("\(number)-".utf8) : []
        // The file system's limit for a name; its end says more than its beginning.
        return PathBytes(prefix + name.suffix(255 - prefix.count))
    }
}

/// Why a line names no pair.
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
