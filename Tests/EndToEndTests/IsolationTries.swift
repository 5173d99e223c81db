// Tries of a hostile test to get something of its machine, beside its lease. Each is the shell script
// of one test, and calls `got` when it has something. `HostileTries.swift` has the attacks on a
// worker's later work.

/// A try of a test to reach what is not its own.
struct IsolationTry: Sendable {
    /// The gain of a test that is not isolated.
    enum Gain: Sendable {
        case something
        case nothing
        /// It depends on the machine.
        case either
    }

    let name: String
    let free: Gain
    /// Whether isolated tests get it, too, where they have the network of their worker.
    let isNetwork: Bool
    let script: String

    init(_ name: String, free: Gain = .something, isNetwork: Bool = false, _ script: String) {
        (self.name, self.free, self.isNetwork, self.script) = (name, free, isNetwork, script)
    }

    /// The script of each test: `worker` is the worker's folder, `tag` the beginning of all names
    /// that this fleet planted on the machine, `other` a process of the worker's user.
    static func program(worker: String, project: String, port: Int, tag: String) -> String {
        """
        worker=\(worker) own=\(worker)/home project=\(project) port=\(port) tag=\(tag) mark=0
        got() { mark=1; echo "GOT $*"; }
        others() { for p in /proc/[0-9]*; do
          tr '\\0' ' ' <$p/cmdline 2>/dev/null | grep -q 'beside[.]py' && echo ${p#/proc/}; done; }
        other=$(others | head -1)
        . ./tries/$1
        exit $mark

        """
    }

    /// A process of the worker's user beside the worker, with something of each kind to be had.
    static func beside(tag: String) -> String {
        """
        import ctypes, os, socket, sys, time
        libc = ctypes.CDLL(None)
        libc.shmget(\(key(tag)), 4096, 0o1600)
        for name in ("\\0\(tag)", "tmp/beside.sock"):
            try: os.unlink(name)
            except (OSError, ValueError): pass
            s = socket.socket(socket.AF_UNIX); s.bind(name); s.listen()
            globals()["kept" + str(len(name))] = s
        open("home/beside.pid", "w").write(str(os.getpid()))
        time.sleep(3600)

        """
    }

    /// The key of the shared memory that belongs to a tag.
    private static func key(_ tag: String) -> Int {
        7_000_000 + tag.utf8.reduce(0) { $0 * 3 % 99_991 + Int($1) }
    }

    static func all(tag: String) -> [IsolationTry] {
        signals + files + machine + processes + messages(tag)
    }

    private static let files = [
        IsolationTry("token", "cat $worker/token && got the token"),
        IsolationTry("key", "cat $own/.ssh/id && got a key of the home"),
        IsolationTry("settings", "echo '[a]' >>$own/.gitconfig && got the home"),
        IsolationTry(
            "cache",
            "[ $(ls $worker/cache/snapfarm/bundles | wc -l) -gt 1 ] && got the cache"
        ),
        // In the memory of an isolated test's own /tmp these two succeed and mean nothing.
        IsolationTry("bundles", free: .nothing, ": >$worker/cache/snapfarm/bundles/planted; true"),
        IsolationTry(
            "bundle",
            "chmod u+w tries/victim; (echo x >tries/victim) && got its bundle"
        ),
        IsolationTry("lease", "cat $worker/scratch/other/L1/lease/secret && got another lease"),
        IsolationTry("removal", "rm -r $worker/scratch/doomed && got a folder of leases"),
        IsolationTry(
            "link",
            free: .nothing,
            "for d in $worker/scratch/worker-*; do ln -s /etc $d/L999; done; true"
        ),
        IsolationTry(
            "log",
            "for f in $worker/scratch/worker-*/*/lease.log; do (echo forged >>$f) && got a log; done"
        ),
        IsolationTry("tree", "cat $project/app.yaml && got the files of who submitted"),
        IsolationTry("shadow", free: .nothing, "cat /etc/shadow && got passwords"),
        IsolationTry("root", free: .nothing, "ls /root && got the home of root"),
        IsolationTry("state", free: .either, "ls ${worker%/*}/state && got the coordinator"),
        IsolationTry(
            "tmp",
            "[ $(ls -d /tmp/snapfarm-* | wc -l) -gt 1 ] && got the temporary folder"
        ),
        IsolationTry("var-tmp", "(: >/var/tmp/$tag-planted) && got a folder that stays"),
        IsolationTry("usr", free: .nothing, "(: >/usr/$tag-planted) && got the tools"),
        IsolationTry("etc", free: .nothing, "(: >/etc/$tag-planted) && got the settings"),
        IsolationTry("own-etc", free: .nothing, "(echo >>/etc/passwd) && got the users"),
        IsolationTry("shm", "cat /dev/shm/$tag-shared && got shared memory"),
        IsolationTry("logs", free: .either, "cat /var/log/dpkg.log | grep . && got logs"),
        IsolationTry("nested", "bwrap --dev-bind / / cat $worker/token && got the token"),
        IsolationTry(
            "fds",
            free: .nothing,
            "[ $(ls /proc/self/fd | wc -l) -le 4 ] || got descriptors"
        ),
    ]

