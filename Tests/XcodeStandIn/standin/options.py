"""xcodebuild's command line, as xcodebuild(1) lists it. What it does not know is refused: 64."""
from .tool import Exit

ACTIONS = (
    "build", "build-for-testing", "test", "test-without-building", "clean", "archive", "analyze",
    "install", "docbuild", "installsrc",
)
# Options with one value.
ONE = (
    "project", "workspace", "scheme", "target", "configuration", "destination",
    "destination-timeout", "derivedDataPath", "resultBundlePath", "resultBundleVersion",
    "resultStreamPath", "xctestrun", "testProductsPath", "testPlan", "only-testing",
    "skip-testing", "only-test-configuration", "skip-test-configuration", "testLanguage",
    "testRegion", "parallel-testing-enabled", "parallel-testing-worker-count",
    "maximum-parallel-testing-workers", "maximum-concurrent-test-simulator-destinations",
    "maximum-concurrent-test-device-destinations", "test-iterations",
    "test-repetition-relaunch-enabled", "test-timeouts-enabled",
    "default-test-execution-time-allowance", "maximum-test-execution-time-allowance",
    "collect-test-diagnostics", "test-enumeration-style", "test-enumeration-format",
    "test-enumeration-output-path", "enableCodeCoverage", "enableAddressSanitizer",
    "enableThreadSanitizer", "sdk", "arch", "jobs", "xcconfig", "toolchain",
    "clonedSourcePackagesDirPath", "packageCachePath", "archivePath", "exportPath",
)
FLAGS = (
    "quiet", "verbose", "json", "list", "version", "showsdks", "showdestinations", "showTestPlans",
    "showBuildSettings", "enumerate-tests", "retry-tests-on-failure", "run-tests-until-failure",
    "disable-concurrent-destination-testing", "parallelize-tests-among-destinations",
    "disableAutomaticPackageResolution", "onlyUsePackageVersionsFromResolvedFile",
    "skipPackagePluginValidation", "skipMacroValidation", "allowProvisioningUpdates",
    "hideShellScriptEnvironment", "dry-run", "n", "help", "usage", "alltargets",
    "skipPackageUpdates", "skipPackageSignatureValidation",
)
MANY = ("destination", "only-testing", "skip-testing", "only-test-configuration",
        "skip-test-configuration")


def wrong(text):
    return Exit(64, "xcodebuild: error: " + text)


class Options:
    def __init__(self, words, major):
        self.actions = []
        self.settings = {}
        self.values = {}
        self.lists = {name: [] for name in MANY}
        words = list(words)
        while words:
            self.take(words, major)
        self.check()

    def take(self, words, major):
        word = words.pop(0)
        if not word.startswith("-"):
            if word in ACTIONS:
                self.actions.append(word)
            elif "=" in word and not word.startswith("="):
                name, value = word.split("=", 1)
                self.settings[name] = value
            else:
                raise wrong("Unknown build action '%s'." % word)
            return
        name, colon, value = word[1:].partition(":")
        if name in FLAGS and not colon:
            self.values[name] = True
            return
        if name not in ONE or (colon and name not in MANY):
            # A user default on the command line: -IDEFoo=YES or -IDEFoo YES.
            if name.startswith("IDE") or name.startswith("DVT"):
                if "=" not in name and words:
                    words.pop(0)
                return
            raise wrong("invalid option '%s'" % word)
        if not colon:
            if not words:
                raise wrong("option '%s' requires an argument." % word)
            value = words.pop(0)
        self.keep(name, value, major)

    def keep(self, name, value, major):
        if name not in MANY:
            if name in self.values:
                raise wrong("option '-%s' may only be provided once" % name)
            self.values[name] = value
            return
        # xcodebuild(1) knows @response files since Xcode 27: identifiers by line.
        if name in ("only-testing", "skip-testing") and value.startswith("@") and major >= 27:
            try:
                with open(value[1:], encoding="utf-8") as file:
                    self.lists[name] += [line for line in file.read().split("\n") if line.strip()]
            except OSError:
                raise Exit(66, "xcodebuild: error: unable to read response file '%s'" % value[1:])
            return
        self.lists[name].append(value)

    def check(self):
        for name in ("parallel-testing-enabled", "test-timeouts-enabled",
                     "test-repetition-relaunch-enabled"):
            if self.get(name, "YES") not in ("YES", "NO"):
                raise wrong("invalid value '%s' for option '-%s'" % (self.get(name), name))
        built = self.get("xctestrun") or (
            self.get("testProductsPath") and "build-for-testing" not in self.actions)
        if built and (self.get("workspace") or self.get("project")):
            # xcodebuild(1): both exclude -workspace and -project.
            raise wrong("The flag -xctestrun cannot be used together with -workspace or -project.")
        if self.get("workspace") and self.get("project"):
            raise wrong("You cannot specify both a workspace and a project.")
        if self.get("xctestrun") and "build-for-testing" in self.actions:
            raise wrong("The flag -xctestrun is only supported by test-without-building.")

    def get(self, name, otherwise=None):
        return self.values.get(name, otherwise)

    @property
    def command(self):
        """The words of xcodebuild's first output line."""
        return self.actions[-1] if self.actions else "build"
