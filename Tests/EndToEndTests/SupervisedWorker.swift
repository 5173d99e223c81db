// A worker as a service manager runs it: with its own user, a process namespace whose processes its
// tests may kill, and a restart whenever it ends.
import FarmTesting
import Foundation

extension Fleet {
    /// The user of such workers; it owns no file of this machine.
    private static let user = "65534"

    /// Whether this machine lets a test start such a worker whose user can read the program.
    static let canSupervise: Bool = {
        let words = [
            "unshare", "--pid", "--fork", "--mount-proc", "setpriv", "--reuid", user,
            "--clear-groups", Program.path, "--version",
        ]
        return geteuid() == 0 && (try? TestProcess.run(words).status) == 0
    }()

    /// The first process of the namespace; it belongs to root, so tests cannot kill it.
    ///
    /// When the worker has ended, the remaining processes of its user are killed as well, as with a
    /// service's control group.
    private static let supervisor = """
        umask 022
        export HOME="$PWD/home" TMPDIR="$PWD/tmp"
        mkdir -p home tmp cache scratch && chown -R "$0" home cache scratch && chmod 1777 tmp || exit
        as() { setpriv --reuid "$0" --regid "$0" --clear-groups "$@"; }
        while :; do
          [ ! -e beside.sh ] || as sh beside.sh &
          as "$@"
          as sh -c 'kill -9 -1'
          chmod 700 scratch cache
          sleep 0.1
        done
        """

    /// Starts a worker in the folder `worker-<id>`, with its home in `home`.
    ///
    /// `beside` is a script of the shell that runs there beside the worker, as the same user.
    func startSupervised(
        _ id: String,
        options: [String] = [],
        beside: String? = nil
    ) throws -> TestProcess {
        if let beside { try place.write("worker-\(id)/beside.sh", beside) }
        return try startWorker(
            id,
            through: [
                "unshare", "--pid", "--fork", "--mount-proc", "--kill-child", "sh", "-c",
                Self.supervisor, Self.user,
            ],
            options: options
        )
    }
}
