// Opens an address in the user's browser, if this machine has a desktop. The farm never ends the
// browser, which goes on after the program.
import FarmCore
import Foundation

struct Desktop {
    private let environment: [String: String]

    init(_ environment: [String: String]) { self.environment = environment }

    /// Opens the address in the browser; ignores failures, because the address was printed before.
    func open(_ address: String) {
        guard let program = program() else { return }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = [address]
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try? process.run()
    }

    private func program() -> String? {
        #if os(macOS)
        return "/usr/bin/open"
        #else
        let screens = ["WAYLAND_DISPLAY", "DISPLAY"].compactMap { environment[$0] }
        guard screens.contains(where: { !$0.isEmpty }) else { return nil }
        return (environment["PATH"] ?? "").split(separator: ":").map { "\($0)/xdg-open" }
            .first { $0.hasPrefix("/") && FileManager.default.isExecutableFile(atPath: $0) }
        #endif
    }
}
