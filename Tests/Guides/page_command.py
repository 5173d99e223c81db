"""docs/command.md and the recipe of docs/frameworks.md: test programs that are not ours."""
import glob
import os
import shutil

import pages
from place import ROOT, png
from table import elsewhere, recipe

JUPITER = """\
package shop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.*;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PriceTest {
    @Test void tax() {}

    @Nested class Grouped {
        @ParameterizedTest @ValueSource(ints = {1, 2}) void rate(int percent) { assertEquals(1, percent); }
    }
}
"""

POM = """\
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>shop</groupId><artifactId>shop</artifactId><version>1</version>
  <properties>
    <maven.compiler.source>17</maven.compiler.source><maven.compiler.target>17</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies><dependency>
    <groupId>org.junit.jupiter</groupId><artifactId>junit-jupiter</artifactId><version>debian</version>
  </dependency></dependencies>
  <build><plugins>{}</plugins></build>
</project>
"""
MAVEN = "/usr/share/maven-repo"
PLUGINS = f"{MAVEN}/org/apache/maven/plugins/maven-{{}}-plugin/[3-9]*"

PYTEST = """\
def test_tax():
    assert 1200 * 110 // 100 == 1320


class TestGrouped:
    def test_thousands(self):
        assert f"{12400:,}" == "12,400"
"""

CRASH = """\
import os


def test_abort():
    os.abort()


def test_after():
    pass
"""

JUNIT = """\
package shop;

import static org.junit.Assert.assertEquals;
import org.junit.Test;

public class PriceTest {
    @Test
    public void tax() {
        assertEquals(1320, 1200 * 110 / 100);
    }

    @Test
    public void grouped() {
        assertEquals("12,400", String.format(java.util.Locale.US, "%,d", 12400));
    }
}
"""


def section(place, title, page="docs/command.md"):
    """Writes the files of a section of the page."""
    shutil.rmtree(place.work)
    os.mkdir(place.work)
    place.sh("git init -q")
    for block in pages.blocks(page):
        if block.section == title and block.file:
            place.write(block.file, block.text)


FIGURES = """\
import matplotlib
import pytest

matplotlib.use("agg")
from matplotlib import pyplot


@pytest.mark.mpl_image_compare
def test_line():
    figure, axes = pyplot.subplots(figsize=(2, 2))
    axes.plot([1, 2, 3])
    return figure
"""

COMPARISON = """\
from matplotlib import pyplot
from matplotlib.testing.decorators import image_comparison


@image_comparison(["line.png"], remove_text=True)
def test_line():
    figure, axes = pyplot.subplots()
    axes.plot([1, 2, 3])
"""


@recipe("docs/command.md", "pytest", needs=["pytest"])
def pytest(place):
    section(place, "pytest")
    place.write("tests/test_price.py", PYTEST)
    place.sh("snapfarm run snapfarm.yaml")
    place.says("passed: 2 tests")
    place.edit("tests/test_price.py", "1320", "1321")
    place.sh("snapfarm run snapfarm.yaml", status=1)
    place.says("failed tests/test_price.py::test_tax")
    # What `init` writes is what the page shows.
    place.edit("tests/test_price.py", "1321", "1320")
    place.sh("rm -r snapfarm.yaml ci && touch conftest.py")
    place.sh("snapfarm init --yes && snapfarm run snapfarm.yaml")
    place.says("passed: 2 tests")
    shown, = (b.text for b in pages.blocks("docs/command.md") if b.language == "python")
    assert open(place.path("ci/snapfarm_pytest.py")).read() == shown
    # A crash is one test's, and a module that cannot be imported is no shorter list.
    place.write("tests/test_crash.py", CRASH)
    place.sh("snapfarm run snapfarm.yaml", status=1)
    place.says("1 of 4 tests", "tests/test_crash.py::test_abort", "SIGABRT")
    place.edit("tests/test_crash.py", "import os", "import nosuchmodule")
    place.sh("snapfarm run snapfarm.yaml", status=2)
    place.says("nosuchmodule")


