// The page in English.
import FarmCore

extension PageText {
    static let english = PageText(
        language: .english,
        skipToChanges: "Skip to the changes",
        mode: { $0.rawValue },
        aPart: "a part",
        state: { $0 == .unjudgeable ? "not judged" : $0.rawValue },
        verdict: { $0 == .unreached ? "not reached" : Wording.word($0) },
        headline: { Wording.headline($0) },
        fact: { $0 },
        compared: "{1} pictures, {2} of them the same file",
        changesInPictures: { changes, pictures in
            "\(count(changes, "change")) in \(count(pictures, "picture"))"
        },
        runs: "All runs",
        howFar: "Progress",
        otherLanguage: "日本語",
        problems: "Problems",
        notes: "Notes",
        follows: { $0.follows },
        toolDetail: "What the tool says",
        quarantined: "Known as unreliable, not counted",
        quarantinedUntil: "not counted until {1}: {2}",
        rejectedBefore: "Rejected before",
        matrix: "Results by device",
        testsByCell: "number of tests",
        cell: "Device",
        planned: "planned",
        skipped: "skipped",
        all: "All",
        skippedTests: "Skipped",
        incomplete: "incomplete",
        showThem: "{1} {2} on {3}: show them",
        changes: "Changes",
        allAsExpected: "Every picture is as expected.",
        foldedChanges: "Missing because of a problem above",
        tests: "Tests",
        testsOf: { count($0, "test") },
        attempts: { count($0, "attempt") },
        output: "Output",
        log: "Log",
        lost: "its machine was lost",
        catalogue: "Catalogue",
        nothingMatches: "Nothing matches this filter.",
        rest: { left, thing in
            "\(left) more \(word(thing)) are not shown; summary.json has them."
        },
        glossary: "What the words mean",
        glossaryWords: [
            ("reference", "the picture that is right until somebody accepts another one"),
            ("changed", "differs from its reference"), ("new", "has no reference yet"),
            ("missing", "has a reference, but its test did not make it any more"),
            ("not reached", "its test stopped before it, so nothing can be said"),
            ("moved", "equals the reference of another device that this one follows"),
            ("flaky", "attempts of one run disagree, or only a repetition passed"),
            ("failed", "the test itself said no"),
            ("errored", "the test did not end by itself, or nobody can trust its result"),
            ("suite", "a folder of tests that belong together"),
            ("region", "a part of a picture in which something differs"),
            ("publish", "makes accepted pictures the references of all later runs"),
            ("reference set", "all references of a project at one time; it has an id"),
            ("pin", "the file in your repository that names the set; committing it lets it count"),
            ("reference store", "where the pictures of all sets are kept"),
            ("pipeline", "the file that says which tests run on which devices"),
            ("verify, record", "compare pictures with the references, or make them the references"),
            ("shard", "one machine's share of a run that several machines do together"),
            ("unstable", "two captures of one picture differ, though nothing was changed"),
            ("commit", "a saved state of the repository, with an id"),
        ],
        phrases: [
            "anti-aliasing only": "only smoothed edges", "anti-aliasing": "smoothed edges",
            "noise only": "differences too small to see",
        ],
        busyMachine:
            "The test machine had too much to do; run again if the app looks right to you.",
        largestDelta: { "colours differ by up to \(percent(ofChannel: $0)) %" },
        pixels: { count($0, "pixel") },
        cells: { count($0, "picture") },
        place: { place in
            place.replacing(/^([0-9]+) cells:/) { match in "\(match.1) pictures:" }
        },
        showCells: { "Show \(count($0, "picture"))" },
        allChanges: "All changes",
        part: { "Changes \($0.grouped) to \($1.grouped) of \($2.grouped)." },
        previous: "Previous ones",
        next: "Next ones",
        reference: "Reference",
        anotherTake: "Another attempt",
        thisRun: "This run",
        difference: "Difference",
        noReference: "No reference yet",
        notMade: "Not made by this run",
        legend: "What the colours say",
        legendWords: [
            ("magenta", "differs; stripes: only one of the two has it"),
            ("vermilion", "moved: where it was"), ("blue", "moved: where it is"),
            ("gold", "only smoothed edges"), ("grey", "equal, faded"),
        ],
        filter: "Filter",
        verdicts: "Results",
        filterByName: "Filter by name",
        allCells: "All devices",
        suite: "Suite",
        allSuites: "All suites",
        compare: "Compare",
        sideBySide: "Side by side",
        swipe: "Swipe",
        blink: "Blink",
        showRegions: "Regions",
        decisions: "Decisions",
        keys: "Keys",
        keyWords: [
            ("j k", "next and previous change"), ("1 2 3 4", "how pictures are compared"),
            ("z", "enlarge; + zooms to single pixels"), ("space", "hold the blinking picture"),
            ("r", "regions"), ("n", "next difference of a tall picture"),
            ("o", "open the pictures of other devices"),
            ("h l", "previous and next device"),
            ("t", "tick what is shown"), ("/", "filter by name"), ("Esc", "clear the filter"),
        ],
        decideKeyWords: [
            ("a", "accept, and on to the next change"), ("x", "reject, with a reason"),
            ("c", "comment"), ("u", "undo"),
            ("p", "to the button that publishes"), ("w", "why this reference"),
        ],
        take: "Select",
        ticked: "{1} ticked",
        accept: "Accept",
        reject: "Reject",
        why: "Reason",
        copyCommand: "Copy the command",
        copyComment: "Copy the comment",
        theText: "Show the texts",
        command: "For a terminal",
        comment: "For the pull request",
        mark: { decision in
            switch decision {
            case .open: "To decide"
            case .accepted: "Accepted"
            case .rejected: "Rejected"
            case .published: "Published"
            case .mixed: "Partly decided"
            }
        },
        by: { who, when in who.isEmpty ? when : "by \(who), \(when)" },
        mixed: { "\($0) accepted, \($1) rejected, \($2) to decide" },
        say: "Comment",
        undo: "Undo",
        whatIsWrong: "What is wrong?",
        yourComment: "Your comment; it decides nothing",
        undoAll: { changes, pictures in
            "Undo: \(count(changes, "change")), \(count(pictures, "picture")) accepted at once"
        },
        tickedOnly: "Only what is ticked:",
        progress: { "\($0) of \($1) decided" },
        acceptAll: { changes, pictures in
            "Accept all \(count(changes, "open change")), \(count(pictures, "picture"))"
        },
        tooManyAtOnce: { pictures, most in
            "\(pictures.grouped) pictures are to decide; filter to at most \(most.grouped) at once."
        },
        publish: { pictures, removed in
            switch (pictures - removed, removed) {
            case (_, 0): "Publish \(count(pictures, "picture"))"
            case (0, _): "Publish: \(leave(removed)) the references"
            case (let kept, _):
                "Publish: \(become(kept)), \(removed.grouped) \(removed == 1 ? "leaves" : "leave")"
            }
        },
        decided: { kind, pictures, removed in
            guard pictures > 0 else {
                return switch kind {
                case .published: "Nothing new was published."
                case .withdrawn: "There is no decision to undo."
                default: "Nothing changed: it was decided so before."
                }
            }
            let kept = pictures - removed
            let pictures = count(pictures, "picture")
            return switch kind {
            case .accepted where removed > 0:
                "Accepted \(pictures): \(count(removed, "picture")) will leave the references."
            case .accepted: "Accepted \(pictures)."
            case .rejected: "Rejected \(pictures)."
            case .withdrawn: "Took back the decision about \(pictures)."
            case .commented: "Kept the comment."
            case .published where kept == 0: "Published: \(pictures) left the references."
            case .published where removed > 0:
                "Published: \(became(kept)), \(removed.grouped) left."
            case .published: "Published \(pictures)."
            }
        },
        nothingAccepted: "Nothing is accepted that is not published.",
        lookOnly: "You may look, but not decide.",
        pinToCommit:
            "Published, but your repository does not use the new references yet. Run there:",
        publishedPin: { english($0) },
        pinPatch: "The same as a patch for git apply",
        copy: "Copy",
        script: [
            "detail": "What the tool says",
            "shown": "{1} of {2} shown", "open": "Open", "zoom": "Enlarge", "copied": "Copied.",
            "close": "Close", "at": "x {1}, y {2}", "reference": "Reference",
            "current": "This run", "diff": "Difference", "none": "none",
            "noReference": "No reference yet",
            "notMade": "Not made by this run",
            "served": """
            Chromium shows the values of pixels only of a served page: try "snapfarm review".
            """,
            "zoomHelp": """
            Drag or arrow keys move, + and − zoom, 0 fits, 1 is 100 %, n is the next difference, \
            Esc closes.
            """,
            "copy": "Copy", "accept": "Accept", "cancel": "Cancel",
            "askAll": """
            When you publish, they become references, and missing ones leave. One press undoes it.
            """,
            "turned": "{1} changed this while you looked: {2}.",
            "turnedOpen": "Somebody took the decision back while you looked.",
            "fit": "Fit", "beside": "Side by side", "smaller": "Smaller", "larger": "Larger",
            "single": "The comment takes whole changes; single pictures are in the command only.",
            "failed": "The server did not answer. Nothing was changed.",
            "slider": "Share of the reference that is shown", "ticked": "{1} ticked",
            "region": "{3}×{4} at {1}, {2}",
            "part": "Part {1} of {2}", "partBefore": "The part above",
            "partAfter": "The part below", "nextDifference": "Next difference",
        ]
    )

    private static func percent(ofChannel delta: Int) -> Int { max(1, (100 * delta + 127) / 255) }

    private static func count(_ count: Int, _ noun: String) -> String {
        count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
    }

    private static func become(_ pictures: Int) -> String {
        pictures == 1 ? "1 picture becomes a reference" : "\(pictures) pictures become references"
    }

    private static func became(_ pictures: Int) -> String {
        pictures == 1 ? "1 picture became a reference" : "\(pictures) pictures became references"
    }

    private static func leave(_ pictures: Int) -> String {
        pictures == 1 ? "1 picture leaves" : "\(pictures) pictures leave"
    }

    private static func word(_ thing: PageThing) -> String {
        switch thing {
        case .changes: "changes"
        case .cells: "pictures"
        case .tests: "tests"
        case .skippedTests: "skipped tests"
        case .quarantined: "unreliable ones"
        case .rejections: "rejections"
        case .pictures: "pictures"
        }
    }
}
