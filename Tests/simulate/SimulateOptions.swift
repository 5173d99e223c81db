// The arguments of `simulate`, and the file of seeds that failed once.
import FarmSimulator
import Foundation

struct SimulateOptions {
    struct Mistake: Error {
        let words: String
    }

    /// The seed to replay with a trace.
    var seed: UInt64?
    var count: UInt64 = 1_000
    var from: UInt64 = 1
    var threads = ProcessInfo.processInfo.activeProcessorCount
    var planted: [PlantedBug] = []
    /// The file of kept seeds: one per line, followed by the reason.
    var kept: String?
    /// The number of broken seeds after which the search stops.
    let brokenMax = 20

    init(_ words: [String]) throws {
        var rest = words[...]
        while let name = rest.popFirst() {
            guard let value = rest.popFirst() else {
                throw Mistake(words: "\(name) needs a value.")
            }
            switch name {
            case "--seed": seed = try Self.number(value)
            case "--seeds": count = try Self.number(value)
            case "--from": from = try Self.number(value)
            case "--threads": threads = Int(try Self.number(value))
            case "--kept": kept = value
            case "--planted": planted = try Self.bugs(value)
            default: throw Mistake(words: "\(name) is not an option of simulate.")
            }
        }
    }

    var seeds: [UInt64] { Array(from..<(from + count)) }

    var keptSeeds: [UInt64] {
        guard let kept, let text = try? String(contentsOfFile: kept, encoding: .utf8) else {
            return []
        }
        return text.split(separator: "\n").compactMap {
            $0.split(separator: " ").first.flatMap { UInt64($0) }
        }
    }

    /// Adds seeds to the file of those that failed once.
    func keep(_ seeds: [UInt64]) throws {
        let known = keptSeeds
        let new = seeds.filter { !known.contains($0) }.sorted()
        guard let kept, !new.isEmpty else { return }
        var text = (try? String(contentsOfFile: kept, encoding: .utf8)) ?? ""
        text += new.map { "\($0)\n" }.joined()
        try text.write(toFile: kept, atomically: true, encoding: .utf8)
        print("kept in \(kept): say there why each failed")
    }

    private static func number(_ text: String) throws -> UInt64 {
        guard let number = UInt64(text), number < 1 << 62 else {
            throw Mistake(words: "\(text) is not a number of seeds or threads.")
        }
        return number
    }

    private static func bugs(_ text: String) throws -> [PlantedBug] {
        if text == "all" { return PlantedBug.allCases }
        guard let bug = PlantedBug(rawValue: text) else {
            let known = PlantedBug.allCases.map(\.rawValue).joined(separator: ", ")
            throw Mistake(words: "\(text) is not a planted bug; all, or one of: \(known).")
        }
        return [bug]
    }
}
