// The visible elements of a page or screen at the time of its capture. A driver takes the tree, or
// the tests' framework writes it beside the picture; docs/elements.md has the format.
//
// Invariants of a decoded tree
//   - An element's parent comes before it, so there are no cycles.
//   - Each list of styles has a value for each property.
//   - All numbers and texts are within `FarmLimits`.
import Foundation

/// A tree of visible elements with their boxes, texts and styles.
package struct ElementTree: Hashable, Sendable {
    /// A visible element.
    package struct Element: Hashable, Sendable {
        /// The element in short, as a style sheet names it: `.btn`, `#total`, `h1`.
        package var selector: String
        /// The name that the program gives the element for tests, or `nil` if it has none.
        package var testID: String?
        /// The element's box in pixels of the picture, clipped to the picture.
        package var box: PixelBox
        /// The text of the element itself, without its children; may be empty.
        package var text: String
        /// The index of the element's styles, or `nil` if it has none.
        package var style: Int?
        /// The index of the nearest element around this one, or `nil` for none.
        package var parent: Int?

        package init(
            selector: String,
            testID: String? = nil,
            box: PixelBox,
            text: String = "",
            style: Int? = nil,
            parent: Int? = nil
        ) {
            self.selector = selector
            self.testID = testID
            self.box = box
            self.text = text
            self.style = style
            self.parent = parent
        }
    }

    /// The names of the properties that ``styles`` lists.
    package var properties: [String]
    /// The lists of values, each for all properties; several elements may share one.
    package var styles: [[String]]
    /// The elements in the document's order.
    package var elements: [Element]
    /// Whether the tree lacks elements of the picture, because they were too many.
    package var isCut: Bool

    package init(
        properties: [String],
        styles: [[String]],
        elements: [Element],
        isCut: Bool = false
    ) {
        self.properties = properties
        self.styles = styles
        self.elements = elements
        self.isCut = isCut
    }
}

// MARK: JSON

extension ElementTree {
    /// The reason why a file is no element tree.
    package struct Mistake: Error, Hashable {
        /// The reason in words, without a full stop.
        package let fact: String

        package init(_ fact: String) { self.fact = fact }
    }

    /// The version of the format.
    package static let version = 1

    private struct Document: Codable {
        var version: Int
        var properties: [String]?
        var styles: [[String]]?
        var elements: [Row]
        var cut: Bool?
    }

    private struct Row: Codable {
        var selector: String
        var testID: String?
        var box: [Int]
        var text: String?
        var style: Int?
        var parent: Int?
    }

    /// Parses a tree from elsewhere.
    package init(parsing bytes: Data) throws(Mistake) {
        guard bytes.count <= FarmLimits.elementsBytesMax else {
            throw Mistake("it has more than \(FarmLimits.elementsBytesMax.grouped) bytes")
        }
        guard let document = try? JSONDecoder().decode(Document.self, from: bytes) else {
            throw Mistake("it is not the JSON of an element tree")
        }
        guard document.version == Self.version else {
            throw Mistake(
                "it has version \(document.version), and this snapfarm reads \(Self.version)"
            )
        }
        properties = document.properties ?? []
        styles = document.styles ?? []
        isCut = document.cut ?? false
        try Self.check(properties, styles)
        guard document.elements.count <= FarmLimits.elementsMax else {
            throw Mistake("it has more than \(FarmLimits.elementsMax.grouped) elements")
        }
        elements = []
        elements.reserveCapacity(document.elements.count)
        for row in document.elements {
            elements.append(try Self.element(row, number: elements.count, styles: styles.count))
        }
    }

    private static func check(_ properties: [String], _ styles: [[String]]) throws(Mistake) {
        guard properties.count <= FarmLimits.elementPropertiesMax,
            Set(properties).count == properties.count
        else { throw Mistake("its properties are too many, or not different") }
        guard styles.count <= FarmLimits.elementsMax else {
            throw Mistake("it has too many styles")
        }
        guard styles.allSatisfy({ $0.count == properties.count }) else {
            throw Mistake("a list in `styles` has not one value for each of `properties`")
        }
        guard (properties + styles.joined()).allSatisfy(\.isShort) else {
            throw Mistake("a property or value is too long")
        }
    }

    private static func element(
        _ row: Row,
        number: Int,
        styles: Int
    ) throws(Mistake) -> Element {
        let name = "element \(number)"
        guard row.selector.isShort, row.testID?.isShort != false, row.text?.isShort != false else {
            throw Mistake("a text of \(name) is too long")
        }
        guard row.box.count == 4 else { throw Mistake("the box of \(name) has not 4 numbers") }
        let box = PixelBox(x: row.box[0], y: row.box[1], width: row.box[2], height: row.box[3])
        guard box.isOfPicture else { throw Mistake("the box of \(name) is none of a picture") }
        guard row.style.map({ (0..<styles).contains($0) }) != false else {
            throw Mistake("the style of \(name) is not in `styles`")
        }
        guard row.parent.map({ (0..<number).contains($0) }) != false else {
            throw Mistake("the parent of \(name) does not come before it")
        }
        return Element(
            selector: row.selector,
            testID: row.testID,
            box: box,
            text: row.text ?? "",
            style: row.style,
            parent: row.parent
        )
    }

    /// The tree as JSON; equal trees have equal bytes.
    package func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(
            Document(
                version: Self.version,
                properties: properties.isEmpty ? nil : properties,
                styles: styles.isEmpty ? nil : styles,
                elements: elements.map { element in
                    let box = element.box
                    return Row(
                        selector: element.selector,
                        testID: element.testID,
                        box: [box.x, box.y, box.width, box.height],
                        text: element.text.isEmpty ? nil : element.text,
                        style: element.style,
                        parent: element.parent
                    )
                },
                cut: isCut ? true : nil
            )
        )
    }
}

extension String {
    fileprivate var isShort: Bool { utf8.count <= FarmLimits.elementTextBytesMax }
}
