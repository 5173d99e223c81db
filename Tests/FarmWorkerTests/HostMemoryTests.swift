import FarmWorker
import Testing

@Suite("What a machine's memory has left")
struct HostMemoryTests {
    @Test("the share that is available, as the kernel says it")
    func share() {
        let text = "MemTotal:       16000 kB\nMemFree:  1 kB\nMemAvailable:    4000 kB\n"
        #expect(HostMemory.free(text) == 0.25)
    }

    @Test(
        "what says nothing of it is no answer",
        arguments: ["", "MemTotal: 5 kB\n", "MemTotal: x"]
    )
    func unknown(text: String) { #expect(HostMemory.free(text) == nil) }
}
