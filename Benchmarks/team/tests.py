"""The tests of the team's app: each "draws" its screen by linking the file that was drawn before.

What a run costs is then the farm's own. Reads the tests to run from standard input, and leaves a
JUnit file; `DRAWN` is the folder of the files.
"""
import os
import sys


def main():
    width, height = os.environ["SNAPFARM_WIDTH"], os.environ["SNAPFARM_HEIGHT"]
    drawn = f"{os.environ['DRAWN']}/{width}x{height}"
    captures = os.environ["SNAPFARM_CAPTURE_DIR"]
    model = os.environ["SNAPFARM_DEVICE"].split()[0]
    device = f"{model}{os.environ['SNAPFARM_OS'].replace('.', '_')}_{width}x{height}"
    cases = []
    for line in sys.stdin:
        suite, test = line.strip().split("/")
        os.makedirs(f"{captures}/{suite}", exist_ok=True)
        name = f"{suite}/{test}_{device}.png"
        os.link(f"{drawn}/{name}", f"{captures}/{name}")
        cases.append(f'<testcase classname="{suite}" name="{test}" time="0.001"/>\n')
    with open(f"{os.environ['SNAPFARM_LEASE_DIR']}/results.xml", "w") as out:
        out.write(f'<testsuite name="team">\n{"".join(cases)}</testsuite>\n')


if __name__ == "__main__":
    main()
