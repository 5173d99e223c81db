// Attacks of a test on its worker's later work. Each is a shell script that runs as a test of
// another team's run, on the worker that later gets the innocent run.

/// An attack of a test.
struct HostileTry: Sendable, CustomStringConvertible {
    let name: String
    let script: String

    init(_ name: String, _ script: String) { (self.name, self.script) = (name, script) }

    var description: String { name }

    /// A preamble that finds the folders to attack, and defines ways to leave something behind.
    ///
    /// `away` runs a script outside the test's session, process group and environment.
    static let preamble = """
        cache="$XDG_CACHE_HOME/snapfarm" bundles="$XDG_CACHE_HOME/snapfarm/bundles"
        own="${SNAPFARM_LEASE_DIR%/worker-*}" leases="$SNAPFARM_LEASE_DIR"
        case $leases in */t[0-9]*) leases="${leases%/*}" ;; esac
        leases="${leases%/*}"
        worker=$PPID
        away() { (env -i PATH="$PATH" HOME="$HOME" b="$bundles" l="$leases" c="$cache" \\
          setsid sh -c "$1" </dev/null >/dev/null 2>&1 &) }
        files() { find "$bundles" -type f -path '*/*/*' 2>/dev/null; }
        poison() { files | while read -r f; do
          chmod u+w "$f" "${f%/*}"; echo 'exit 0' >"$f"; done; }

        """

    static let all = bundles + folders + processes + secrets + reports + home

    private static let bundles = [
        HostileTry("rewrites all bundles", "poison"),
        HostileTry(
            "rewrites all bundles and keeps their times and modes",
            """
            files | while read -r f; do m=$(stat -c %a "$f"); touch -r "$f" "$HOME/t"
            chmod u+w "$f"; sed -i 's/exit 1/exit 0/; s/<failure.*failure>//' "$f"
            chmod $m "$f"; touch -r "$HOME/t" "$f"; done
            """
        ),
        HostileTry(
            "adds files that tests look for",
            "for d in $bundles/*/; do chmod u+w $d; echo 'exit 0' >$d/act-unit; mkdir -p $d/act; "
                + "for n in one two; do echo 'exit 0' >$d/act/$n; done; done"
        ),
        HostileTry(
            "puts links in the place of bundles",
            "for d in $bundles/*/; do d=${d%/}; cp -r $d $HOME/copy-${d##*/}; chmod -R u+w $d; "
                + "rm -rf $d; ln -s $HOME/copy-${d##*/} $d; done; poison"
        ),
        HostileTry("removes the cache", "chmod -R u+w $cache; rm -rf $cache"),
        HostileTry("closes the cache", "chmod -R 000 $cache"),
        HostileTry(
            "puts a file in the place of the cache",
            "chmod -R u+w $cache; rm -rf $bundles; echo >$bundles"
        ),
        HostileTry(
            "puts pipes in the place of zips",
            "for z in $bundles/*.zip; do rm -f $z; mkfifo $z; done"
        ),
        HostileTry(
            "rewrites zips and bundles",
            "poison; for z in $bundles/*.zip; do sed -i 's/exit 1/exit 0/' $z; done"
        ),
        HostileTry(
            "puts folders in the place of locks",
            "for z in $bundles/*.lock; do rm -f $z; mkdir -p $z/x; done"
        ),
        HostileTry(
            "holds all locks",
            "for z in $bundles/*.lock; do away \"exec flock $z sleep 1000\"; done"
        ),
        HostileTry("closes all locks", "chmod 000 $bundles/*.lock"),
        HostileTry(
            "keeps a bundle's files open to write later",
            "files | while read -r f; do chmod u+w \"$f\"; away \"exec 9>>$f; sleep 1; echo exit 0 >&9\"; done"
        ),
        HostileTry(
            "links bundles' files to names of its own",
            "files | while read -r f; do ln -f \"$f\" \"$HOME/${f##*/}\"; done; chmod u+w $HOME/*; "
                + "for f in $HOME/*; do [ -f $f ] && echo 'exit 0' >$f; done"
        ),
        HostileTry(
            "adds many files with odd names",
            "d=$(echo $bundles/*/ | cut -d' ' -f1); chmod u+w $d; i=0; while [ $i -lt 500 ]; do : >\"$d/$i \"; i=$((i+1)); done; : >\"$d/$(printf 'a\\nb')\"; : >\"$d/$(printf '\\377')\""
        ),
        HostileTry("removes its own bundle while it runs", "chmod -R u+w .; rm -rf ./* ./.[!.]*"),
    ]

