// The record of inheritable test cases as JSON. The test cases of a page on many devices read the same
// files, so the JSON names each list of files once.

extension ReuseRecord: Codable {
    private enum CodingKeys: String, CodingKey {
        case fullRun, off, tests, commits, counts, runs, total
        /// The lists of files, and for each test case the place of its list or -1.
        case lists, places
    }

    package func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: CodingKeys.self)
        try object.encodeIfPresent(fullRun, forKey: .fullRun)
        try object.encode(off, forKey: .off)
        try object.encode(tests, forKey: .tests)
        try object.encode(commits, forKey: .commits)
        try object.encode(counts, forKey: .counts)
        try object.encode(runs, forKey: .runs)
        try object.encode(total, forKey: .total)
        let lists = Set(tests.compactMap(\.files)).sorted { $0.lexicographicallyPrecedes($1) }
        guard !lists.isEmpty else { return }
        let places = Dictionary(uniqueKeysWithValues: zip(lists, lists.indices))
        try object.encode(lists, forKey: .lists)
        try object.encode(
            tests.map { test in test.files.flatMap { places[$0] } ?? -1 },
            forKey: .places
        )
    }

    /// Decodes a record; records of older versions have no lists.
    package init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: CodingKeys.self)
        fullRun = try object.decodeIfPresent(Int64.self, forKey: .fullRun)
        off = try object.decode([JobName].self, forKey: .off)
        tests = try object.decode([ReusedTest].self, forKey: .tests)
        commits = try object.decode([String: String].self, forKey: .commits)
        counts = try object.decode([ReuseCount].self, forKey: .counts)
        runs = try object.decode(Int.self, forKey: .runs)
        total = try object.decode(ReuseCount.self, forKey: .total)
        let lists = try object.decodeIfPresent([[String]].self, forKey: .lists) ?? []
        let places = try object.decodeIfPresent([Int].self, forKey: .places) ?? []
        for (index, place) in zip(tests.indices, places) where lists.indices.contains(place) {
            tests[index].files = lists[place]
        }
    }
}
