// Names that other machines choose. They get into the ledger, into paths and into logs.

/// The rule for names that other machines choose.
package enum FleetNames {
    /// The most bytes of a worker's name, a claim's number or a run's key.
    package static let bytesMax = 200

    /// Whether `text` can be such a name: one line of 1 to `bytesMax` bytes without control
    /// characters.
    package static func isUsable(_ text: String) -> Bool {
        (1...bytesMax).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 }
    }
}

extension RunID {
    /// Makes a new run's id, which sorts by time; four letters distinguish runs of the same second.
    ///
    /// `now` is in milliseconds since 1970.
    package static func new(
        now: Int64,
        using generator: inout some RandomNumberGenerator
    ) -> RunID {
        let letters = Array("abcdefghjkmnpqrstuvwxyz23456789")
        let salt = (0..<4).map { _ in
            String(letters[Int(generator.next() % UInt64(letters.count))])
        }
        let stamp = ISO8601.text(now).prefix(19).filter { $0 != "-" && $0 != ":" }
        return RunID("\(stamp.replacing("T", with: "-"))-\(salt.joined())")
    }
}
