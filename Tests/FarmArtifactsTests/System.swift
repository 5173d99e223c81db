// System programs that judge the files we write.
import FarmTesting
import Foundation

enum System {
    struct Ending {
        var status: Int32
        var output: String
    }

    /// Runs a program to its end; standard error is appended to standard output.
    @discardableResult
    static func run(_ program: String, _ arguments: [String]) throws -> Ending {
        let ending = try TestProcess.run([program] + arguments)
        return Ending(status: ending.status, output: ending.output + ending.errors)
    }

    static func has(_ program: String) -> Bool {
        (try? run("which", [program]).status) == 0
    }

    /// Returns the relative paths of all files below a folder, sorted.
    static func files(in folder: String) -> [String] {
        let names = FileManager.default.enumerator(atPath: folder)?.allObjects as? [String] ?? []
        return names.sorted().filter { name in
            var isFolder: ObjCBool = false
            let path = folder + "/" + name
            return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
                && !isFolder.boolValue
        }
    }

    static func attributes(_ path: String) throws -> [FileAttributeKey: Any] {
        try FileManager.default.attributesOfItem(atPath: path)
    }

    static func inode(_ path: String) throws -> Int {
        (try attributes(path)[.systemFileNumber] as? NSNumber)?.intValue ?? 0
    }
}
