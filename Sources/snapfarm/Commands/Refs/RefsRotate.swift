// `snapfarm refs rotate`: moves the kept sets to a new store, if a host never collects garbage.
import ArgumentParser
import FarmCore
import FarmReferences
import FarmRun
import Foundation

struct RefsRotate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Writes the sets that stay into a new store; all ids stay the same."
    )

    @Argument(help: "The new store's folder; push it to a new repository.") var target: String
    @OptionGroup var options: RefsOptions
    @OptionGroup var policy: PolicyOptions
    @Flag(help: "The old store's objects stay readable through the new one.") var alternate = false
    @Flag(help: "Print the plan and do nothing.") var dryRun = false

    private struct Result: Encodable {
        var target: String
        var kept: [PruneDecision.Kept]
        var leftBehind: [ObjectID]
        var rotation: Rotation?
    }

    func run() throws {
        let place = try options.place()
        let store = try place.store()
        let now = Date()
        let plan = try store.prunePlan(
            pins: try PinRoots(reading: try policy.request(place, now: now)),
            policy: policy.policy,
            now: now,
            detail: .local
        )
        let kept = plan.decision.kept
        let sets = kept.map(\.set)
        var result = Result(
            target: PipelineSource.absolute(target),
            kept: kept,
            leftBehind: Set(try store.sets()).subtracting(sets).sorted(),
            rotation: nil
        )
        if !options.json {
            var lines = kept.map {
                "keep \($0.set): \($0.reasons.map(\.text).joined(separator: "; "))"
            }
            lines += result.leftBehind.map { "leave \($0)" }
            Console.print(lines.map { $0 + "\n" }.joined())
        }
        if !dryRun {
            result.rotation = try store.rotate(
                keeping: sets,
                to: result.target,
                old: alternate ? .alternate : .forget,
                now: now
            )
        }
        guard !options.json else { return try RefsOutput.print(result) }
        guard let rotation = result.rotation else { return }
        Console.print(
            "\(Amount.count(rotation.sets.count, "set")), "
                + "\(Amount.bytes(rotation.bytes)) in \(result.target)\n"
        )
        options.words.say("name it in the pipeline file: references.store. No pin changes.")
    }
}
