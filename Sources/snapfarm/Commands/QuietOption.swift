// The option of every command that can print less.
import ArgumentParser

/// `--quiet`: prints only the verdict, errors and remedies.
struct QuietOption: ParsableArguments {
    @Flag(name: .customLong("quiet"), help: "Print only the verdict, and what to do about it.")
    var isOn = false
}
