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

    /// Returns the values of `--offer` for workers that join those of other machines: what the
    /// command line says, and what draws the pictures here.
    static func joining(
        _ words: [String],
        environment: [String: String]
    ) async throws -> [String] {
        let said = try said(words)
        var offer = said
        await add(DriverCatalog(environment: environment).renderers(), to: &offer)
        let found = offer.values.filter { said.values[$0.key] == nil }
        return words + found.flatMap { name, values in values.map { "\(name)=\($0)" } }.sorted()
    }

    /// Adds what draws the pictures here to an offer.
    static func add(
        _ renderers: [(driver: String, renderer: [String: String])],
        to offer: inout WorkerOffer
    ) {
        for (driver, renderer) in renderers {
            do throws(OfferMistake) {
                try offer.add(renderer: renderer, of: driver)
            } catch {
                Console.say("not offered: the renderer of \(driver): \(error.message)")
            }
        }
    }
}
