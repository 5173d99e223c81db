// The doctor's checks of a pipeline's references: whether the store answers, has the pinned set,
// and takes new sets. A remote store is called from an empty repository that is removed afterwards.
import FarmCore
import FarmDrivers
import FarmGit
import FarmReferences
import Foundation

struct StoreChecks: Sendable {
    let source: PipelineSource
    let environment: [String: String]

    /// The checks of a pipeline's reference store; none for a pipeline without references.
    var checks: [HealthCheck] {
        guard let references = source.pipeline.references else { return [] }
        return [
            HealthCheck(
                "store",
                at: ReferencePlace.store(environment) ?? references.store,
                seconds: FarmLimits.healthFarSeconds,
                late: .failure
            ) {
                await Doctor.blocking { lines() }
            },
            HealthCheck("merge driver") {
                await Doctor.blocking { [mergeDriver()].compactMap(\.self) }
            },
        ]
    }

    /// Returns a line about the merge driver, without which Git leaves conflict markers in a pin
    /// that both sides changed; `nil` if the pin needs no driver.
    private func mergeDriver() -> HealthLine? {
        guard let place = try? source.references(environment), let setup = try? place.mergeDriver()
        else { return nil }
        guard !setup.isComplete else { return .ok("merge driver", "Git merges pins with snapfarm") }
        return .warning(
            "merge driver",
            "this clone has none for pins: `git merge` leaves a pin that both sides changed to you.",
            remedy: "Install it with `snapfarm refs init`. Such a merge is finished by "
                + "`snapfarm refs merge`."
        )
    }

    private func lines() -> [HealthLine] {
        do {
            guard let place = try source.references(environment) else { return [] }
            return try place.isRemote ? remote(place) : local(place)
        } catch {
            return [.failure("store", error)]
        }
    }

    // MARK: a folder

    private func local(_ place: ReferencePlace) throws -> [HealthLine] {
        let path = place.storePath
        let pin: ReferencePin
        do {
            pin = try place.pin()
        } catch {
            return [.failure("pin", error)]
        }
        guard FileManager.default.fileExists(atPath: path) else {
            return [.failure("store", PipelineSourceError.noStore(path, hasPin: !pin.isEmpty))]
        }
        _ = try ReferenceStore(opening: path)
        let cells = Set(place.cells.map(\.id))
        let obstacle = try place.obstacle(pin: pin, cells: cells)
        return [
            .ok("store", path),
            try obstacle.map { .failure("pin", $0) } ?? line(pin, place),
            FileManager.default.isWritableFile(atPath: path)
                ? .ok("store's rights", "this user may write to it")
                : Self.readOnly("\(path) cannot be written.", "Give this user the right to write."),
        ]
    }

    // MARK: a Git host

    private func remote(_ place: ReferencePlace) throws -> [HealthLine] {
        var access = RemoteAccess.own(environment)
        access.attemptsMax = 1
        access.stallSeconds = Int(FarmLimits.healthFarSeconds) - 2
        let scratch = try OwnedFolder("doctor")
        defer { scratch.remove() }
        let store = try RemoteStore(
            of: place.location,
            cloneAt: scratch.path + "/store.git",
            access: access
        )
        let presence: RemotePresence
        let pin: ReferencePin
        do {
            pin = try place.pin()
        } catch {
            return [.failure("pin", error)]
        }
        do {
            presence = try store.presence(of: pin)
        } catch {
            return [.failure("store", error)]
        }
        var lines: [HealthLine] = [.ok("store", "\(place.location)")]
        if let first = presence.missing.first {
            lines.append(
                .failure(
                    "pin",
                    "\(presence.missing.count) of \(pin.entries.count) suites that it names are not "
                        + "in the store, first \(first.path).",
                    remedy:
                        "Push the set from where it was recorded (`snapfarm refs push`), or take "
                        + "the pin of a set that is there (`snapfarm refs log`)."
                )
            )
        } else {
            lines.append(try line(pin, place))
        }
        return lines + [rights(store)]
    }

    /// Returns a line that tells whether the host would accept a push; pushes nothing.
    private func rights(_ store: RemoteStore) -> HealthLine {
        do {
            try store.checkWriting()
            return .ok("store's rights", "the host lets this user push")
        } catch let error as any ExplainedError {
            return Self.readOnly("a push is refused: \(error.message)", Self.remedy(error))
        } catch {
            return .failure("store's rights", error)
        }
    }

    /// Returns the remedy for a push that the host refuses.
    ///
    /// A host may claim that there is no repository to a user who can read it but not push.
    private static func remedy(_ error: any ExplainedError) -> String {
        if case RemoteError.credentials = error { return error.remedy }
        return "Where this machine should record or approve, ask for the right to push."
    }

    // MARK: text

    private func line(_ pin: ReferencePin, _ place: ReferencePlace) throws -> HealthLine {
        if let fact = try place.missingPin() {
            return .warning(
                "pin",
                fact,
                remedy: "Record the first with `snapfarm run --mode record`, and commit the pin."
            )
        }
        guard !pin.isEmpty else {
            return .warning(
                "pin",
                "no references are recorded yet: every picture will be new.",
                remedy: "Record them with `snapfarm run --mode record`, and commit the pin."
            )
        }
        let suites = pin.entries.count
        return .ok(
            "pin",
            "the store has set \(pin.setID.short), \(suites) \(suites == 1 ? "suite" : "suites")"
        )
    }

    private static func readOnly(_ fact: String, _ remedy: String) -> HealthLine {
        .warning(
            "store's rights",
            "runs can compare, but not record or approve: \(fact)",
            remedy: remedy
        )
    }
}
