// JSON as lines of its values. A line holds one value, a key with its value, or a bracket; keys are
// sorted, and numbers of one value have one spelling. Commas are left out: with them, a value added
// at the end of a list would change two lines.
import Foundation

enum JSONForm {
    /// Returns the lines of a JSON document, without the values at ignored paths.
    ///
    /// An ignored member of an object is left out, so that it may be missing as well. An ignored
    /// element of a list becomes a mark, because the number of elements counts.
    static func lines(
        of bytes: Data,
        ignoring ignored: [IgnoredText]
    ) throws(TextDefect) -> [[UInt8]] {
        var reader = JSONReader(bytes)
        let value = try reader.document()
        let paths = ignored.compactMap { part -> ArraySlice<JSONPath.Step>? in
            if case .path(let path) = part { path.steps[...] } else { nil }
        }
        var lines: [[UInt8]] = []
        add(value, before: "", indent: 0, paths, to: &lines)
        return lines
    }

    private static func add(
        _ value: JSONReader.Value,
        before key: String,
        indent: Int,
        _ paths: [ArraySlice<JSONPath.Step>],
        to lines: inout [[UInt8]]
    ) {
        let space = String(repeating: "  ", count: indent)
        func line(_ text: String) { lines.append(Array((space + text).utf8)) }
        switch value {
        case .plain(let text): line(key + text)
        case .list(let values):
            line(key + "[")
            for (place, value) in values.enumerated() {
                let inner = paths.compactMap { $0.entering(place: place) }
                if inner.contains(where: \.isEmpty) {
                    lines.append(Array((space + "  " + TextForm.ignoredMark).utf8))
                } else {
                    add(value, before: "", indent: indent + 1, inner, to: &lines)
                }
            }
            line("]")
        case .object(let members):
            line(key + "{")
            for (name, value) in members {
                let inner = paths.compactMap { $0.entering(name: name) }
                if inner.contains(where: \.isEmpty) { continue }
                let key = JSONText.quoted(name) + ": "
                add(value, before: key, indent: indent + 1, inner, to: &lines)
            }
            line("}")
        }
    }
}

extension ArraySlice<JSONPath.Step> {
    /// Returns the steps that remain below a member of an object; `nil` if the path leads elsewhere.
    fileprivate func entering(name: String) -> Self? {
        switch first {
        case .name(let own) where own.utf8.elementsEqual(name.utf8): dropFirst()
        case .any: dropFirst()
        case .name, .place, nil: nil
        }
    }

    /// Returns the steps that remain below an element of a list; `nil` if the path leads elsewhere.
    fileprivate func entering(place: Int) -> Self? {
        switch first {
        case .place(place), .any: dropFirst()
        case .name, .place, nil: nil
        }
    }
}