    private static let machine = [
        IsolationTry("disk", free: .nothing, "head -c 1 /dev/[sv]da | grep -c . && got the disk"),
        IsolationTry("run", "ls -d /run/* && got what runs"),
        IsolationTry("sys", "ls -d /sys/class && got the devices"),
        IsolationTry("boot", "ls -d /boot && got the kernel"),
        IsolationTry("machine-id", free: .either, "cat /etc/machine-id && got the machine"),
        IsolationTry("mount", free: .nothing, "mount -t tmpfs none /mnt && got a mount"),
        IsolationTry(
            "remount",
            free: .nothing,
            "unshare -Urm sh -c 'mount -o remount,rw,bind tries && echo x >tries/victim' && got it"
        ),
        IsolationTry(
            "kernel",
            free: .nothing,
            "(: >>/proc/sys/kernel/core_pattern) && got the settings of the kernel"
        ),
        IsolationTry("module", free: .nothing, "modprobe dummy && got the kernel"),
        IsolationTry(
            "hostname",
            free: .nothing,
            "hostname $tag && [ $(hostname) = $tag ] && got the name of the machine"
        ),
    ]

    private static let processes = [
        IsolationTry("list", "[ -n \"$other\" ] && got the processes of others"),
        IsolationTry(
            "environ",
            "grep -sqaF $tag-secret /proc/[0-9]*/environ && got an environment"
        ),
        IsolationTry("open", "ls /proc/${other:-none}/fd && got its files"),
        IsolationTry(
            "their-root",
            "for p in /proc/[0-9]*; do cat $p/root$worker/token && got the token; done"
        ),
        IsolationTry("cwd", "for p in /proc/[0-9]*; do cat $p/cwd/token && got the token; done"),
        IsolationTry(
            "memory",
            free: .either,
            "dd if=/proc/${other:-none}/mem bs=1 count=1 skip=$((4096 * 1024)) && got memory"
        ),
        IsolationTry(
            "ptrace",
            free: .either,
            "python3 -c 'import ctypes,sys; "
                + "sys.exit(ctypes.CDLL(None).ptrace(16, int(sys.argv[1]), 0, 0))' "
                + "${other:-x} && got a debugger"
        ),
        IsolationTry(
            "namespace",
            free: .nothing,
            "nsenter -t ${other:-none} -m -p true && got a namespace"
        ),
        IsolationTry("priority", "renice -n 5 -p ${other:-none} && got its priority"),
    ]

    private static let signals = [
        IsolationTry("signal", "kill -CONT ${other:-none} && got a signal through"),
        IsolationTry("worker", "kill -9 $PPID; sleep 2"),
        IsolationTry("abort", free: .either, "kill -ABRT $PPID; sleep 2"),
        IsolationTry("all", "kill -9 -1; sleep 2"),
        IsolationTry(
            "storm",
            free: .either,
            """
            python3 -c 'import os,time
            for i in range(4500):
                if os.fork() == 0: os.setsid(); time.sleep(1000)
            ' && got all the processes that it wanted
            """
        ),
        IsolationTry(
            "stay",
            free: .nothing,
            "env -i /bin/setsid /bin/sh -c 'while :; do sleep 1; done' >/dev/null 2>&1 &"
        ),
    ]

    private static func messages(_ tag: String) -> [IsolationTry] {
        let connect =
            "python3 -c 'import socket,sys; s=socket.socket(socket.AF_UNIX); "
            + "s.connect(sys.argv[1].replace(\"@\",\"\\0\"))'"
        return [
            IsolationTry("socket", connect + " $worker/tmp/beside.sock && got a socket"),
            IsolationTry("abstract", isNetwork: true, connect + " @$tag && got a socket"),
            IsolationTry(
                "port",
                isNetwork: true,
                "python3 -c \"import socket; socket.create_connection(('127.0.0.1', $port))\" "
                    + "&& got a port"
            ),
            IsolationTry(
                "memory-segment",
                "python3 -c 'import ctypes,sys; "
                    + "sys.exit(ctypes.CDLL(None).shmget(\(key(tag)), 0, 0) < 0)' "
                    + "&& got shared memory"
            ),
            IsolationTry("token-variable", free: .nothing, "env | grep -i token && got a token"),
            IsolationTry("folders-variable", "env | grep XDG_CACHE_HOME && got a path"),
        ]
    }
}
