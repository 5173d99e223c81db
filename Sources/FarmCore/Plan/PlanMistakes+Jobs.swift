// The mistakes in the jobs of a plan, in their cells and in their tests.

extension PlanMistakes {
    mutating func addJobs(_ jobs: [PlannedJob], _ driverMistakes: (DriverSettings) -> [String]) {
        let isFew = jobs.count <= FarmLimits.rulesMax
        add("there are more than \(FarmLimits.rulesMax) jobs", unless: isFew)
        guard isFew else { return }
        var names: Set<JobName> = []
        for planned in jobs {
            let name = planned.job.name
            let what = "job \(Self.shown(name.text))"
            add("\(what) is there twice", unless: names.insert(name).inserted)
            add("\(what) is no file name", unless: PathComponent.isName(name.text))
            addTests(planned.tests, what)
            addPrepared(planned.prepared, what)
            addSettings(planned.job, what)
            for mistake in driverMistakes(planned.job.driver) {
                add("\(what): \(mistake)", unless: false)
            }
            addComparison(planned.job.comparison, what)
            addCells(planned.job.cells, what)
        }
    }

    private mutating func addTests(_ tests: [TestID], _ what: String) {
        var seen: Set<TestID> = []
        seen.reserveCapacity(tests.count)
        for test in tests {
            add(
                "\(what) has the test \(Self.shown(test.text)) twice",
                unless: seen.insert(test).inserted
            )
            add("\(what) has a test without a name, or with one too long", unless: test.isUsable)
        }
    }

    private mutating func addPrepared(_ prepared: [String: String], _ what: String) {
        let areTexts = prepared.allSatisfy { Self.isText($0.key) && Self.isText($0.value) }
        add("\(what): prepared holds no text", unless: areTexts)
        add(
            "\(what): prepared has more than \(FarmLimits.rulesMax) entries",
            unless: prepared.count <= FarmLimits.rulesMax
        )
    }

    private mutating func addSettings(_ job: Job, _ what: String) {
        let retries = 0...(FarmLimits.attemptsMax - 1)
        add(
            "\(what): retries is \(job.retries), not from 0 to \(retries.upperBound)",
            unless: retries.contains(job.retries)
        )
        let takes = 1...FarmLimits.attemptsMax
        add(
            "\(what): repeatNew is \(job.repeatNew ?? 1), not from 1 to \(takes.upperBound)",
            unless: takes.contains(job.repeatNew ?? 1)
        )
        add("\(what): timeouts.testSeconds is no time", unless: job.timeouts.testSeconds.isTimeout)
        add(
            "\(what): timeouts.shardSeconds is no time",
            unless: job.timeouts.shardSeconds.isTimeout
        )
        let guesses = job.startGuess.map { [$0.warmSeconds, $0.coldSeconds] } ?? []
        let times = 0...FarmLimits.timeoutSecondsMax
        add("\(what): startGuess is no time", unless: guesses.allSatisfy(times.contains))
        add(
            "\(what): pictureRemedy is no text, or too long",
            unless: job.pictureRemedy.map(Self.isLabel) ?? true
        )
        let isEnvironment = job.env.allSatisfy { name, value in
            Job.isVariable(name) && Self.isText(value)
        }
        add("\(what): env holds what is no variable", unless: isEnvironment)
        let isProfile = job.framework?.isSound ?? true
        add("\(what): framework is no profile that a lease can follow", unless: isProfile)
        let most = FarmLimits.rulesMax
        add("\(what): env has more than \(most) variables", unless: job.env.count <= most)
        add("\(what): bundle has more than \(most) patterns", unless: job.bundle.count <= most)
        let inputs = job.inputs ?? []
        add("\(what): inputs has more than \(most) patterns", unless: inputs.count <= most)
        let probes = job.probes ?? []
        add("\(what): probes has more than \(most) patterns", unless: probes.count <= most)
        let percent = job.reuse?.samplePercent ?? 0
        add("\(what): reuse.sample is no percentage", unless: (0...100).contains(percent))
        let values = JSONValue.object(job.driver.values).texts
        let texts = job.bundle + inputs + probes + [job.driver.name] + values
        let areTexts = texts.allSatisfy { Self.isText($0) }
        add("\(what): bundle or driver holds no text", unless: areTexts)
    }

    private mutating func addComparison(_ rules: ComparisonRules, _ what: String) {
        let most = FarmLimits.rulesMax
        let isFew = rules.overrides.count <= most
        add("\(what): comparison has more than \(most) overrides", unless: isFew)
        let overrides = rules.overrides.prefix(most)
        let policies = [rules.policy] + overrides.compactMap(\.policy)
        add(
            "\(what): comparison has a number out of range",
            unless: policies.allSatisfy(\.isInRange)
        )
        let regions = [rules.ignored] + overrides.map(\.ignored)
        add(
            "\(what): comparison ignores what is no box",
            unless: regions.allSatisfy { regions in
                // The boxes of a list, and those of a mask.
                regions.boxes.count <= 2 * FarmLimits.ignoredBoxesMax
                    && regions.boxes.allSatisfy { $0.isOfPicture && $0.width > 0 && $0.height > 0 }
            }
        )
        let areTexts = overrides.allSatisfy { Self.isPattern($0.pattern) }
        add("\(what): comparison has a pattern that is too long", unless: areTexts)
        let names = FarmLimits.snapshotNameBytesMax
        addSteps("\(what): comparison", Self.steps(overrides.map(\.pattern), on: names))
    }

    // MARK: cells

    mutating func addCells(_ cells: [Cell], _ what: String) {
        var ids: Set<CellID> = []
        for cell in cells {
            let name = "\(what): cell \(Self.shown(cell.id.text))"
            add("\(name) is there twice", unless: ids.insert(cell.id).inserted)
            add("\(name) is no file name", unless: PathComponent.isName(cell.id.text))
            let axes = Set(cell.variant.map(\.axis))
            add("\(name) has an axis twice", unless: axes.count == cell.variant.count)
            let areTexts = cell.variant.allSatisfy {
                Self.isLabel($0.axis) && Self.isLabel($0.value)
            }
            add(
                "\(name) has too many values, or one that is no text",
                unless: areTexts && cell.variant.count <= FarmLimits.rulesMax
            )
            if let device = cell.device { addDevice(device, name) }
        }
        add(
            "\(what) has more than \(FarmLimits.cellsMax) cells",
            unless: cells.count <= FarmLimits.cellsMax || what == "matrix"
        )
    }

    private mutating func addDevice(_ device: Device, _ what: String) {
        let points = FarmLimits.devicePoints
        add(
            "\(what): width and height of its device are not from 1 to \(points.upperBound)",
            unless: points.contains(device.width) && points.contains(device.height)
        )
        let scales = FarmLimits.deviceScales
        add(
            "\(what): scale of its device is not from \(scales.lowerBound) to "
                + "\(scales.upperBound)",
            unless: scales.contains(device.scale)
        )
        let texts = [device.name, device.os, device.succeeds].compactMap(\.self)
        add(
            "\(what): its device has a name that is no text",
            unless: texts.allSatisfy(Self.isLabel)
        )
    }
}

extension TestID {
    /// Whether the test's id is not empty, not too long, and without NUL.
    package var isUsable: Bool {
        (1...FarmLimits.testIDBytesMax).contains(rawValue.utf8.count)
            && !rawValue.utf8.contains(0)
    }
}

extension Double {
    /// Whether the number is a valid time limit; NaN is not.
    fileprivate var isTimeout: Bool { self > 0 && self <= FarmLimits.timeoutSecondsMax }
}
