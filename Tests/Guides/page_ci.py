"""The pages about CI jobs: docs/ci.md, docs/shards.md, docs/pull-requests.md."""
import json

from table import page, runs

APP = "pipelines/app.yaml"


def app(place, store=".snapfarm/app/references.git"):
    """A clone with the pipeline of the CI examples, whose references are recorded."""
    place.copy(APP)
    place.copy("pipelines/quickstart")
    place.edit(APP, "pin: .snapfarm/app/snapfarm.refs", "pin: snapfarm.refs")
    place.edit(APP, "store: .snapfarm/app/references.git", f"store: {store}")
    place.write(".gitignore", ".snapfarm/\nsnapfarm-out/\nout*/\n")
    place.sh("git init -q && git add -A && git commit -qm App && snapfarm refs init")
    place.sh(f"snapfarm run {APP} --mode record")
    place.sh("git add -A && git commit -qm References")


def change(place):
    place.edit("pipelines/quickstart/tests.sh", "chart=chart\n", "chart=chart-changed\n")


page("docs/ci.md")(app)
page("docs/shards.md")(app)


@page("docs/pull-requests.md")
def hosted(place):
    """The same, with a store on a Git host."""
    app(place, store=place.git_host())
    place.sh("snapfarm refs push")


def crash(place):
    """A run that is killed while its tests sleep."""
    script = "pipelines/quickstart/tests.sh"
    place.edit(script, "run)\n", "run) sleep 9\n")
    place.start(f"snapfarm run {APP}", "workers\n")
    place.kill()
    place.edit(script, "run) sleep 9\n", "run)\n")


@runs("docs/ci.md", "snapfarm run pipelines/app.yaml")
def commands(place, block):
    def says(*texts):
        return lambda: place.says(*texts)
    resume = "snapfarm run pipelines/app.yaml --resume"
    place.run(block, before=[(resume, lambda: crash(place))], after=[
        (resume, says("passed: 24 tests")),
        ("snapfarm run pipelines/app.yaml    ", says("passed: 24 tests")),
        ("snapfarm run pipelines/app.yaml --mode", says("names them already")),
        ("snapfarm run pipelines/app.yaml --select", says("passed: 6 tests")),
        ("snapfarm plan", says("iPhone-8_13.1")),
    ])


@runs("docs/ci.md", "snapfarm list")
def chosen(place, block):
    place.run(block)
    place.says("passed: 6 tests")


@runs("docs/ci.md", "export SNAPFARM_RUN_KEY")
def key(place, block):
    place.variables["COMMIT"] = place.sh("git rev-parse HEAD").strip()
    place.run(block)
    place.sh(f"snapfarm run {APP} --json 2>../errors")
    run = json.loads(place.said)["run"]
    assert run["commit"] == place.variables["COMMIT"], run


@runs("docs/shards.md", "# on machine 0")
def shares(place, block):
    def others():
        for index in (1, 2, 3):
            place.sh(f"snapfarm run {APP} --shard {index}/4 --history history.json --output out-{index}")
    place.run(block, before=[("snapfarm merge", others)],
              after=[("snapfarm merge", lambda: place.says("passed: 24 tests"))])
    place.exists("out/report/index.html", "history.json")


@runs("docs/shards.md", "snapfarm run pipelines/app.yaml --select job=unit_test")
def parts(place, block):
    place.sh("rm -rf out*")

    def others():
        for index, device in enumerate(("iPhone Xʀ (12.2)", "iPad Pro (11-inch) (13.1)")):
            place.sh(f"snapfarm run {APP} --select job=snapshot_test --select 'device={device}' "
                     f"--output out-more-{index}")
    place.run(block, before=[("snapfarm merge", others)],
              after=[("snapfarm merge", lambda: place.says("passed: 24 tests"))])


@runs("docs/pull-requests.md", "snapfarm merge parts/*")
def proposal(place, block):
    change(place)
    place.variables["PULL_REQUEST"] = "12"
    for name in ("unit_test", "snapshot_test"):
        place.sh(f"snapfarm run {APP} --select job={name} --output parts/{name} || [ $? = 1 ]")
    place.run(block, status=[("snapfarm merge", 1)])
    place.sh("git -C ../wallet-references.git for-each-ref")
    place.says("refs/heads/proposals/12")


@runs("docs/pull-requests.md", "snapfarm approve --from out --comment")
def decision(place, block):
    place.sh("git init -q --bare ../origin.git && git remote add origin ../origin.git && "
             "git push -q origin main:topic")
    place.variables["BRANCH"] = "topic"
    with open(place.path("out/summary.json"), encoding="utf-8") as file:
        summary = json.load(file)
    lines = [f"/snapfarm accept {summary['run']['id']}"]
    lines += [f"{change['id']} the chart" for change in summary["changes"]]
    place.write("comment.txt", "\n".join(lines) + "\n")
    place.run(block)
    place.exists("answer.md")
    changed = place.sh("git -C ../origin.git diff --name-only main@{0}..topic 2>/dev/null || "
                       "git fetch -q origin && git diff --name-only HEAD origin/topic")
    assert changed.split() == ["pipelines/snapfarm.refs"], changed
