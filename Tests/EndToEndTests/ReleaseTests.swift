// Tests of the install packages. They contain a stand-in for the released program, which takes
// minutes to build: a small program that starts the debug build.
import FarmTesting
import Foundation
import Testing

#if os(Linux)
extension Documented {
    @Suite("The packages of a release")
    struct ReleaseTests {
        private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().path
        private let folder: TemporaryFolder

        init() throws {
            folder = try TemporaryFolder("release")
            try compile("program", ["-Wl,--as-needed"])
        }

        private func compile(_ name: String, _ options: [String]) throws {
            let source = try folder.write(
                "\(name).c",
                """
                #include <unistd.h>
                int main(int count, char **words) {
                    words[0] = "\(Program.path)";
                    return execv(words[0], words), 1;
                }
                """
            )
            let words = ["gcc", source, "-o", folder.file(name)] + options
            let ending = try TestProcess.run(words)
            try #require(ending.status == 0, "\(ending.said)")
        }

        private func script(_ name: String, _ words: [String]) throws -> ProcessEnding {
            var variables = ProcessInfo.processInfo.environment
            variables["SOURCE_DATE_EPOCH"] = "1800000000"
            let path = Self.root + "/deploy/release/" + name
            return try TestProcess.run(["sh", path] + words, environment: variables)
        }

        /// Packs the stand-in and returns the folder of the packages.
        private func packed(into name: String = "packages") throws -> String {
            let into = folder.file(name)
            let ending = try script("package.sh", [folder.file("program"), into])
            try #require(ending.status == 0, "\(ending.said)")
            return into
        }

        private func said(_ words: String...) throws -> String {
            let ending = try TestProcess.run(words)
            try #require(ending.status == 0, "\(words): \(ending.said)")
            return ending.output
        }

        private func names(in folder: String) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        }

