// The offer of a worker on this machine: the values found on it, overruled by those of the command
// line.
import FarmArtifacts
import FarmCore
import FarmDrivers

/// Finds the capabilities that this machine offers.
package enum LocalOffer {
    /// Parses the values of the option `--offer`.
    package static func said(_ words: [String]) throws(OfferMistake) -> WorkerOffer {
        var offer = WorkerOffer()
        for word in words { try offer.add(word: word) }
        return offer
    }

    /// Returns what the machine offers, overruled by `said`.
    ///
    /// If `asksPrograms`, also runs programs to learn their versions, which takes seconds.
    static func offer(
        said: WorkerOffer,
        environment: [String: String],
        asksPrograms: Bool
    ) async -> WorkerOffer {
        let machine = MachineOffers(
            environment: environment,
            platform: BundlePlatform.current
        )
        var offer = said
        let found = await machine.system() + (asksPrograms ? machine.programs() : [])
        for (name, value) in found where said.values[name] == nil {
            do throws(OfferMistake) {
                try offer.add(name, value)
            } catch {
                // The values found before this one are kept.
                Console.say("not offered: \(name) \(value): \(error.message)")
                break
            }
        }
        return offer
    }
}
