// What a machine's memory has left.
import FarmCore
import Foundation

package enum HostMemory {
    /// Share of the memory that programs may still take, 0…1; nil where the kernel does not say.
    ///
    /// `text` is that of Linux' `/proc/meminfo`, which is read unless given.
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
