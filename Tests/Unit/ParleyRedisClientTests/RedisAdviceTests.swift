import ParleyRedisClient
import Testing

@Suite("Problems in the configuration of Redis are reported")
struct RedisAdviceTests {
    @Test(
        "each problem has a text",
        arguments: [
            ("redis_version:7.0.15\r\naof_enabled:1\r\nmaxmemory:0\r\nmaxmemory_policy:allkeys-lru\r\nrole:master", []),
            ("redis_version:5.0.1\r\n", ["too old"]), ("cluster_enabled:1\n", ["cluster mode"]),
            ("maxmemory:100\nmaxmemory_policy:allkeys-lru\n", ["noeviction"]), ("aof_enabled:0", ["appendonly"]),
            ("role:slave\r\naof_enabled:0", ["appendonly", "replica"]), ("", []),
        ])
    func advice(_ info: String, _ words: [String]) {
        let advice = RedisAdvice.read(info)
        #expect(advice.count == words.count)
        for (text, word) in zip(advice, words) { #expect(text.contains(word)) }
    }
}
