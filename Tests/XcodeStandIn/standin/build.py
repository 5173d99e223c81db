"""build-for-testing: writes products and .xctestrun files, with what Xcode bakes into them.

    <derived data>/Build/Products/Shop_Shop_iphonesimulator18.5-arm64-x86_64.xctestrun
    <derived data>/Build/Products/Debug-iphonesimulator/Shop.app/PlugIns/ShopTests.xctest

The test bundle's program is a JSON file with the tests as they were when it was built: a source
that changes later changes nothing until the next build. Paths of source files are baked in, paths
of products are relative to the .xctestrun.
"""
import json
import os
import plistlib
import shutil

from . import project as projects
from . import trouble
from .place import try_lock
from .tool import Exit


def derived_data(call, options, name):
    given = options.get("derivedDataPath")
    if given:
        return os.path.abspath(given)
    import hashlib
    word = hashlib.sha256(name.encode()).hexdigest()[:28]
    return os.path.join(call.place.derived_data, "%s-%s" % (
        os.path.splitext(os.path.basename(name))[0], word))


def main(call, options, out):
    """Builds; returns the .xctestrun of each test plan."""
    if not options.get("scheme"):
        raise Exit(64, "xcodebuild: error: The flag -scheme, -testProductsPath, or -xctestrun is "
                       "required when performing '%s'." % options.command)
    project = projects.find(call, options)
    plans = projects.plans(project, options.get("scheme"))
    wanted = options.get("testPlan")
    if wanted is not None and wanted not in plans:
        raise Exit(65, 'xcodebuild: error: Scheme "%s" does not have an associated test plan named '
                       '"%s".' % (options.get("scheme"), wanted))
    folder = derived_data(call, options, project.path)
    lock = try_lock(os.path.join(folder, "Build", "Intermediates.noindex", "build.db"))
    if lock is None:
        raise failed(out, 'error: unable to attach DB: error: accessing build database "%s": '
                          "database is locked Possibly there are two concurrent builds running in "
                          "the same filesystem location."
                     % os.path.join(folder, "Build", "Intermediates.noindex", "build.db"))
    try:
        return build(call, options, out, project, plans, folder)
    finally:
        os.close(lock)


def failed(out, text):
    out.line(text)
    out.line("")
    out.line("** TEST BUILD FAILED **")
    out.flush()
    return Exit(65)


def build(call, options, out, project, plans, folder):
    kind = trouble.strikes(call, "build", None)
    if kind == "build-hangs":
        call.place.hang()
    if kind:
        raise failed(out, trouble.KINDS[kind][2])
    if project.description.get("buildError"):
        raise failed(out, project.description["buildError"])
    call.place.take_time(project.description.get("buildSeconds", 60))
    configuration = options.get("configuration") or "Debug"
    products = os.path.join(folder, "Build", "Products")
    binaries = runs = products
    prefix = "__TESTROOT__/"
    bundle = options.get("testProductsPath")
    if bundle:
        # Products of one build in one bundle: the .xctestrun files lie two folders deeper.
        shutil.rmtree(bundle, ignore_errors=True)
        binaries = os.path.join(bundle, "Binaries", "0")
        runs = os.path.join(bundle, "Tests", "0")
        prefix = "__TESTROOT__/../../Binaries/0/"
    os.makedirs(runs, exist_ok=True)
    folder_name = configuration + "-iphonesimulator"
    write_products(call, project, os.path.join(binaries, folder_name))
    if bundle:
        write_plist(os.path.join(bundle, "Info.plist"), {"FormatVersion": 1})
    written = {}
    for plan_name, plan in plans.items():
        if options.get("testPlan") not in (None, plan_name):
            continue
        names = [options.get("scheme"), plan_name]
        file = "%s_iphonesimulator%s-arm64-x86_64.xctestrun" % (
            "_".join(n for n in names if n), call.xcode["sdk"])
        path = os.path.join(runs, file)
        write_plist(path, test_run(call, project, plan_name, plan, prefix + folder_name))
        written[plan_name] = path
    call.trace.add("build", scheme=options.get("scheme"), project=project.path,
                   products=binaries)
    return written


def write_plist(path, value):
    with open(path, "wb") as file:
        plistlib.dump(value, file)


def write_products(call, project, folder):
    app = project.description.get("app", "App")
    write_app(os.path.join(folder, app + ".app"), app, project.description)
    for name, target in project.targets.items():
        if target.get("kind") == "ui":
            runner = os.path.join(folder, name + "-Runner.app")
            write_app(runner, name + "-Runner", {})
            host = runner
        else:
            host = os.path.join(folder, app + ".app")
        write_tests(os.path.join(host, "PlugIns", name + ".xctest"), name, target, project)


def write_app(app, name, description):
    os.makedirs(app, exist_ok=True)
    write_plist(os.path.join(app, "Info.plist"), {
        "CFBundleExecutable": name, "CFBundleIdentifier": "com.example." + name.lower(),
        "CFBundlePackageType": "APPL",
    })
    write_program(os.path.join(app, name), description.get("weight", 0))
    for framework in description.get("frameworks", []):
        write_framework(os.path.join(app, "Frameworks", framework + ".framework"), framework)


def write_program(path, weight):
    with open(path, "wb") as file:
        file.write(b"\xcf\xfa\xed\xfe")
        file.truncate(4 + weight)
    os.chmod(path, 0o755)


def write_framework(folder, name):
    """With the links of a versioned framework, which a copy must keep."""
    version = os.path.join(folder, "Versions", "A")
    os.makedirs(version, exist_ok=True)
    write_program(os.path.join(version, name), 0)
    for link, target in (("Versions/Current", "A"), (name, "Versions/Current/" + name)):
        path = os.path.join(folder, link)
        if os.path.lexists(path):
            os.remove(path)
        os.symlink(target, path)


