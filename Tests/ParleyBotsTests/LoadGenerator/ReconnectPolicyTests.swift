import ParleyBots
import ParleyTestSupport
import Testing

@Suite struct ReconnectPolicyTests {
    @Test(
        "a bot stops when the server says so, and never otherwise",
        arguments: [
            (4001, nil, true), (4050, nil, true), (nil, 403, true), (4150, nil, false), (4200, nil, false),
            (nil, 401, false), (nil, 503, false), (nil, nil, false),
        ] as [(UInt16?, Int?, Bool)])
    func stops(code: UInt16?, status: Int?, stops: Bool) {
        var policy = ReconnectPolicy()
        var random = SeededGenerator(1)
        let decision = policy.decide(code: code, status: status, retryAfter: nil, &random)
        #expect((decision == .stop) == stops)
    }
}
