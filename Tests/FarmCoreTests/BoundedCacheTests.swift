// Tests of the cache that limits the values in memory that can be read again.
import FarmCore
import Testing

@Suite("a cache with a limit")
struct BoundedCacheTests {
    @Test("holds at most so many, and those used last at least by half", arguments: [1, 2, 7, 64])
    func limit(max: Int) {
        var cache = BoundedCache<Int, Int>(max: max)
        for key in 0..<1_000 {
            cache[key] = key
            // Key 0 is used in every round, so it is never evicted.
            if max > 2 { #expect(cache[0] == 0) }
            let copy = cache
            #expect(
                (0...key).count {
                    var copy = copy
                    return copy[$0] != nil
                } <= Swift.max(2, max)
            )
            for last in (Swift.max(0, key - Swift.max(0, max / 2 - 2))...key) {
                var copy = copy
                #expect(copy[last] == last, "\(key) \(last)")
            }
        }
    }

    @Test("weights count, a value that is replaced counts once, and one that is removed not at all")
    func weights() {
        var cache = BoundedCache<String, Int>(max: 20)
        for round in 0..<50 { cache.keep(round, for: "a", weight: 6) }
        cache.keep(1, for: "b", weight: 4)
        #expect(cache["a"] == 49 && cache["b"] == 1)
        #expect(cache.removeValue(forKey: "a") == 49 && cache["a"] == nil)
        cache.keep(2, for: "c", weight: 6)
        #expect(cache["b"] == 1 && cache["c"] == 2)
        // Heavier than the maximum: it stays alone until the next values evict it.
        cache.keep(3, for: "d", weight: 100)
        #expect(cache["d"] == 3)
        cache.keep(4, for: "e", weight: 6)
        cache.keep(5, for: "f", weight: 6)
        #expect(cache["d"] == nil && cache["f"] == 5)
        cache.removeAll()
        #expect(cache["f"] == nil)
    }
}