    private static let folders = [
        HostileTry(
            "plants links where later leases will be",
            "n=${leases##*/}; i=1; while [ $i -lt 300 ]; do ln -s /etc $leases/L$i; ln -s /etc $leases/$i; i=$((i+1)); done"
        ),
        HostileTry(
            "plants results where later leases will be",
            "for i in $(seq 300); do for n in L$i $i; do mkdir -p $leases/$n/t1 && echo '<testsuite><testcase classname=\"suite\" name=\"bad\"/></testsuite>' >$leases/$n/results.xml; done; done"
        ),
        HostileTry(
            "leaves folders that are closed",
            "mkdir -p $SNAPFARM_LEASE_DIR/a/b; : >$SNAPFARM_LEASE_DIR/a/b/c; chmod 000 $SNAPFARM_LEASE_DIR/a/b $SNAPFARM_LEASE_DIR/a"
        ),
        HostileTry(
            "leaves a deep nest",
            "cd $SNAPFARM_LEASE_DIR; i=0; while [ $i -lt 300 ]; do mkdir d && cd d; i=$((i+1)); done"
        ),
        HostileTry("removes the folder of leases", "rm -rf $leases"),
        HostileTry("closes the folder of leases", "chmod 000 $leases"),
        HostileTry(
            "puts a link in the place of the folder of leases",
            "mv $leases $HOME/moved; ln -s /etc $leases"
        ),
        HostileTry("closes the scratch folder", "chmod 000 $own"),
        HostileTry(
            "puts a folder where the worker probes its disk",
            "mkdir -p $leases/.snapfarm-probe-$worker/x $TMPDIR/.snapfarm-probe-$worker/x"
        ),
        HostileTry(
            "fills TMPDIR with names of the farm",
            "for i in $(seq 200); do mkdir -p $TMPDIR/snapfarm-worker-$i; : >$TMPDIR/snapfarm-worker-$i/.snapfarm-owner; done; rm -rf $TMPDIR/*"
        ),
    ]

    private static let processes = [
        HostileTry("kills all processes of its user", "kill -9 -1"),
        HostileTry("kills its worker", "kill -9 $worker"),
        HostileTry("asks its worker to stop", "kill -TERM $worker"),
        HostileTry("asks its worker to leave", "kill -USR1 $worker"),
        HostileTry(
            "stops its worker for a while",
            "(sleep 1; kill -CONT $worker) & kill -STOP $worker; sleep 2"
        ),
        HostileTry(
            "kills the guards",
            "for p in /proc/[0-9]*; do [ \"$(cat $p/comm 2>/dev/null)\" = farm-guard ] && kill -9 ${p##*/}; done"
        ),
        HostileTry("leaves a process that kills all others later", "away 'sleep 1; kill -9 -1'"),
        HostileTry(
            "leaves a process that rewrites bundles",
            "away 'while :; do for f in $b/*/*.sh; do chmod u+w $f; echo exit 0 >$f; done; sleep 0.01; done'"
        ),
        HostileTry(
            "leaves a process that rewrites leases",
            "away 'while :; do for f in $l/*/results.xml $l/*/*/results.xml; do echo \"<testsuite/>\" >$f; done; sleep 0.01; done'"
        ),
        HostileTry(
            "forks a hundred times and leaves them",
            "ulimit -u 400; i=0; while [ $i -lt 100 ]; do away 'exec sleep 1000'; i=$((i+1)); done"
        ),
        HostileTry(
            "ignores every signal for ever",
            "trap '' TERM INT HUP; while :; do sleep 1; done"
        ),
        HostileTry(
            "leaves a child that holds its output",
            "(trap '' TERM; setsid sleep 1000) & exit 0"
        ),
    ]

    private static let secrets = [
        HostileTry(
            "looks for the token in processes",
            "for p in /proc/[0-9]*; do cat $p/environ $p/cmdline $p/fd/* >>$HOME/loot 2>/dev/null </dev/null & done; sleep 1; kill %1 2>/dev/null; ls -l /proc/$worker/fd >>$HOME/loot 2>&1; dd if=/proc/$worker/mem bs=4096 count=1 >>$HOME/loot 2>/dev/null; true"
        ),
        HostileTry("makes its worker dump its memory", "ulimit -c unlimited; kill -ABRT $worker"),
        HostileTry(
            "writes to what its worker has open",
            "for f in /proc/$worker/fd/*; do echo garbage >$f; done 2>/dev/null; true"
        ),
    ]

    private static let reports = [
        HostileTry("fills its output", "yes | head -c 300000000"),
        HostileTry(
            "prints control characters and whole reports",
            "printf '\\033[2J\\000'; echo '{\"verdict\":\"passed\"}'; exit 1"
        ),
        HostileTry(
            "calls the coordinator without a token",
            """
            perl -MIO::Socket::INET -e '
              for (1..50) { my $s = IO::Socket::INET->new("127.0.0.1:$ENV{FARM_PORT}") or next;
                print $s "POST /api/v1/leases/claim HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: 9\\r\\n\\r\\n"; push @s, $s }'
            """
        ),
        HostileTry(
            "rewrites its results after its end",
            "echo '<x/>' >$SNAPFARM_LEASE_DIR/results.xml; away 'sleep 1; for d in $l/*; do echo \"<testsuite/>\" >$d/results.xml; done'; exit 1"
        ),
    ]

    private static let home = [
        HostileTry(
            "changes the settings of Git",
            "printf '[core]\\n\\tfsmonitor = false\\n\\thooksPath = /tmp\\n[alias]\\n\\tstatus = !exit 0\\n' >$HOME/.gitconfig"
        ),
        HostileTry(
            "changes the settings of shells",
            "for f in .profile .bashrc .bash_profile .shrc .zshenv .pam_environment; do echo 'exit 0' >$HOME/$f; done"
        ),
        HostileTry(
            "asks for its library to be loaded",
            "mkdir -p $HOME/.config/environment.d; echo LD_PRELOAD=$HOME/x.so >$HOME/.config/environment.d/x.conf; echo $HOME/x.so >/etc/ld.so.preload"
        ),
        HostileTry("removes its home", "rm -rf $HOME/* $HOME/.[!.]*; chmod 000 $HOME"),
        HostileTry("leaves a umask and limits", "umask 777; ulimit -n 3; exit 1"),
    ]
}
