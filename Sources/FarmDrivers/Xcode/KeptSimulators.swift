// Simulators that stay on a machine for later runs, if `SNAPFARM_SIMULATORS` is `keep`. The first
// boot of a simulator migrates the data of its system, which takes minutes; a clone has that data.
//
// Invariants
//   - No test runs in a kept simulator, and nothing is set in it: it booted once, and is only
//     cloned. So two processes never use the same one, and no run can change the pictures of a
//     later one.
//   - Its name has the Xcode and the iOS build that made it, and the day. It has no owner: any
//     process may delete it, and if a clone fails, a new simulator is made.
import FarmCore
import Foundation

/// The name of a kept simulator, such as `snapfarm-kept-16.4-22F77-20783 iPhone 16 (18.5)`.
struct KeptMark: Hashable, Sendable {
    static let prefix = SimulatorName.prefix + "kept-"
    static let daysMax = FarmLimits.simulatorKeptDaysMax
    static let countMax = FarmLimits.simulatorsKeptMax

    /// The version of the Xcode that made the simulator.
    var xcode: String
    /// The build of the simulator's iOS: another one would migrate the simulator's data again.
    var build: String
    /// The day of the simulator's first boot, in days since 1970.
    var day: Int

    init(xcode: String, build: String, day: Int = Self.today) {
        (self.xcode, self.build, self.day) = (xcode, build, day)
    }

    /// Reads the parts of a kept simulator's name, or returns `nil` for any other name.
    init?(name: String) {
        guard name.hasPrefix(Self.prefix) else { return nil }
        let word = name.dropFirst(Self.prefix.count).prefix { $0 != " " }
        let parts = word.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, let day = Int(parts[2]), (0...1_000_000).contains(day) else {
            return nil
        }
        self.init(xcode: String(parts[0]), build: String(parts[1]), day: day)
    }

    static var today: Int { Int(Date().timeIntervalSince1970 / 86_400) }

    func name(title: String) -> String { "\(Self.prefix)\(xcode)-\(build)-\(day) \(title)" }

    /// Whether the simulator's first boot is too long ago, or in the future because the clock was
    /// wrong then.
    func isOld(today: Int) -> Bool { !(0...Self.daysMax).contains(today - day) }

    /// Whether `setting`, the value of `SNAPFARM_SIMULATORS`, asks for simulators to be kept.
    static func isAsked(_ setting: String?) throws(XcodeError) -> Bool {
        switch setting ?? "" {
        case "": return false
        case "keep": return true
        default: throw .simulatorsSetting(setting ?? "")
        }
    }
}

extension SimulatorList {
    private struct Kept {
        var mark: KeptMark
        var simulator: Simulator
        var runtime: String

        /// A key that is equal for two simulators that serve the same cells.
        var kind: [String?] { [mark.xcode, mark.build, runtime, simulator.deviceTypeIdentifier] }

        func isUsable(today: Int) -> Bool {
            !mark.isOld(today: today) && simulator.isAvailable != false
        }
    }

    /// The kept simulators in the list, the newest first.
    private var kept: [Kept] {
        devices.flatMap { runtime, simulators in
            simulators.compactMap { simulator in
                KeptMark(name: simulator.name).map {
                    Kept(mark: $0, simulator: simulator, runtime: runtime)
                }
            }
        }.sorted { ($0.mark.day, $0.simulator.udid) > ($1.mark.day, $1.simulator.udid) }
    }

    /// Returns the UDID of the kept simulator that `xcode` clones for `model`, or `nil` if there is
    /// none.
    ///
    /// A kept simulator that is not shut down is never cloned: another program booted it and may
    /// have changed it.
    func kept(for model: SimulatorModel, by xcode: String, today: Int = KeptMark.today) -> String? {
        guard let build = model.build else { return nil }
        let kind = [xcode, build, model.runtime, model.type]
        return kept.first {
            $0.kind == kind && $0.isUsable(today: today) && $0.simulator.state == "Shutdown"
        }?.simulator.udid
    }

    /// Whether one more simulator may be kept.
    ///
    /// At the limit, no simulator replaces another: a run with more devices would boot all of them
    /// anew each time.
    func canKeep(_ model: SimulatorModel, by xcode: String, today: Int = KeptMark.today) -> Bool {
        kept.count < KeptMark.countMax && kept(for: model, by: xcode, today: today) == nil
    }

    /// Returns the UDIDs, sorted, of the kept simulators that are too old, unusable, duplicates, or
    /// too many.
    func outdatedKept(today: Int = KeptMark.today) -> [String] {
        var kinds: Set<[String?]> = []
        let staying = kept.filter { $0.isUsable(today: today) && kinds.insert($0.kind).inserted }
            .prefix(KeptMark.countMax)
        return Set(kept.map(\.simulator.udid)).subtracting(staying.map(\.simulator.udid)).sorted()
    }
}
