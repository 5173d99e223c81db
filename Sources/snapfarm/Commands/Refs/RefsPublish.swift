// `snapfarm refs publish`: gives a name to the set of a pin that Git merged as text.
import ArgumentParser
import FarmCore
import FarmReferences
import FarmRun

struct RefsPublish: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish",
        abstract: "Makes the pin's set visible, also at the remote.",
        discussion: "Gives the pin's set its name in the store and at the remote."
    )

    @OptionGroup var options: RefsOptions
    @OptionGroup var remote: RemoteOptions

    private struct Result: Encodable {
        var set: ObjectID
        var wasVisible: Bool
        var push: PushResult?
    }

    func run() throws {
        let place = try options.place()
        let pin = try place.pin()
        let far = place.isRemote || remote.remote != nil ? try place.remote(remote) : nil
        if let far, !pin.isEmpty { _ = try far.fetch(pin) }
        let store = try far?.clone ?? place.store()
        let made = try store.publish(pin)
        let result = Result(
            set: made.set,
            wasVisible: made.wasVisible,
            push: try far?.push(pin)
        )
        let wasVisible = result.push?.wasThere ?? result.wasVisible
        let word = wasVisible ? "was visible already" : "is visible now"
        try options.show(result, lines: ["set \(made.set) \(word)"])
    }
}
