// Tests of a zip's download from a wrong host, and of one that breaks off.
import FarmAPI
import FarmCore
import FarmTesting
import Foundation
import Testing

@Suite("A file behind a URL")
struct FileDownloadTests {
    private func download(_ answer: String) async throws -> DownloadError? {
        let host = try ScriptedListener { _ in .last(answer) }
        let folder = try TemporaryFolder()
        let download = try FileDownload(url: host.url + "/a.zip", bytesMax: 5_000, header: nil)
        return await #expect(throws: DownloadError.self) {
            try await download.save(toFileAt: folder.file("a.zip"))
        }
    }

    @Test("that is cut off says after how many bytes, and is no difference of pictures")
    func cutOff() async throws {
        let error = try await download("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf")
        let words = "the download from 127.0.0.1 ended after 4 bytes"
        #expect(error?.message.contains(words) == true, "\(error as Any)")
        #expect(error?.exit == .unavailable)
    }

    @Test(
        "in whose place a page comes is told apart from a damaged file",
        arguments: ["<!DOCTYPE html><html>Log in", "\n  <html>", "\u{FEFF}<?xml version='1.0'?>"]
    )
    func page(text: String) async throws {
        let length = "Content-Length: \(text.utf8.count)"
        let error = try await download("HTTP/1.1 200 OK\r\n\(length)\r\n\r\n\(text)")
        #expect(error == .page(host: "127.0.0.1"))
        #expect(error?.message.contains("probably one to log in") == true)
        #expect(error?.remedy.contains("SNAPFARM_ARTIFACT_HEADER") == true)
    }

    @Test(
        "that redirects to no usable address is refused, and ends no process",
        arguments: ["http://127.0.0.1:99999/", "http://[::1]:65536/", "ftp://127.0.0.1/"]
    )
    func redirected(place: String) async throws {
        let error = try await download(
            "HTTP/1.1 302 Found\r\nLocation: \(place)\r\nContent-Length: 0\r\n\r\n"
        )
        #expect(error == .badURL(place))
    }

    @Test("of a host that nobody listens on says so in words")
    func unreachable() async throws {
        let download = try FileDownload(url: "http://127.0.0.1:1/a", bytesMax: 1, header: nil)
        let error = await #expect(throws: DownloadError.self) {
            try await download.save(toFileAt: "/dev/null")
        }
        #expect(error?.message == "127.0.0.1 cannot be reached: refused.")
    }
}
