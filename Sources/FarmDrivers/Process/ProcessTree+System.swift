// Reads facts about processes: from /proc on Linux, from libproc on macOS (untested there).
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension ProcessTree {
    #if os(Linux)
    /// Returns the direct children of all threads of this process, or `nil` if the kernel lists
    /// none.
    static func ownChildren() -> [Int32]? {
        var children: [Int32] = []
        for thread in numbers(in: "/proc/self/task") {
            guard let text = contents("/proc/self/task/\(thread)/children") else {
                // A thread that just ended has handed its children to another one.
                if access("/proc/self/task/\(thread)", F_OK) == 0 { return nil }
                continue
            }
            for word in text.split(separator: UInt8(ascii: " ")) {
                if let pid = Int32(String(decoding: word, as: UTF8.self)) { children.append(pid) }
            }
        }
        return children
    }

    static func allProcesses() -> [Int32] { numbers(in: "/proc") }

    /// Returns the environment block that a process was started with, or `nil` if the process is
    /// gone or may not be read.
    static func environment(of pid: Int32) -> [UInt8]? { contents("/proc/\(pid)/environ") }

    /// Returns the address of a process's environment block, which each execve(2) changes, or `nil`
    /// in the middle of one, and if the process is gone or may not be read.
    static func environmentStart(of pid: Int32) -> UInt64? {
        guard let line = contents("/proc/\(pid)/stat") else { return nil }
        // The name in parentheses may hold anything. `env_start` is field 50, the name field 2
        // (proc(5)).
        let fields = String(decoding: line, as: UTF8.self).split(separator: ")").last?
            .split(separator: " ")
        guard let fields, fields.count > 47, let start = UInt64(fields[47]), start > 0 else {
            return nil
        }
        return start
    }

    private static func numbers(in folder: String) -> [Int32] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var found: [Int32] = []
        while let entry = readdir(stream) {
            let number = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) { Int32(String(cString: $0)) }
            }
            if let number { found.append(number) }
        }
        return found
    }

    /// Returns the content of a file of /proc, whose size is not known before, or `nil` if it
    /// cannot be read; an environment has at most a few megabytes.
    private static func contents(_ path: String) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = read(file, &buffer, buffer.count)
            guard count >= 0 else { return nil }
            guard count > 0, bytes.count < 8 << 20 else { return bytes }
            bytes += buffer[..<count]
        }
    }
    #elseif canImport(Darwin)
    static func ownChildren() -> [Int32]? { nil }

    static func allProcesses() -> [Int32] {
        let room = proc_listallpids(nil, 0)
        guard room > 0 else { return [] }
        var pids = [Int32](repeating: 0, count: Int(room) * 2)
        let count = proc_listallpids(&pids, Int32(pids.count * MemoryLayout<Int32>.size))
        return Array(pids.prefix(max(0, Int(count))))
    }

    static func environment(of pid: Int32) -> [UInt8]? { nil }
    static func environmentStart(of pid: Int32) -> UInt64? { nil }
    #endif
}
