import ParleyChannels
import ParleyModel
import ParleyTestSupport
import Testing

@Suite("Names and hosts are compatible with channels_redis")
struct NamesTests {
    private let vectors: Vectors

    init() throws {
        vectors = try Vectors()
    }

    @Test("a group has channels_redis' channel")
    func groups() throws {
        for entry in try vectors.list("group_names", "vectors") {
            let names = ChannelNames(prefix: try #require(entry["prefix"] as? String))
            let channel = names.group(try #require(entry["group"] as? String))
            #expect(Array(channel.utf8) == (try Vectors.bytes(entry, "redis_channel_hex")))
        }
    }

    @Test("the checksum, slot and host of a name match")
    func sharding() throws {
        for entry in try vectors.list("sharding", "vectors") {
            let name = try #require(entry["name"] as? String)
            #expect(CRC32.checksum(name.utf8) == UInt32(try #require(entry["crc32_hex"] as? String), radix: 16))
            #expect(HostRing.slot(of: name) == entry["slot"] as? Int)
            try expectHosts(entry, of: name)
        }
    }

    @Test("a group's host is that of its full channel name")
    func groupHosts() throws {
        for entry in try vectors.list("sharding", "pubsub_groups") {
            let names = ChannelNames(prefix: try #require(entry["prefix"] as? String))
            let channel = names.group(try #require(entry["group"] as? String))
            #expect(channel == entry["hashed"] as? String)
            try expectHosts(entry, of: channel)
        }
    }

    @Test("the host is computed in floating point, as in Python")
    func manyHosts() throws {
        for entry in try vectors.list("sharding", "float_vs_integer") {
            let ring = HostRing(count: try #require(entry["nhosts"] as? Int))
            #expect(ring.host(ofSlot: try #require(entry["slot"] as? Int)) == entry["index"] as? Int)
        }
    }

    private func expectHosts(_ entry: Vectors.Object, of name: String) throws {
        for (count, index) in try #require(entry["index"] as? [String: Int]) {
            #expect(HostRing(count: try #require(Int(count))).host(of: name) == index, "\(name) of \(count)")
        }
    }

    @Test("keys and private channels have the documented names")
    func ownNames() {
        let names = ChannelNames()
        let thread = ThreadID(trusted: "thread_1")
        let partition = HostRing.slot(of: "asgi__group__thread_1") >> 6
        #expect(names.partition(of: thread) == partition)
        #expect(names.events(of: thread) == "asgi__group__thread_1.events")
        #expect(names.control(of: UserID(trusted: "ann")) == "parley:user:ann")
        #expect(names.head(of: thread) == "parley:{p\(partition)}:t:thread_1")
        #expect(names.log(of: thread) == "parley:{p\(partition)}:log:thread_1")
        #expect(names.ingest(7) == "parley:{p07}:ingest")
        #expect(names.ingest(63) == "parley:{p63}:ingest")
        #expect(ChannelNames(ownPrefix: "other").ingest(63) == "other:{p63}:ingest")
    }
}
