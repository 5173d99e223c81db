// The offer of a worker: its machine's system, programs and versions, and what its owner adds
// (`--offer gpu=metal`, `--offer lab`). Offers come from other machines, so every part has a limit.

/// The offer of a worker: names such as `xcode`, each with its values.
package struct WorkerOffer: Hashable, Sendable {
    /// The offered values by name: versions in their order, then other texts, each once; empty if
    /// the name was given without a value.
    package private(set) var values: [String: [String]] = [:]

    package init() {}

    package var isEmpty: Bool { values.isEmpty }

    /// Adds a name to the offer, or a value of the name; a repeated value has no effect.
    package mutating func add(_ name: String, _ value: String? = nil) throws(OfferMistake) {
        guard Self.isName(name) else { throw .name(name) }
        if let value, !FleetNames.isUsable(value) { throw .value(name, value) }
        let before = values[name]
        var known = before ?? []
        if let value, !known.contains(value) {
            let place = known.firstIndex { Self.precedes(value, $0) } ?? known.endIndex
            known.insert(value, at: place)
        }
        values[name] = known
        guard isSmall else {
            values[name] = before
            throw .tooMuch
        }
    }

    private var isSmall: Bool {
        var count = 0
        var bytes = 0
        for (name, values) in values {
            count += max(1, values.count)
            bytes += name.utf8.count + values.reduce(0) { $0 + $1.utf8.count }
        }
        return count <= FarmLimits.offerValuesMax && bytes <= FarmLimits.offerBytesMax
    }

    /// Adds an offer from the command line: `NAME` or `NAME=VALUE`.
    package mutating func add(word: String) throws(OfferMistake) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        try add(String(parts.first ?? ""), parts.count > 1 ? String(parts[1]) : nil)
    }

    /// Adds all names and values of another offer.
    package mutating func add(_ other: WorkerOffer) throws(OfferMistake) {
        for (name, values) in other.values.sorted(by: { $0.key < $1.key }) {
            try add(name)
            for value in values { try add(name, value) }
        }
    }

    /// The offer in words, without what draws pictures: `arch arm64, lab, xcode 15.9, 15.10`.
    package var words: String {
        values.filter { !$0.key.hasPrefix(Self.rendererName) }.sorted { $0.key < $1.key }
            .map { name, values in Self.words(name, values) }.joined(separator: ", ")
    }

    /// Returns the name with at most its last three values, and the number of the others: `xcode
    /// 15.2, 15.9, 15.10 (and 2 more)`.
    static func words(_ name: String, _ values: [String]) -> String {
        guard !values.isEmpty else { return name }
        let shown = values.suffix(3).joined(separator: ", ")
        return "\(name) \(shown)" + (values.count > 3 ? " (and \(values.count - 3) more)" : "")
    }

    /// Whether `text` is a name that can be offered: lower-case letters, digits, `.`, `_` and `-`,
    /// a letter first.
    ///
    /// So each name has one spelling.
    package static func isName(_ text: String) -> Bool {
        (1...FarmLimits.offerNameBytesMax).contains(text.utf8.count)
            && text.utf8.first.map { (97...122).contains($0) } == true
            && text.utf8.allSatisfy {
                (97...122).contains($0) || (48...57).contains($0) || [45, 46, 95].contains($0)
            }
    }

    private static func precedes(_ left: String, _ right: String) -> Bool {
        switch (VersionNumber(left), VersionNumber(right)) {
        case (let left?, let right?) where left != right: left < right
        case (_?, nil): true
        case (nil, _?): false
        default: left < right
        }
    }
}

extension WorkerOffer: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        self.init()
        for (name, values) in try container.decode([String: [String]].self).sorted(by: {
            $0.key < $1.key
        }) {
            do throws(OfferMistake) {
                try add(name)
                for value in values { try add(name, value) }
            } catch {
                throw DecodingError.dataCorruptedError(
                    in: container,
                    debugDescription: error.message
                )
            }
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(values)
    }
}

/// The reason why a name or value cannot be offered.
package enum OfferMistake: ExplainedError, Hashable {
    case name(String)
    case value(String, String)
    case tooMuch

    package var code: String { "offer-invalid" }
    package var message: String {
        switch self {
        case .name(let name): "\"\(name.prefix(80))\" is no name of something a worker offers."
        case .value(let name, let value):
            "the value \"\(value.prefix(80))\" of \(name) is not one line of 1 to "
                + "\(FleetNames.bytesMax) bytes."
        case .tooMuch:
            "a worker offers more than \(FarmLimits.offerValuesMax) values or "
                + "\(FarmLimits.offerBytesMax) bytes."
        }
    }
    package var remedy: String {
        switch self {
        case .name:
            "Names are lower-case letters, digits, `.`, `_` and `-`, a letter first: "
                + "--offer lab, --offer xcode=16.0."
        case .value: "Write --offer NAME=VALUE."
        case .tooMuch: "Offer only what some cell needs."
        }
    }
    package var exit: ExitCode { .usage }
}
