// The coding of an ending: a pass is one word, any other ending an object with one key. Most tests
// pass, and each ending is written and read twice.

extension TestEnding: Codable {
    private enum CodingKeys: String, CodingKey {
        case failed, changed, new, skipped, errored
    }
    private static let passedWord = "passed"

    package func encode(to encoder: any Encoder) throws {
        if case .passed = self {
            var single = encoder.singleValueContainer()
            return try single.encode(Self.passedWord)
        }
        var object = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .passed: break
        case .failed(let text): try object.encode(text, forKey: .failed)
        case .changed(let text): try object.encode(text, forKey: .changed)
        case .new(let text): try object.encode(text, forKey: .new)
        case .skipped(let reason): try object.encode(reason, forKey: .skipped)
        case .errored(let problem): try object.encode(problem, forKey: .errored)
        }
    }

    package init(from decoder: any Decoder) throws {
        if let word = try? decoder.singleValueContainer().decode(String.self) {
            guard word == Self.passedWord else {
                throw Self.unknown(decoder, "\(word) is not an ending")
            }
            self = .passed
            return
        }
        let object = try decoder.container(keyedBy: CodingKeys.self)
        guard let key = object.allKeys.first, object.allKeys.count == 1 else {
            throw Self.unknown(decoder, "an ending has exactly one key")
        }
        switch key {
        case .failed: self = .failed(try object.decode(String.self, forKey: key))
        case .changed: self = .changed(try object.decode(String.self, forKey: key))
        case .new: self = .new(try object.decode(String.self, forKey: key))
        case .skipped: self = .skipped(try object.decode(String.self, forKey: key))
        case .errored: self = .errored(try object.decode(Problem.self, forKey: key))
        }
    }

    private static func unknown(_ decoder: any Decoder, _ fact: String) -> DecodingError {
        .dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: fact))
    }
}
