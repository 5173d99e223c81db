// The free memory of this machine.
import FarmCore
import Foundation

package enum HostMemory {
    /// Returns the share of the memory that programs may still take, 0…1, or `nil` if the kernel
    /// does not report it.
    ///
    /// `text` has the form of Linux' `/proc/meminfo`, the default.
    package static func free(
        _ text: String? = try? String(contentsOfFile: "/proc/meminfo", encoding: .utf8)
    ) -> Double? {
        guard let text else { return nil }
        func kilobytes(_ name: String) -> Double? {
            let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
            return line?.split(separator: " ").dropFirst().first.flatMap { Double($0) }
        }
        guard let total = kilobytes("MemTotal"), total > 0,
            let available = kilobytes("MemAvailable"), available >= 0
        else { return nil }
        return min(1, available / total)
    }
}
