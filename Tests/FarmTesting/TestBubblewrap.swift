// bubblewrap, for tests of isolated tests.

/// The program that isolates tests on Linux.
package enum TestBubblewrap {
    /// Whether it is installed and may make namespaces here.
    ///
    /// Without it tests of isolation are skipped.
    package static let isUsable: Bool = {
        let words = ["bwrap", "--ro-bind", "/", "/", "--unshare-all", "--proc", "/proc", "true"]
        return (try? TestProcess.run(words).status) == 0
    }()
    package static let absence = "needs: apt-get install -y bubblewrap, and namespaces"
}
