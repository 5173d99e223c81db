// Tests of pipeline files that attack the terminal or the reader's time.
import FarmCore
import FarmDrivers
import FarmPipeline
import Testing

@Suite("hostile pipeline files")
struct PipelineLimitsTests {
    private func problems(_ text: String) -> [DocumentProblem] {
        do {
            _ = try PipelineDecoder.decode(text, file: "p.yaml", drivers: DriverCatalog.kinds)
            return []
        } catch { return error.problems }
    }

    @Test("after a hundred mistakes a file is given up, which is the last line")
    func givenUp() {
        let keys = (0..<50_000).map { "key\($0): 1" }.joined(separator: "\n")
        let found = problems("version: 1\n" + keys)
        #expect(found.count == FarmLimits.documentProblemsMax + 1)
        #expect(found.last?.message == "there are more than 100 mistakes.")
        #expect(found.dropLast().allSatisfy { $0.message.contains("unknown key") })
    }

    @Test("a hundred mistakes are told")
    func told() {
        let keys = (0..<90).map { "key\($0): 1" }.joined(separator: "\n")
        let found = problems("version: 1\nname: x\n" + keys)
        #expect(!found.contains { $0.message.contains("more than") })
    }

    @Test("a key of a megabyte is told in few letters, in the middle of which some are missing")
    func longKey() throws {
        let found = problems("version: 1\n? \(String(repeating: "k", count: 1 << 20))\n: 1\n")
        let mistake = try #require(found.first { $0.message.contains("unknown key") })
        #expect(mistake.message.unicodeScalars.count <= FarmLimits.documentProblemLettersMax + 3)
        #expect(mistake.message.contains(" … ") && mistake.message.contains("in the pipeline"))
    }

    @Test("a file that is deep, or that aliases make large, is refused for what it is")
    func excess() {
        let bomb = (1...9).reduce("a0: &a0 [x, x, x, x, x, x, x, x, x]\n") { text, level in
            let items = Array(repeating: "*a\(level - 1)", count: 9).joined(separator: ", ")
            return text + "a\(level): &a\(level) [\(items)]\n"
        }
        #expect(problems(bomb).first?.message.contains("aliases repeat") == true)
        for depth in [40, 200_000] {
            let deep = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            #expect(!problems("version: 1\nname: \(deep)\n").isEmpty, "\(depth)")
        }
    }

    @Test("what a mistake quotes moves no cursor")
    func escaped() {
        let found = problems("version: 1\n\"a\\e[2Jb\\u202E\\n\": 1\n")
        #expect(!found.isEmpty)
        for problem in found {
            #expect(problem.text.utf8.allSatisfy { $0 >= 32 && $0 != 127 })
            #expect(!problem.text.unicodeScalars.contains("\u{202E}"))
        }
    }

    @Test(
        "a number that is too large is a mistake with its line",
        arguments: [
            "9223372036854775807", "9223372036854775808", "-9223372036854775808", "1e308", "1e999",
            "nan", "inf", "0x7fffffffffffffff",
        ]
    )
    func numbers(number: String) {
        let found = problems(
            """
            version: \(number)
            name: x
            devices:
              - {name: K, width: \(number), height: \(number), scale: \(number)}
            jobs:
              a:
                kind: snapshot
                driver: command
                discover: "true"
                run: "true"
                retries: \(number)
                timeout: {test: \(number)s, shard: \(number)h}
                comparison: {policy: fb, perPixelTolerance: \(number), ignore: ["0,0-\(number),1"]}
            """
        )
        let lines = Set(found.map(\.line))
        #expect(lines.isSuperset(of: [1, 4, 11, 12, 13]), "\(found.map(\.text))")
    }

    @Test("every list of a pipeline file has the limits of a plan")
    func sameLimits() {
        let head = "version: 1\nname: app\njobs:\n"
        let job = "    kind: unit\n    driver: command\n    discover: d\n    run: r\n"
        let many = (0...FarmLimits.rulesMax).map { "V\($0): x" }.joined(separator: ", ")
        let texts = [
            head + "  \(String(repeating: "j", count: 201)):\n" + job,
            head + "  a:\n" + job + "    env: {\(many)}\n",
            "version: 1\nname: \"\(String(repeating: "n", count: 201))\"\njobs:\n  a:\n" + job,
            "version: 1\nname: app\ndevices: [iPhone 8]\nvariants: {text: [a b, a-b]}\njobs:\n  a:\n"
                + job + "    matrix: all\n",
        ]
        for text in texts {
            #expect(throws: DocumentErrors.self, "\(text.suffix(200))") {
                try PipelineDecoder.decode(text, file: "app.yaml", drivers: DriverCatalog.kinds)
            }
        }
    }
}
