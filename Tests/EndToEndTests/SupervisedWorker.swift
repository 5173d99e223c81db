// A worker as a service manager runs it: a user of its own, a namespace of processes in which its tests
// may kill what they like, and a new start whenever it ends.
import FarmTesting
import Foundation

extension Fleet {
    /// The user of such workers; no file of this machine is its own.
    private static let user = "65534"

    /// Whether this machine lets a test make such a worker, and its user read the program.
    static let canSupervise: Bool = {
        let words = [
            "unshare", "--pid", "--fork", "--mount-proc", "setpriv", "--reuid", user,
            "--clear-groups", Program.path, "--version",
        ]
        return geteuid() == 0 && (try? TestProcess.run(words).status) == 0
    }()

    /// The first process of the namespace: it is root's, so no test ends it.
    ///
    /// When the worker has ended, what is left of its user
    /// ends as well, as with a service's control group.
    private static let supervisor = """
        umask 022
        export HOME="$PWD/home" TMPDIR="$PWD/tmp"
        mkdir -p home tmp cache scratch && chown -R "$0" home cache scratch && chmod 1777 tmp || exit
        as() { setpriv --reuid "$0" --regid "$0" --clear-groups "$@"; }
        while :; do
          as "$@"
          as sh -c 'kill -9 -1'
          chmod 700 scratch cache
          sleep 0.1
        done
        """

    /// Starts a worker in the folder `worker-<id>`: its home is `home` there.
    func startSupervised(_ id: String) throws -> TestProcess {
        try startWorker(
            id,
            through: [
                "unshare", "--pid", "--fork", "--mount-proc", "--kill-child", "sh", "-c",
                Self.supervisor, Self.user,
            ]
        )
    }
}
