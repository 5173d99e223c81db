// One request of `--stdin`: a JSON object with the paths `a` and `b`, an `id` that the answer
// repeats, the policy's keys, and `ignore` as in a pipeline file.
import FarmCore
import FarmPipeline
import Foundation

/// The errors of a line that is no valid request.
enum RequestError: ExplainedError {
    case notJSON
    case tooLong
    case missing(key: String)
    case unknown(key: String)
    case value(key: String)
    case policy(PolicyFlagError)
    case ignore(IgnoreError)

    var code: String { "request-invalid" }
    var message: String {
        switch self {
        case .tooLong: "it has more than \(FarmLimits.pairLineBytesMax.grouped) bytes."
        case .notJSON: "it is no JSON object."
        case .missing(let key): "it has no \(key.debugDescription)."
        case .unknown(let key): "it has an unknown key \(key.debugDescription)."
        case .value(let key): "the value of its key \(key.debugDescription) cannot be used."
        case .policy(let error): error.message
        case .ignore(let error): error.message
        }
    }
    var remedy: String {
        switch self {
        case .policy(let error): error.remedy
        case .ignore(let error): error.remedy
        default:
            "Write {\"a\": PATH, \"b\": PATH}; id and the policy's keys may be added."
        }
    }
    var exit: ExitCode { .invalidInput }
}

/// The id and the options of a request, without its pair.
struct PairRequest: Sendable {
    /// The id of a request, a text or a whole number, which the answer repeats.
    enum ID: Hashable, Sendable, Encodable {
        case text(String)
        case number(Int)

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .text(let text): try container.encode(text)
            case .number(let number): try container.encode(number)
            }
        }
    }

    var id: ID?
    /// The policy and the ignored boxes of the request, or `nil` if the line is unusable.
    var choice: ComparisonChoice?

    /// Parses one line as a request; an unusable line becomes a broken pair.
    static func item(
        _ line: [UInt8],
        line number: Int,
        flags: PolicyFlags,
        ignored: [PixelBox]
    ) -> CompareItem {
        var id: ID?
        do throws(RequestError) {
            guard let fields = try? JSONDecoder().decode(Fields.self, from: Data(line)) else {
                throw .notJSON
            }
            id = try fields.id()
            let choice = ComparisonChoice(
                try fields.policy(flags),
                ignored: ignored + (try fields.ignored())
            )
            return CompareItem(
                pair: PicturePair(
                    number: number,
                    a: try fields.path("a"),
                    b: try fields.path("b")
                ),
                request: PairRequest(id: id, choice: choice)
            )
        } catch {
            return .broken(line: number, Problem(error), request: PairRequest(id: id))
        }
    }

    /// The values of a request's JSON object, by key.
    private struct Fields: Decodable {
        private enum Value: Decodable {
            case text(String)
            case flag(Bool)
            case whole(Int)
            case number(Double)
            case texts([String])
            /// A value that no key accepts: null, any other list, or an object.
            case other

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if let flag = try? container.decode(Bool.self) {
                    self = .flag(flag)
                } else if let whole = try? container.decode(Int.self) {
                    self = .whole(whole)
                } else if let number = try? container.decode(Double.self) {
                    self = .number(number)
                } else if let text = try? container.decode(String.self) {
                    self = .text(text)
                } else if let texts = try? container.decode([String].self) {
                    self = .texts(texts)
                } else {
                    self = .other
                }
            }

            var text: String? {
                switch self {
                case .text(let text): text
                case .flag(let flag): "\(flag)"
                case .whole(let whole): "\(whole)"
                case .number(let number): "\(number)"
                case .texts, .other: nil
                }
            }
        }

        private let values: [String: Value]

        init(from decoder: any Decoder) throws {
            values = try decoder.singleValueContainer().decode([String: Value].self)
        }

        func id() throws(RequestError) -> ID? {
            switch values["id"] {
            case nil: return nil
            case .text(let text): return .text(text)
            case .whole(let whole): return .number(whole)
            default: throw .value(key: "id")
            }
        }

        func path(_ key: String) throws(RequestError) -> PathBytes {
            guard let value = values[key] else { throw .missing(key: key) }
            guard case .text(let text) = value, !text.isEmpty, !text.utf8.contains(0) else {
                throw .value(key: key)
            }
            return PathBytes(text)
        }

        /// Returns the boxes that the request ignores, given as one text or as a list of texts.
        func ignored() throws(RequestError) -> [PixelBox] {
            let texts: [String]
            switch values["ignore"] {
            case nil: return []
            case .text(let text): texts = [text]
            case .texts(let several): texts = several
            default: throw .value(key: "ignore")
            }
            do throws(IgnoreError) {
                return try IgnoredBoxes.boxes(of: texts)
            } catch {
                throw .ignore(error)
            }
        }

        func policy(_ flags: PolicyFlags) throws(RequestError) -> ComparisonPolicy {
            var own = PolicyFlags()
            for (key, value) in values where !["a", "b", "id", "ignore"].contains(key) {
                guard PolicyFlags.keys.contains(key) else {
                    throw .unknown(key: key)
                }
                guard let text = value.text else { throw .value(key: key) }
                own.values[key] = text
            }
            do throws(PolicyFlagError) {
                return try flags.overridden(by: own).policy()
            } catch {
                throw .policy(error)
            }
        }
    }
}
