// The strict parser of a pin: a pin that was merged or edited wrongly must not silently name other
// references. Every error names the line.
import Foundation

/// The reason why a text is not a pin.
package struct ReferencePinError: ExplainedError, Equatable {
    package enum Fault: Error, Equatable {
        case tooLarge(bytes: Int)
        /// The file is a picture, an archive or another file that is no text.
        case binary
        case notText
        case carriageReturn
        case conflictMarker
        case noLineEnd
        case badPath(String)
        case badObject(String)
        case pathWithoutObject(String)
        case objectWithoutPath
        case duplicate(SubtreePath)
        case unsorted(SubtreePath, after: SubtreePath)
    }

    /// The pin file's name or path, as messages show it.
    package var file: String
    /// The number of the wrong line, from 1.
    package var line: Int
    package var fault: Fault

    package var code: String {
        if case .conflictMarker = fault { "pin-conflict" } else { "pin-invalid" }
    }
    package var exit: ExitCode { .configuration }

    package var message: String {
        fault == .binary ? "\(file) is no pin: \(fact)." : "\(file):\(line): \(fact)."
    }

    private var fact: String {
        switch fault {
        case .tooLarge(let bytes):
            "the pin has \(bytes) bytes, more than \(ReferencePin.bytesMax)"
        case .binary: "it is a binary file, and a pin is a text"
        case .notText: "the line is not UTF-8"
        case .carriageReturn: "the line ends in a carriage return"
        case .conflictMarker: "the pin holds the markers of an unresolved merge"
        case .noLineEnd: "the last line has no line end"
        case .badPath(let text):
            "\(text.prefix(200).debugDescription) is not a path of the form <cell>/<folder>"
        case .badObject(let text):
            "\(text.prefix(80).debugDescription) is not one space and 40 lower-case hex digits"
        case .pathWithoutObject(let text):
            "\(text.prefix(200).debugDescription) has no object id on the next line"
        case .objectWithoutPath: "an object id stands here without a path on the line before"
        case .duplicate(let path): "\"\(path)\" is named twice"
        case .unsorted(let path, let previous): "\"\(path)\" belongs before \"\(previous)\""
        }
    }

    package var remedy: String {
        switch fault {
        case .conflictMarker:
            """
            Run `snapfarm refs merge`: it fetches what is missing and lists the pictures that \
            both sides changed. If no merge is open here, take the pin of a commit \
            (git checkout <commit> -- \(file)).
            """
        case .binary:
            """
            Name a pin file, such as snapfarm.refs, a set's id or a revision. If it is the \
            project's pin, restore it (git checkout <commit> -- \(file)).
            """
        case .carriageReturn:
            "Restore the file and keep Git from rewriting it: `\(file) -text` in .gitattributes."
        default:
            """
            Restore the file from the commit that recorded it (git checkout <commit> -- \(file)), \
            or record again.
            """
        }
    }
}

extension ReferencePin {
    /// Parses a pin file; `file` is only used in errors.
    ///
    /// Accepts exactly the texts that `text` returns. No bytes at all are the empty pin.
    package init(parsing bytes: Data, file: String = "snapfarm.refs") throws(ReferencePinError) {
        self.init()
        guard bytes.count <= Self.bytesMax else {
            throw ReferencePinError(file: file, line: 1, fault: .tooLarge(bytes: bytes.count))
        }
        // No line of a pin has a NUL, and no picture or archive is without.
        guard !bytes.contains(0) else {
            throw ReferencePinError(file: file, line: 1, fault: .binary)
        }
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        // The part after the last line end is not a line, and must be empty.
        let rest = lines.popLast() ?? Data()
        let lastLine = rest.isEmpty ? nil : lines.count
        if lastLine != nil { lines.append(rest) }

        var reader = PinReader()
        for (index, line) in lines.enumerated() {
            do {
                let text = try Self.text(of: line, ended: index != lastLine)
                if let (path, object) = try reader.read(text) { self[path] = object }
            } catch {
                throw ReferencePinError(file: file, line: index + 1, fault: error)
            }
        }
        if let path = reader.waiting {
            throw ReferencePinError(
                file: file,
                line: lines.count,
                fault: .pathWithoutObject(path.text)
            )
        }
    }

    private static func text(
        of line: Data,
        ended: Bool
    ) throws(ReferencePinError.Fault) -> String {
        guard line.last != UInt8(ascii: "\r") else { throw .carriageReturn }
        guard let text = String(bytes: line, encoding: .utf8) else { throw .notText }
        let markers = ["<<<<<<<", "|||||||", "=======", ">>>>>>>"]
        guard !markers.contains(where: text.hasPrefix) else { throw .conflictMarker }
        guard ended else { throw .noLineEnd }
        return text
    }
}

/// Parses the lines of a pin one by one: a path, its object id, the next path.
private struct PinReader {
    /// The path whose object id must be on the next line, or `nil` if a path must be.
    var waiting: SubtreePath?
    private var previous: SubtreePath?

    mutating func read(
        _ line: String
    ) throws(ReferencePinError.Fault) -> (path: SubtreePath, object: ObjectID)? {
        guard let path = waiting else {
            try takePath(line)
            return nil
        }
        guard line.hasPrefix(" ") else { throw .pathWithoutObject(path.text) }
        guard let object = ObjectID(line.dropFirst()) else { throw .badObject(line) }
        waiting = nil
        previous = path
        return (path, object)
    }

    private mutating func takePath(_ line: String) throws(ReferencePinError.Fault) {
        // Splits bytes: a combining character may form one letter with the slash.
        let parts = line.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        if parts.count == 1, ObjectID(line.drop { $0 == " " }) != nil { throw .objectWithoutPath }
        guard parts.count == 2,
            let path = SubtreePath(cell: CellID(parts[0]), folder: parts[1])
        else { throw .badPath(line) }
        if let previous {
            guard path != previous else { throw .duplicate(path) }
            guard previous < path else { throw .unsorted(path, after: previous) }
        }
        waiting = path
    }
}
