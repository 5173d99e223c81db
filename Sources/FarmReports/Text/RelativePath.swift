// Paths of pictures inside documents. A path is relative to the output folder. Every byte that is
// not unreserved is percent-encoded, so that no name becomes a scheme, a query or markup.

enum RelativePath {
    /// Returns a file's path as a relative URL, or `nil` if it is not a plain relative path.
    static func url(_ path: String) -> String? {
        isPlain(path) ? encoded(path, keeping: UInt8(ascii: "/")) : nil
    }

    /// Returns any text escaped as one component of a path, or as one value of a query.
    static func component(_ text: String) -> String { encoded(text, keeping: UInt8(ascii: "-")) }

    private static func encoded(_ text: String, keeping separator: UInt8) -> String {
        var url: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), separator:
                url.append(byte)
            default:
                url.append(UInt8(ascii: "%"))
                url.append(digit(byte >> 4))
                url.append(digit(byte & 15))
            }
        }
        return String(decoding: url, as: UTF8.self)
    }

    /// Returns whether a path is relative, without empty, `.` and `..` components and control
    /// characters.
    static func isPlain(_ path: String) -> Bool {
        guard !path.utf8.contains(where: { $0 < 32 || $0 == 127 }) else { return false }
        return path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .allSatisfy {
                !$0.isEmpty && !$0.elementsEqual(".".utf8) && !$0.elementsEqual("..".utf8)
            }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}
