import ParleyConcurrency
import Testing

@Suite("TTL cache")
struct TTLCacheTests {
    @Test(
        "keeps a value for its lifetime",
        arguments: [(0, true), (1999, true), (2000, false), (9000, false), (-1, false)])
    func lifetime(after: Int64, isKept: Bool) {
        var cache = TTLCache<Int, String>(lifetime: 2000, capacity: 10)
        cache.store("one", for: 1, at: 10_000)
        #expect((cache.value(for: 1, at: 10_000 + after) == "one") == isKept)
    }

    @Test("never holds more than its capacity, and always the newest", arguments: [1, 2, 3, 10, 101])
    func capacity(_ capacity: Int) {
        var cache = TTLCache<Int, Int>(lifetime: 2000, capacity: capacity)
        for key in 0..<1000 {
            cache.store(key, for: key, at: Int64(key))
            #expect(cache.count <= max(2, capacity))
            #expect(cache.value(for: key, at: Int64(key)) == key)
        }
    }

    @Test("removeOld removes expired entries and nothing else")
    func old() {
        var cache = TTLCache<Int, Int>(lifetime: 2000, capacity: 4)
        for key in 0..<3 { cache.store(key, for: key, at: 1000) }
        cache.store(3, for: 3, at: 2500)
        for now in stride(from: Int64(2500), through: 4499, by: 500) {
            cache.removeOld(at: now)
            #expect(cache.value(for: 3, at: now) == 3)
            #expect(cache.value(for: 2, at: now) == (now < 3000 ? 2 : nil))
        }
        cache.removeOld(at: 6500)
        #expect(cache.count == 0)
    }

    @Test("removes a key from whichever generation holds it")
    func removal() {
        var cache = TTLCache<Int, Int>(lifetime: 2000, capacity: 4)
        for key in 0..<4 { cache.store(key, for: key, at: 0) }
        for key in 0..<4 {
            cache.remove(key)
            #expect(cache.value(for: key, at: 0) == nil)
        }
        #expect(cache.count == 0)
    }

    @Test("keeps nothing with a lifetime or a capacity of 0")
    func off() {
        for (lifetime, capacity) in [(0, 10), (2000, 0)] as [(Int64, Int)] {
            var cache = TTLCache<Int, Int>(lifetime: lifetime, capacity: capacity)
            cache.store(1, for: 1, at: 0)
            #expect(cache.value(for: 1, at: 0) == nil)
            #expect(cache.count == 0)
        }
    }
}
