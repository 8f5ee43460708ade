import ParleyDjangoQueues
import ParleyModel
import ParleyRedisTestSupport
import ParleyTestContracts
import ParleyTestServers
import Testing

@Suite("The layer of a Django site is seen in Redis", .timeLimit(.minutes(1)))
struct ChannelLayerUseTests {
    @Test("only consumers of Django with this prefix count")
    func use() async throws {
        for isCore in [false, true] {
            let fixture = try await RedisFixture.start(Shape(prefix: "a*b:", isCore: isCore))
            let django = try await DjangoQueues.start(fixture.settings)
            try await fixture.whileRunning(storing: true) {
                let node = try await fixture.makeNode()
                try await node.bus.subscribe(to: [.thread(Samples.thread("room"))])
                if isCore { try await django.waitForMembers(1, of: "room") }
                try await fixture.servers[0].cli("ZADD", "aXb::group:room", "1", "specific.0!0")
                let port = fixture.servers[0].port
                let foreign = try await RawSubscriber.start(port, channels: ["aXb:specific.0"])
                #expect(await django.hosts.channelLayerUse() == ChannelLayerUse(), "none of this site")
                try await django.join("room")
                #expect(await django.hosts.channelLayerUse() == ChannelLayerUse(isQueueLayerUsed: true))
                let consumer = try await RawSubscriber.start(port, channels: ["a*b:specific.0"])
                let both = ChannelLayerUse(isPubSubUsed: true, isQueueLayerUsed: true)
                #expect(await django.hosts.channelLayerUse() == both)
                for subscriber in [foreign, consumer] { try await subscriber.stop() }
            }
            await django.stop()
        }
    }
}
