// What a worker of this machine offers: what was found, and what the command line says. Where both
// speak of one thing, the command line is right.
import FarmArtifacts
import FarmCore
import FarmDrivers

/// The offers of this machine.
package enum OfferedHere {
    /// Reads what `--offer` says.
    package static func said(_ words: [String]) throws(OfferMistake) -> WorkerOffer {
        var offer = WorkerOffer()
        for word in words { try offer.add(word: word) }
        return offer
    }

    /// `asksPrograms` also starts the programs that know their versions, which takes seconds.
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
                // What was found first is kept.
                Console.say("not offered: \(name) \(value): \(error.message)")
                break
            }
        }
        return offer
    }
}
