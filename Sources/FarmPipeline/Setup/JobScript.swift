// Scripts that jobs of Maven and of Node need beside the pipeline file. docs/command.md has the
// same.

/// A file that a proposed job runs.
struct JobScript {
    let path: String
    let text: String

    static let maven = JobScript(
        path: "ci/maven-tests.sh",
        text: #"""
            # ci/maven-tests.sh
            set -e
            if [ "$1" = list ]; then  # package.Class of each file that surefire takes
              files=$(find src/test/java -name 'Test*.java' -o -name '*Test.java' -o -name '*Tests.java' -o -name '*TestCase.java')
              for file in $files; do
                grep -qE '^(public )?abstract class ' "$file" && continue
                class=${file#src/test/java/}
                echo "${class%.java}" | tr / .
              done
              exit
            fi
            classes=
            for class; do
              classes="$classes,$class,$class\$*"  # with the classes inside it
            done
            # Surefire writes a file for each class as it ends.
            mkdir -p target
            rm -rf target/surefire-reports
            ln -s "$SNAPFARM_LEASE_DIR" target/surefire-reports
            trap 'rm -f target/surefire-reports' EXIT
            mvn --batch-mode --quiet test -Dtest="${classes#,}"

            """#
    )

    static let node = JobScript(
        path: "ci/node-junit.mjs",
        text: #"""
            // ci/node-junit.mjs
            // Appends a <testcase> to its destination as each test ends, and one as each file ends; says when a file starts.
            import path from 'node:path';

            const text = (value) => String(value ?? '')
              .replace(/[^\t\n\r\x20-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '\u{FFFD}')
              .replace(/[&<>"\r\n]/g, (sign) => `&#${sign.charCodeAt(0)};`);

            function failure(data, isFile, printed) {
              const error = data.details.error;
              // The subtests that failed have entries of their own.
              if (!error || error.failureType === 'subtestsFailed') return '';
              const reason = error.signal ? `was ended by ${error.signal}` : `left with status ${error.exitCode}`;
              const message = isFile ? `the file's process ${reason}` : error.cause?.message ?? error.message;
              const trace = isFile ? printed : error.cause?.stack ?? error.stack;
              return `<failure message="${text(message)}">${text(trace)}</failure>`;
            }

            export default async function* junit(events) {
              const printed = {};
              yield '<testsuites>\n<testsuite name="node">\n';
              for await (const { type, data } of events) {
                if (type === 'test:stderr') printed[data.file] = ((printed[data.file] ?? '') + data.message).slice(-8000);
                if (type !== 'test:complete' && type !== 'test:dequeue') continue;
                const file = data.file ?? path.resolve(data.name);
                const isFile = path.resolve(data.name) === file;
                if (type === 'test:dequeue') {
                  if (isFile) yield `<?snapfarm started ${text(path.relative('', file))}?>\n`;
                  continue;
                }
                const failed = data.todo === undefined ? failure(data, isFile, printed[file]) : '';
                if (data.details.type === 'suite' && !failed) continue;
                const skipped = data.skip !== undefined || data.todo !== undefined ? '<skipped/>' : '';
                const names = `classname="${isFile ? '' : text(path.relative('', file))}" name="${
                  text(isFile ? path.relative('', file) : data.name)}"`;
                yield `<testcase ${names} time="${data.details.duration_ms / 1000}">${failed || skipped}</testcase>\n`;
                if (!isFile) continue;
                yield `<?snapfarm ended ${text(path.relative('', file))}?>\n`;
                console.log(path.relative('', file));
              }
              yield '</testsuite>\n</testsuites>\n';
            }

            """#
    )
}
