// Hard links, if the file system has them.

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

enum FileLink {
    /// Makes a hard link at `new`; returns `false` if a copy is needed: another file system, no
    /// hard links, too many of them.
    static func make(_ path: String, at new: String) -> Bool { link(path, new) == 0 }
}