        @Test("have program, manual page and completions where Debian's shells look for them")
        func places() throws {
            let into = try packed()
            let package = try #require(try names(in: into).first { $0.hasSuffix(".deb") })
            let tree = folder.file("tree")
            _ = try said("dpkg-deb", "-x", into + "/" + package, tree)
            let files = try said("find", tree, "-type", "f").split(separator: "\n")
                .map { String($0.dropFirst(tree.count)) }.sorted()
            let pages = files.filter {
                $0.hasPrefix("/usr/share/doc/snapfarm/docs/")
                    || $0.hasPrefix("/usr/share/doc/snapfarm/pipelines/")
            }
            for page in ["docs/ci.md", "docs/keys.md", "pipelines/circleci/config.yml"] {
                #expect(pages.contains("/usr/share/doc/snapfarm/" + page))
            }
            #expect(
                files.filter { !pages.contains($0) } == [
                    "/usr/bin/snapfarm",
                    "/usr/share/bash-completion/completions/snapfarm",
                    "/usr/share/doc/snapfarm/README.md",
                    "/usr/share/doc/snapfarm/changelog.gz",
                    "/usr/share/doc/snapfarm/copyright",
                    "/usr/share/doc/snapfarm/examples/kubernetes-launcher.yaml",
                    "/usr/share/doc/snapfarm/examples/snapfarm-coordinator.service",
                    "/usr/share/doc/snapfarm/examples/snapfarm-worker@.service",
                    "/usr/share/doc/snapfarm/examples/snapfarm.conf",
                    "/usr/share/doc/snapfarm/examples/snapfarm.yaml",
                    "/usr/share/doc/snapfarm/licences.txt.gz",
                    "/usr/share/fish/vendor_completions.d/snapfarm.fish",
                    "/usr/share/lintian/overrides/snapfarm",
                    "/usr/share/man/man1/snapfarm.1.gz",
                    "/usr/share/snapfarm/launchers/anka-worker",
                    "/usr/share/snapfarm/launchers/farm-worker",
                    "/usr/share/snapfarm/launchers/kubernetes-worker",
                    "/usr/share/snapfarm/launchers/orchard-worker",
                    "/usr/share/snapfarm/launchers/slurm-worker",
                    "/usr/share/snapfarm/launchers/tart-worker",
                    "/usr/share/zsh/vendor-completions/_snapfarm",
                ]
            )
            let completions = tree + files[1]
            _ = try said("bash", "-n", completions)
            let line = "COMP_WORDS=(snapfarm re) COMP_CWORD=1 COMP_LINE='snapfarm re'"
            let asked = "source '\(completions)'; \(line) COMP_POINT=11; _snapfarm"
            let offered = try said("bash", "-c", asked + "; echo ${COMPREPLY[@]}")
            #expect(offered.split(separator: " ").contains("refs"), "\(offered)")
            let page = try said("gzip", "-dc", tree + "/usr/share/man/man1/snapfarm.1.gz")
            for words in [".SS \"snapfarm run\"", ".SS \"snapfarm refs prune\"", "\\-\\-resume"] {
                #expect(page.contains(words), "\(words)")
            }
        }

        @Test("name what they need of Debian, and checksums that are theirs")
        func fields() throws {
            let into = try packed()
            let all = try names(in: into)
            let package = try #require(all.first { $0.hasSuffix(".deb") })
            let needs = try said("dpkg-deb", "-f", into + "/" + package, "Depends")
            #expect(needs.contains("libc6 (>= 2.") && needs.contains("git (>= 1:2.39)"))
            #expect(!needs.contains("libgit2"))
            let checked = try TestProcess.run(["sha256sum", "-c", "SHA256SUMS"], in: into)
            #expect(checked.status == 0, "\(checked.output)")
            #expect(checked.output.split(separator: "\n").count == all.count - 1)
        }

        @Test("are the same, byte for byte, when the same program is packed again")
        func same() throws {
            let sums = try [packed(), packed(into: "again")].map { folder in
                try String(contentsOfFile: folder + "/SHA256SUMS", encoding: .utf8)
            }
            #expect(sums[0] == sums[1])
        }

        @Test("are not made of a program that needs a library which they do not bring")
        func foreign() throws {
            try compile("program", ["-Wl,--no-as-needed", "-lz"])
            let ending = try script(
                "package.sh",
                [folder.file("program"), folder.file("packages")]
            )
            #expect(ending.status == 65)
            #expect(ending.errors.contains("libz.so.1"), "\(ending.said)")
            #expect(try names(in: folder.file("packages")).isEmpty)
        }

        @Test("hold libgit2 and what it calls: a program with it needs nothing but libc")
        func held() throws {
            let libraries = folder.file("libraries")
            let ending = try script("libraries.sh", [libraries])
            try #require(ending.status == 0, "\(ending.said)")
            let source = try folder.write(
                "git.c",
                """
                #include <git2.h>
                #include <stdio.h>
                int main(void) {
                    const char *urls[] = {"ssh://127.0.0.1/a", "https://127.0.0.1/a", "git://127.0.0.1/a"};
                    git_libgit2_init();
                    for (int index = 0; index < 3; index++) {
                        git_remote *remote;
                        git_remote_create_detached(&remote, urls[index]);
                        git_remote_connect(remote, GIT_DIRECTION_FETCH, NULL, NULL, NULL);
                        puts(git_error_last()->message);
                    }
                    return 0;
                }
                """
            )
            let program = folder.file("git")
            let shared = ["-L" + libraries, "-lgit2", "-lz", "-o", program]
            let built = try TestProcess.run(["gcc", source] + shared)
            try #require(built.status == 0, "\(built.said)")
            let needed = try said("readelf", "-d", program).split(separator: "\n")
                .filter { $0.contains("(NEEDED)") }
            #expect(needed.count == 1 && needed[0].contains("libc.so.6"), "\(needed)")
            let words = String(repeating: "this libgit2 has no networks\n", count: 3)
            #expect(try said(program) == words)
            #expect(try !said("nm", program).contains("mbedtls_ssl"))
        }

        @Test("give the Homebrew formula of their version and checksums")
        func formula() throws {
            let sums = try folder.write(
                "SHA256SUMS",
                """
                \(String(repeating: "a", count: 64))  snapfarm-2.5.0-macos-arm64.tar.gz
                \(String(repeating: "b", count: 64))  snapfarm-2.5.0-macos-x86_64.tar.gz

                """
            )
            let words = ["2.5.0", sums, "https://example.org/team/snapfarm"]
            let formula = try script("formula.sh", words).output
            let start = "https://example.org/team/snapfarm/releases/download/v2.5.0"
            for (machine, digit) in [("arm64", "a"), ("x86_64", "b")] {
                let entry = """
                    url "\(start)/snapfarm-2.5.0-macos-\(machine).tar.gz"
                        sha256 "\(String(repeating: digit, count: 64))"
                    """
                #expect(formula.contains(entry), "\(formula)")
            }
            #expect(try script("formula.sh", ["2.6.0", sums, "https://example.org"]).status == 65)
        }
    }
}
#endif