@recipe("docs/command.md", "jest")
def jest(place):
    section(place, "jest")
    os.symlink(f"{ROOT}/Tests/Guides/standin/npx", f"{place.folder}/bin/npx")
    png(place.path("shots/home.png"), 40, size=(30, 30), spot=(3, 3, 9, 9))
    png(place.path("shots/cart.png"), 90, size=(30, 30), spot=(3, 3, 9, 9))
    place.write("tests/home.test.js", "balance shots/home.png\n")
    place.write("tests/shop/cart.test.js", "empty shots/cart.png\n")
    place.sh("snapfarm refs init && snapfarm run snapfarm.yaml --mode record")
    place.says("Recorded: 2 new")
    place.sh("snapfarm run snapfarm.yaml")
    png(place.path("shots/cart.png"), 90, size=(30, 30), spot=(9, 9, 9, 9))
    place.sh("snapfarm run snapfarm.yaml", status=1)
    place.says("1 changed", "shop/cart.test.js")
    # The profile's other half: the framework judges, without a reference first.
    place.edit("snapfarm.yaml", "jest-image-snapshot\n", "jest-image-snapshot\n    judge: framework\n")
    place.sh("snapfarm run snapfarm.yaml", status=1)


@recipe("docs/command.md", "Gradle", needs=["gradle"], files=["/usr/share/java/junit4.jar"])
def gradle(place):
    section(place, "Gradle")
    jars = ", ".join(f"'/usr/share/java/{name}.jar'" for name in ("junit4", "hamcrest-core"))
    place.write("build.gradle", f"apply plugin: 'java'\ndependencies {{ testCompile files({jars}) }}\n")
    # A wrapper would download its Gradle.
    place.write("gradlew", '#!/bin/sh\nexec gradle --offline "$@"\n')
    place.sh("chmod +x gradlew")
    place.write("src/test/java/shop/PriceTest.java", JUNIT)
    place.write("src/test/kotlin/shop/RateTest.kt", JUPITER.replace("PriceTest", "RateTest"))
    place.sh("sh ci/gradle-tests.sh list")
    place.says("shop.PriceTest.tax", "shop.RateTest.tax", "shop.RateTest.rate")
    place.sh("rm -r src/test/kotlin")
    place.edit("src/test/java/shop/PriceTest.java", "1320,", "1321,")
    place.sh("snapfarm run snapfarm.yaml --workers 2", status=1)
    place.says("1 of 2 tests", "shop.PriceTest.tax", "expected:<1321> but was:<1320>")


@recipe("docs/command.md", "Maven", needs=["mvn"],
        files=[f"{MAVEN}/org/junit/jupiter/junit-jupiter/debian", f"{MAVEN}/org/apache/maven/surefire",
               PLUGINS.format("compiler"), PLUGINS.format("resources")])
def maven(place):
    """A class with a parameter that fails, one whose setup fails, one that is disabled, an abstract one."""
    section(place, "Maven")
    versions = {name: max(os.path.basename(path) for path in glob.glob(PLUGINS.format(name)))
                for name in ("compiler", "resources")}
    versions["surefire"] = max(os.listdir(f"{MAVEN}/org/apache/maven/plugins/maven-surefire-plugin"))
    place.write("pom.xml", POM.format("".join(
        f"<plugin><artifactId>maven-{name}-plugin</artifactId><version>{version}</version></plugin>"
        for name, version in versions.items())))
    # As Debian has it: nothing is downloaded.
    place.write("bin/mvn", f'#!/bin/sh\nexec {shutil.which("mvn")} -o -Dmaven.repo.local={MAVEN} "$@"\n')
    place.edit("snapfarm.yaml", "run: sh", "run: PATH=$PWD/bin:$PATH sh")
    place.sh("chmod +x bin/mvn")
    tests = "src/test/java/shop/"
    place.write(tests + "PriceTest.java", JUPITER)
    place.write(tests + "DownTest.java", JUPITER.replace("PriceTest", "DownTest").replace(
        "@Test void", '@BeforeAll static void up() { throw new IllegalStateException("no base"); }\n    @Test void'))
    place.write(tests + "OffTest.java", JUPITER.replace("class PriceTest", '@Disabled("later")\nclass OffTest'))
    place.write(tests + "BaseTest.java", JUPITER.replace("class PriceTest", "abstract class BaseTest"))
    # One Maven for all: it takes seconds to start.
    place.sh("snapfarm run snapfarm.yaml --workers 1", status=1)
    place.says("2 of 3 tests", "skipped", "shop.DownTest", "no base", "shop.PriceTest", "rate{int}[2]")


