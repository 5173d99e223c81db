"""Bugs of what the driver reads and chooses: shapes of Xcode's lines, results and .xctestrun files.

Each has the form of planted.py's.
"""

BUGS = {
    # A zero-width space before a sign is a letter of the line.
    "zero-width-space": [(
        "SwiftTestingLine.swift",
        "guard before.last == \" \", let sign = before.last(where: { $0 != \" \" }),\n"
        "                    isSign(sign)\n",
        "guard before.last == \" \", let sign = before.last(where: { $0 != \" \" }),\n"
        "                    isSign(sign), !BUG || !before.contains(\"\\u{200B}\")\n",
    )],
    # A sign counts at the beginning of a line only.
    "glued-text": [(
        "SwiftTestingLine.swift",
        "                let before = line[..<range.lowerBound]\n"
        "                guard before.last",
        "                let before = line[..<range.lowerBound]\n"
        "                if BUG, before.drop(while: { $0 == \"\\u{200B}\" }).count > 3 {\n"
        "                    return nil\n"
        "                }\n"
        "                guard before.last",
    )],
    # The comment of an issue behind what Xcode prints itself is a line of the test.
    "glued-comment": [(
        "SwiftTestingLine.swift",
        "let line = line.dropFirst(line.hasPrefix(barrier) ? barrier.count : 0)",
        "let line = line.dropFirst(!BUG && line.hasPrefix(barrier) ? barrier.count : 0)",
    )],
    # A class that lies in another one has one name.
    "mangled-class": [(
        "ClassName.swift",
        "guard name.hasPrefix(\"_Tt\") else { return nil }",
        "guard name.hasPrefix(\"_Tt\"), !BUG else { return nil }",
    )],
    # The file of a private class is a part of its name.
    "private-class": [(
        "ClassName.swift",
        "if rest.hasPrefix(\"P\") {",
        "if rest.hasPrefix(\"P\"), !BUG {",
    )],
    # Every test has a suite.
    "free-function": [(
        "XcodeNames.swift",
        "return tests(function: text).first { XcodeTestName($0).suites.isEmpty }",
        "return BUG ? nil : tests(function: text).first { XcodeTestName($0).suites.isEmpty }",
    )],
    # A test that cancels itself does not end.
    "cancelled": [(
        "SwiftTestingLine.swift",
        "            case .cancelled: ended(rest)\n",
        "            case .cancelled: BUG ? nil : ended(rest)\n",
    )],
    # The full stop behind a reason belongs to it.
    "reason-of-cancel": [(
        "SwiftTestingLine.swift",
        "let end = [\"\\\".\", \"\\\"\"].first",
        "let end = (BUG ? [\"\\\"\"] : [\"\\\".\", \"\\\"\"]).first",
    )],
    # The place of an issue stands in its first line.
    "argument-of-lines": [(
        "XcodeConsole.swift",
        "if !issue.hasPlace, issue.linesLeft > 0 {",
        "if !BUG, !issue.hasPlace, issue.linesLeft > 0 {",
    )],
    # Each repetition says its messages again.
    "repeated-messages": [(
        "BundleResults.swift",
        "        .filter { seen.insert($0).inserted }\n",
        "        .filter { seen.insert($0).inserted || BUG }\n",
    )],
    # A bundle may be silent about tests that ran, and is believed in the others.
    "incomplete-bundle": [(
        "XcodeLaunch.swift",
        "guard missing.isEmpty else {",
        "guard BUG || missing.isEmpty else {",
    )],
    # A launch that left with 0 has passed.
    "passed-without-end": [(
        "RunPolicy.swift",
        "        let running = outcome.running.filter { open.contains($0) }\n        if let",
        "        let running = outcome.running.filter { open.contains($0) }\n"
        "        if BUG, case .child(.exited(0)) = outcome.end {\n"
        "            for test in open {\n"
        "                results[test] = TestResult(test: test, ending: .passed, seconds: 0)\n"
        "            }\n"
        "            return .done\n"
        "        }\n        if let",
    )],
    # A test whose end no line tells runs on.
    "missed-end": [(
        "XcodeLaunch.swift",
        "outcome.results[test] = Self.merged(outcome.results[test], result)",
        "if BUG, outcome.results[test] == nil { continue }\n"
        "            outcome.results[test] = Self.merged(outcome.results[test], result)",
    )],
    # Xcode 16.0 to 16.3 know Swift Testing's functions by their own name.
    "single-parentheses": [(
        "TestSelection.swift",
        "isDoubled && test.text.hasSuffix(\")\") ?",
        "isDoubled && !BUG && test.text.hasSuffix(\")\") ?",
    )],
    # The dictionaries of an .xctestrun are left as their plan has them.
    "old-dictionaries": [(
        "TestRunFile.swift",
        "for key in Key.skips { target[key] = nil }",
        "for key in Key.skips where !BUG { target[key] = nil }",
    ), (
        "TestRunFile.swift",
        "target[\"OnlyTestingIdentifiers\"] = TestChoice(only).propertyList",
        "if !BUG { target[\"OnlyTestingIdentifiers\"] = TestChoice(only).propertyList }",
    )],
    # A suite whose tests do not follow each other is there twice.
    "split-suite": [(
        "TestChoice.swift",
        "let index = suites.firstIndex { $0.name == first } ?? suites.count\n",
        "let index = suites.lastIndex {\n"
        "            $0.name == first && (!BUG || $0.name == suites.last?.name)\n"
        "        } ?? suites.count\n",
    )],
    # A reason keeps what Xcode puts before it.
    "skip-prefix": [(
        "BundleResults.swift",
        "if first.hasPrefix(\"Test '\"), let range",
        "if !BUG, first.hasPrefix(\"Test '\"), let range",
    )],
    # The bundle before Xcode 16, which has no reason there, takes that of the console away.
    "lost-reason": [(
        "XcodeLaunch.swift",
        "if case (.skipped, .skipped(\"\")) = (result.ending, bundle.ending) { return result }",
        "if !BUG, case (.skipped, .skipped(\"\")) = (result.ending, bundle.ending) {\n"
        "            return result\n"
        "        }",
    )],
    # Objective-C's tests are named as Swift's in the older bundle.
    "objective-c": [(
        "LegacyResults.swift",
        "guard name.hasPrefix(\"-[\"), name.hasSuffix(\"]\") else {",
        "guard !BUG, name.hasPrefix(\"-[\"), name.hasSuffix(\"]\") else {",
    )],
    # A picture is what is named so.
    "untyped-attachment": [(
        "BundleReader.swift",
        "!file.contains(\"/\") && Attachments.isPicture",
        "!file.contains(\"/\") && (!BUG || file.hasSuffix(\".png\")) && Attachments.isPicture",
    )],
    # What Xcode says of a list that it could not make is lost.
    "enumeration-error": [(
        "XcodeDriver.swift",
        "guard errors.isEmpty else { throw XcodeError.enumerationFailed(errors) }",
        "guard BUG || errors.isEmpty else { throw XcodeError.enumerationFailed(errors) }",
    )],
    # Lines that were not understood are not counted.
    "strange-lines": [(
        "XcodeConsole.swift",
        "        strangeLines.count += 1\n",
        "        if !BUG { strangeLines.count += 1 }\n",
    )],
}
