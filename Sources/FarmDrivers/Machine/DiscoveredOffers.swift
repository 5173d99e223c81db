// Parses the output of a machine's programs into the offers of its worker. Pure: the caller passes
// the texts.
import FarmCore
import Foundation

enum DiscoveredOffers {
    /// Returns the first word of `output` that is a version, as in `Chromium 134.0.6998.88 built on
    /// …` and `Xcode 15.4`, or `nil` if there is none.
    static func version(in output: String) -> String? {
        output.split(whereSeparator: \.isWhitespace).first { DeviceName.isVersion($0) }
            .map { String($0) }
    }

    /// Returns `VERSION_ID` of `/etc/os-release`, or `nil` if there is none.
    static func systemVersion(osRelease text: String) -> String? {
        let key = "VERSION_ID="
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix(key) }) else {
            return nil
        }
        let value = line.dropFirst(key.count).filter { $0 != "\"" && $0 != "'" }
        return value.isEmpty ? nil : String(value)
    }

    /// Returns the offers in the output of `xcrun simctl list --json`: each runtime by its platform
    /// (`ios=17.5`), and each simulator with and without its runtime, such as `simulator=iPhone 15
    /// (17.5)`.
    ///
    /// Omits unavailable runtimes and simulators, and simulators that snapfarm made. Returns no
    /// offers if `json` is no such list.
    static func simulators(_ json: Data) -> [(name: String, value: String)] {
        guard let list = SimulatorList(json) else { return [] }
        var found: [(name: String, value: String)] = []
        for runtime in list.runtimes.sorted(by: { $0.identifier < $1.identifier })
        where runtime.isUsable {
            // Names are such as "iOS 17.5". Older versions of Xcode have no field `platform`.
            let platform = runtime.name.prefix { $0 != " " }.lowercased()
            found.append((platform, runtime.version))
            for simulator in list.devices[runtime.identifier] ?? []
            where simulator.isAvailable != false && !simulator.name.hasPrefix(SimulatorName.prefix)
            {
                found.append(("simulator", simulator.name))
                found.append(("simulator", "\(simulator.name) (\(runtime.version))"))
            }
        }
        return found
    }
}
