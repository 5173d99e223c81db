// From the word `driver:` of a pipeline file to the driver that runs it.
import FarmCore

/// The drivers of one process; what they keep warm (browsers) is shared by all its jobs.
package struct DriverCatalog: Sendable {
    private let command: CommandDriver
    private let swiftpm: SwiftPMDriver
    private let webdriver: WebDriverDriver

    /// - Parameter environment: this process's environment; the drivers pass little of it on.
    package init(environment: [String: String]) {
        command = CommandDriver(environment: environment)
        swiftpm = SwiftPMDriver(environment: environment)
        webdriver = WebDriverDriver(environment: environment)
    }

    package func driver(for settings: DriverSettings) -> any TestDriver {
        switch settings {
        case .command: command
        case .swiftpm: swiftpm
        case .webdriver: webdriver
        }
    }

    /// Ends everything the drivers keep warm.
    package func shutDown() async {
        await command.shutDown()
        await swiftpm.shutDown()
        await webdriver.shutDown()
    }
}
