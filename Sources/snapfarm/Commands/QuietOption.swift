// How every command is told to say little.
import ArgumentParser

/// `--quiet`: the verdict, what went wrong, and what to do about it.
struct QuietOption: ParsableArguments {
    @Flag(name: .customLong("quiet"), help: "Print only the verdict, and what to do about it.")
    var isOn = false
}
