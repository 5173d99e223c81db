// What programs say of a machine → what its worker offers. Pure: the caller brings the texts.
import FarmCore
import Foundation

enum DiscoveredOffers {
    /// The first word that is a version: `Chromium 134.0.6998.88 built on …`, `Xcode 15.4`.
    static func version(in output: String) -> String? {
        output.split(whereSeparator: \.isWhitespace).first { DeviceName.isVersion($0) }
            .map { String($0) }
    }

    /// `VERSION_ID` of `/etc/os-release`.
    static func systemVersion(osRelease text: String) -> String? {
        let key = "VERSION_ID="
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix(key) }) else {
            return nil
        }
        let value = line.dropFirst(key.count).filter { $0 != "\"" && $0 != "'" }
        return value.isEmpty ? nil : String(value)
    }

    /// What `xcrun simctl list --json` shows: each runtime by its platform (`ios=17.5`), and each
    /// simulator with and without its runtime (`simulator=iPhone 15 (17.5)`).
    ///
    /// Leaves out what is not available. Empty if `json` is no such list.
    static func simulators(_ json: Data) -> [(name: String, value: String)] {
        guard let list = SimulatorList(json) else { return [] }
        var found: [(name: String, value: String)] = []
        for runtime in list.runtimes.sorted(by: { $0.identifier < $1.identifier })
        where runtime.isUsable {
            // "iOS 17.5": the field `platform` is younger than this one.
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