def write_tests(bundle, name, target, project):
    os.makedirs(bundle, exist_ok=True)
    write_plist(os.path.join(bundle, "Info.plist"), {
        "CFBundleExecutable": name, "CFBundleIdentifier": "com.example." + name.lower(),
        "CFBundlePackageType": "BNDL",
    })
    program = os.path.join(bundle, name)
    content = {
        # #filePath of every test begins here, wherever the products go.
        "root": project.root, "target": name, "module": target.get("module", name),
        "frameworks": project.description.get("frameworks", []),
        "sources": read_sources(project),
        "tests": [projects.described(test) for test in target["tests"]],
    }
    with open(program, "w", encoding="utf-8") as file:
        json.dump(content, file, ensure_ascii=False)
    os.chmod(program, 0o755)


def read_sources(project):
    """What tests and pictures may depend on, as it is built now."""
    texts = []
    for name in project.description.get("sources", []):
        with open(os.path.join(project.root, name), encoding="utf-8") as file:
            texts.append(file.read())
    return texts


def test_run(call, project, plan_name, plan, products):
    """The plist of xcodebuild.xctestrun(5); version 2 for test plans, 1 for plain schemes."""
    version = project.description.get("xctestrunFormat", 2 if plan_name else 1)
    configurations = plan.get("configurations") or [{"name": "Test Scheme Action"}]
    if version == 2:
        return {
            "__xctestrun_metadata__": {"FormatVersion": 2},
            "ContainerInfo": {"ContainerName": os.path.splitext(project.name)[0],
                              "SchemeName": plan_name or ""},
            "CodeCoverageBuildableInfos": [],
            "TestConfigurations": [
                {
                    "Name": configuration["name"],
                    **({"IsEnabled": False} if configuration.get("disabled") else {}),
                    "TestTargets": [
                        target_entry(call, project, name, plan, configuration, products)
                        for name in plan["targets"]
                    ],
                }
                for configuration in configurations
            ],
            "TestPlan": {"Name": plan_name or "Test Scheme Action", "IsDefault": True},
        }
    result = {
        name: target_entry(call, project, name, plan, configurations[0], products)
        for name in plan["targets"]
    }
    if version == 1:
        result["__xctestrun_metadata__"] = {"FormatVersion": 1}
    return result


def target_entry(call, project, name, plan, configuration, products):
    target = project.targets[name]
    app = project.description.get("app", "App")
    is_ui = target.get("kind") == "ui"
    host = "%s/%s.app" % (products, name + "-Runner" if is_ui else app)
    entry = {
        "BlueprintName": name,
        "ProductModuleName": target.get("module", name),
        "IsUITestBundle": is_ui,
        "TestHostPath": host,
        "TestHostBundleIdentifier": "com.example." + os.path.basename(host)[:-4].lower(),
        "TestBundlePath": "__TESTHOST__/PlugIns/%s.xctest" % name,
        "DependentProductPaths": [host, "%s/PlugIns/%s.xctest" % (host, name)],
        "ParallelizationEnabled": target.get("parallel", False),
        "SystemAttachmentLifetime": "deleteOnSuccess",
        "UserAttachmentLifetime": "deleteOnSuccess",
        "TestTimeoutsEnabled": plan.get("timeouts", False),
        "CommandLineArguments": [],
        "EnvironmentVariables": {
            "OS_ACTIVITY_DT_MODE": "YES", **plan.get("environment", {}),
            **configuration.get("environment", {}),
        },
        "TestingEnvironmentVariables": {
            "DYLD_FRAMEWORK_PATH": products, "DYLD_LIBRARY_PATH": products,
            "DYLD_INSERT_LIBRARIES": "__TESTHOST__/Frameworks/libXCTestBundleInject.dylib",
            "XCInjectBundleInto": "unused",
            "__XCODE_BUILT_PRODUCTS_DIR_PATHS": products,
        },
        "ToolchainsSettingValue": [],
    }
    if is_ui:
        entry["UITargetAppPath"] = "%s/%s.app" % (products, app)
        entry["UITargetAppBundleIdentifier"] = "com.example." + app.lower()
    for key, name_in_plist in (("language", "TestLanguage"), ("region", "TestRegion")):
        if configuration.get(key):
            entry[name_in_plist] = configuration[key]
    for key, kind in (("skip", "Skip"), ("only", "Only")):
        names = [s.split("/", 1)[1] for s in plan.get(key, []) if s.split("/")[0] == name]
        if names:
            entry[kind + "TestIdentifiers"] = names
            if call.version >= (26, 4):
                entry[kind + "TestingIdentifiers"] = choice_of(names)
    # Keys of a test plan; which names an .xctestrun has for them is not known.
    for key in ("testRepetitionMode", "maximumTestRepetitions"):
        if key in plan:
            entry[key] = plan[key]
    # A plan may bring keys of an older or a newer Xcode along.
    entry.update(plan.get("brings", {}))
    return entry


def choice_of(names):
    """The dictionary of Xcode 26.4 for tests of suites that lie in no other."""
    suites = []
    for name in names:
        suite, _, function = name.partition("/")
        suites.append({"name": suite, **({"testFunctions": [function]} if function else {})})
    classes = [
        {"name": s["name"], **({"xctestMethods": [f.replace("()", "") for f in s["testFunctions"]]}
                               if "testFunctions" in s else {})}
        for s in suites
    ]
    return {"suites": suites, "xctestClasses": classes}