@recipe("docs/command.md", "node --test", needs=["node"])
def node(place):
    section(place, "node --test")
    head = "const test = require('node:test');\n"
    place.write("test/price.test.js", head + "test('tax', () => {});\ntest.skip('off', () => {});\n")
    place.write("test/rate.test.js", head + "test('fine', () => {});\n"
                "test('dear', () => { throw new Error('1 < 2'); });\n")
    place.write("test/dies.test.js", head + "test('dies', () => process.abort());\n")
    place.write("test/gone.test.js", "require('./nothing');\n")
    place.sh("snapfarm run snapfarm.yaml", status=1)
    place.says("3 of 4 tests", "1 of 3 failed (dear): 1 < 2", "was ended by SIGABRT", "left with status 1")
    # A file that hangs ends at `timeout.test`, because its start is in the results file.
    place.sh("node --test --test-reporter=./ci/node-junit.mjs --test-reporter-destination=one.xml test/price.test.js")
    place.sh("grep -c 'snapfarm started test/price.test.js' one.xml; grep -c 'snapfarm ended test/price.test.js' one.xml")
    place.says("1\n1")


# The script of the section is run by the recipe.
elsewhere("docs/frameworks.md", "root=$PWD", "every command of README and docs does what its page says")


@recipe("docs/frameworks.md", "pytest", needs=["pytest"],
        files=["/usr/lib/python3/dist-packages/pytest_mpl", "/usr/lib/python3/dist-packages/matplotlib"])
def figures(place):
    """Both frameworks: references of the tests' own, green, then a figure that changed."""
    script, = (b.text for b in pages.shells("docs/frameworks.md") if b.section == "pytest")
    jobs, = (b.text for b in pages.blocks("docs/frameworks.md")
             if b.section == "pytest" and b.language == "yaml")
    place.sh("git init -q")
    head = "version: 1\nname: charts\n"
    place.write("mpl.yaml", head + jobs)
    place.write("matplotlib.yaml", head + jobs.replace("pytest-mpl", "matplotlib").replace(
        'run: "pytest -p snapfarm_pytest {flags} {tests}"', "run: sh run.sh {tests}"))
    plugin, = (b for b in pages.blocks("docs/command.md") if b.language == "python")
    place.write(plugin.file, plugin.text)
    place.write("run.sh", script)
    place.write("tests/test_line.py", FIGURES)
    place.sh("pytest -q --mpl-generate-path=tests/baseline tests")
    place.sh("snapfarm run mpl.yaml")
    place.edit("tests/test_line.py", "[1, 2, 3]", "[3, 2, 1]")
    place.sh("snapfarm run mpl.yaml", status=1)
    place.says("1 changed")
    place.sh("rm -r tests")
    place.write("tests/test_line.py", COMPARISON)
    place.sh("pytest -q tests; mkdir -p tests/baseline_images/test_line && "
             "cp result_images/test_line/line.png tests/baseline_images/test_line && rm -r result_images")
    place.sh("snapfarm run matplotlib.yaml")
    place.edit("tests/test_line.py", "[1, 2, 3]", "[3, 2, 1]")
    place.sh("snapfarm run matplotlib.yaml", status=1)
    # Debian's matplotlib prints the difference, and does not raise it: its test passes with a picture
    # that a failure leaves.
    place.says("1 errored")


@recipe("docs/command.md", "Maestro")
def maestro(place):
    """Flows of a stand-in: a changed screen, a text that is not there, a device that is not there."""
    section(place, "Maestro")
    os.symlink(f"{ROOT}/Tests/Guides/standin/maestro", f"{place.folder}/bin/maestro")
    place.write("flows/login.yaml", "appId: shop\n---\n- launchApp\n- takeScreenshot: start\n"
                "- assertVisible: Welcome\n- takeScreenshot: home\n")
    place.write("flows/cart.yaml", "appId: shop\nname: The cart\n---\n- launchApp\n- takeScreenshot: empty\n")
    place.write("app/texts", "Welcome\n")
    for shade, name in ((40, "start"), (90, "home"), (140, "empty")):
        png(place.path(f"app/{name}.png"), shade, size=(108, 240), spot=(30, 30, 40, 40))
    place.sh("snapfarm refs init && snapfarm run snapfarm.yaml --mode record")
    place.says("Recorded: 3 new")
    place.sh("snapfarm run snapfarm.yaml")
    png(place.path("app/home.png"), 90, size=(108, 240), spot=(50, 30, 40, 40))
    place.sh("snapfarm run snapfarm.yaml", status=1)
    place.says("1 changed", "login/home")
    place.write("app/texts", "")
    place.sh("snapfarm run snapfarm.yaml", status=1)
    place.says("failed flows/login.yaml", 'Assertion is false: "Welcome" is visible', "1 of 2 tests")
    place.sh("rm -r app && snapfarm run snapfarm.yaml", status=1)
    place.says("2 errored", "left no results file")
    place.sh("grep -r 'Not enough devices connected' snapfarm-out/logs")
