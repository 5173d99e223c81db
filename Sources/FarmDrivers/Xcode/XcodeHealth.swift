// Checks what jobs of the driver `xcodebuild` need of a machine: an Xcode that the job wants, and
// simulators of its devices. Never tried with Apple's own tools, like the driver.
import FarmCore
import FarmPipeline

/// The health checks of jobs of the driver `xcodebuild`.
struct XcodeHealth: Sendable {
    let jobs: [Job]
    let place: HealthPlace

    func lines() async -> [HealthLine] {
        let environment = place.environment.filter {
            CleanEnvironment.isKept($0.key) || $0.key == "SNAPFARM_XCODES"
        }
        let all = await XcodeInstallations(environment: environment).all()
        guard !all.isEmpty else {
            return [
                .failure(
                    "xcode",
                    "no Xcode is here.",
                    remedy: "Run these jobs on a Mac with Xcode; where this is one, install it and "
                        + "select it with `xcode-select`."
                )
            ]
        }
        do throws(XcodeError) {
            _ = try KeptMark.isAsked(place.environment["SNAPFARM_SIMULATORS"])
        } catch {
            return [.failure("xcode", error)]
        }
        var lines: [HealthLine] = []
        for job in jobs { lines += await self.lines(of: job, all, environment) }
        return lines
    }

    private func lines(
        of job: Job,
        _ all: [XcodeInstallation],
        _ environment: [String: String]
    ) async -> [HealthLine] {
        let subject = "job \(job.name)"
        do {
            guard let xcode = try XcodeInstallation.choice(job.needs ?? Needs([]), among: all)
            else {
                return [
                    .failure(
                        subject,
                        "no Xcode is selected.",
                        remedy: "Select one: `xcode-select --switch`, or write `needs: {xcode: …}`."
                    )
                ]
            }
            var tools = XcodeTools(environment: environment)
            if let folder = xcode.developerFolder { tools.environment["DEVELOPER_DIR"] = folder }
            guard let list = try await tools.simulators() else {
                return [
                    .failure(
                        subject,
                        "Xcode \(xcode.version) does not list its simulators.",
                        remedy: "Run `xcrun simctl list` by hand to see why.",
                        exit: .busy
                    )
                ]
            }
            return lines(of: job, xcode, list)
        } catch {
            return [.failure(subject, error)]
        }
    }

    private func lines(
        of job: Job,
        _ xcode: XcodeInstallation,
        _ list: SimulatorList
    ) -> [HealthLine] {
        let subject = "job \(job.name)"
        var seen: Set<String> = []
        let devices = job.cells.compactMap(\.device).filter { seen.insert($0.title).inserted }
        let failures = devices.compactMap { device -> HealthLine? in
            do throws(XcodeError) {
                _ = try list.model(of: device)
                return nil
            } catch {
                return .failure(subject, error)
            }
        }
        guard failures.isEmpty else { return failures }
        let names = devices.map(\.title).joined(separator: ", ")
        return [.ok(subject, "Xcode \(xcode.version), with simulators of \(names)")]
    }
}
