import ParleyDjangoQueues
import Testing

@Suite("`parley check` compares the layer in use with the setting")
struct ChannelLayerUseTests {
    @Test("each combination has its finding", arguments: [false, true])
    func findings(_ isCore: Bool) {
        func finding(own: Bool, other: Bool) -> ChannelLayerUse.Finding {
            ChannelLayerUse(isPubSubUsed: isCore ? other : own, isQueueLayerUsed: isCore ? own : other)
                .finding(isCore: isCore)
        }
        let (own, other) = (ChannelLayerUse.backend(isCore: isCore), ChannelLayerUse.backend(isCore: !isCore))
        #expect(finding(own: true, other: false) == .agrees("a Django site uses \(own)"))
        guard case .differs(let warning) = finding(own: false, other: true) else {
            Issue.record("no warning")
            return
        }
        #expect(warning.contains(other) && warning.contains("PARLEY_CHANNELS_LAYER is \(isCore ? "core" : "pubsub")"))
        for both in [true, false] {
            guard case .unclear = finding(own: both, other: both) else {
                Issue.record("clear although used: \(both)")
                continue
            }
        }
    }
}
