import ParleyChannels
import ParleyModel
import ParleyTestSupport
import Testing

@Suite("Names and events are those of channels_redis' core layer")
struct QueueFormatTests {
    private let vectors: Vectors

    init() throws {
        vectors = try Vectors()
    }

    @Test("a name is valid if channels_redis accepts it")
    func names() throws {
        for entry in try vectors.list("name_validity_core", "vectors") {
            let name = try #require(entry["name"] as? String)
            #expect(QueueNames.isValidChannel(name) == entry["channel"] as? Bool, "\(name)")
        }
    }

    @Test("keys of queues and groups match")
    func keys() throws {
        for entry in try vectors.list("core", "keys") {
            let names = ChannelNames(prefix: try #require(entry["prefix"] as? String))
            let queue = QueueNames.queue(of: try #require(entry["channel"] as? String))
            #expect(queue == entry["non_local"] as? String)
            #expect(names.layerQueue(queue) == entry["queue_key"] as? String)
        }
        for entry in try vectors.list("core", "group_keys") {
            let names = ChannelNames(prefix: try #require(entry["prefix"] as? String))
            #expect(names.layerGroup(try #require(entry["group"] as? String)) == entry["key"] as? String)
        }
    }

    @Test("the host of a group is that of its bare name, and the host of a queue that of its name")
    func hosts() throws {
        for entry in try vectors.list("sharding", "core_groups") {
            let group = try #require(entry["group"] as? String)
            for (count, index) in try #require(entry["index"] as? [String: Int]) {
                #expect(HostRing(count: try #require(Int(count))).host(of: group) == index, "\(group) of \(count)")
            }
        }
    }

    @Test("an event in a queue is encoded as Django does, and is decoded")
    func members() throws {
        for entry in try vectors.list("core", "members") {
            let name = entry["name"] as? String ?? ""
            let bytes = try Vectors.bytes(entry, "member_hex")
            var settings = ChannelsSettings()
            if name.contains("json") { settings.serializer = .json }
            if let secret = entry["secret"] as? String { settings.symmetricEncryptionKeys = [secret] }
            let codec = ChannelsCodec(settings)
            let event = try Vectors.value(entry["event"])
            let (wire, channels) = Self.addressed(event, entry["asgi_channel"])
            let plain =
                switch settings.serializer {
                case .msgpack: try MessagePackWriter.encode(wire)
                case .json: try PythonJSONWriter.encode(wire)
                }
            let seconds = Int64(entry["time"] as? Int ?? 0)
            var payload = plain
            if let fernet = codec.fernet {
                payload = try fernet.encrypt(plain, seconds: seconds, iv: Vectors.bytes(entry, "iv_hex"))
            }
            #expect(try Vectors.bytes(entry, "random_prefix_hex") + payload == bytes, "\(name)")
            let member = try QueueMember(bytes, codec, now: seconds, expiry: 60)
            #expect(member.event == event, "\(name)")
            #expect(member.channels == channels, "\(name)")
            guard entry["asgi_channel"] is [String] else { continue }
            let pieces =
                QueuePieces.event(try Self.encoded(event, settings.serializer), settings.serializer)
                + (try QueuePieces.channels(channels, settings.serializer))
            #expect(pieces == plain, "\(name) in pieces")
        }
    }

    private static func addressed(_ event: ChannelsValue, _ channel: Any?) -> (ChannelsValue, [String]) {
        switch channel {
        case let name as String: (QueueMember.event(event, to: name), [name])
        case let names as [String]: (QueueMember.event(event, to: names), names)
        default: (event, [])
        }
    }

    private static func encoded(
        _ value: ChannelsValue, _ serializer: ChannelsSettings.Serializer
    ) throws -> [UInt8] {
        switch serializer {
        case .msgpack: try MessagePackWriter.encode(value)
        case .json: try PythonJSONWriter.encode(value)
        }
    }

    @Test("the queues of a group's members are those of group_send, without nodes of Parley")
    func receivers() throws {
        let fanOut = try vectors.object("core", "group_send_fanout")
        let members = try #require(fanOut["members_of_asgi:group:thread_1"] as? [[Any]]).compactMap { $0[0] as? String }
        let nodes = ["parley.gateway1.0!abc", "parley.gateway1.17!abc"]
        let receivers = QueueReceivers(
            members: members + nodes + ["not a channel"], names: ChannelNames(), ring: HostRing(count: 1),
            capacities: QueueCapacities())
        let queues = try #require(receivers.queues[0])
        let expected = try #require(fanOut["after_group_send"] as? [Vectors.Object])
        #expect(queues.map(\.key) == expected.map { $0["key"] as? String })
        for (queue, entry) in zip(queues, expected) {
            let event = ChannelsValue.object([
                "type": .text("chat.message"), "message": .object(["id": .int(1)]),
            ])
            let payload = try MessagePackWriter.encode(QueueMember.event(event, to: queue.channels))
            let member = try #require((entry["members"] as? [Vectors.Object])?.first)
            #expect(Array(try Vectors.bytes(member, "member_hex")[QueueMember.prefixLength...]) == payload)
            #expect(queue.capacity == 100)
        }
    }

    @Test("members of several hosts are on the hosts of their queues")
    func receiverHosts() {
        let ring = HostRing(count: 3)
        let members = (0..<50).map { "specific.\($0)!a" }
        let receivers = QueueReceivers(
            members: members, names: ChannelNames(prefix: "p"), ring: ring, capacities: QueueCapacities())
        #expect(receivers.queues.values.map(\.count).reduce(0, +) == 50)
        for (host, queues) in receivers.queues {
            for queue in queues { #expect(ring.host(of: String(queue.key.dropFirst())) == host) }
        }
    }

    @Test("a token is accepted for expiry and 10 s, and at most 60 s before its time")
    func ages() throws {
        let ttl = try vectors.object("fernet", "ttl")
        let token = Array(try #require(ttl["payload"] as? String).utf8)
        for entry in try #require(ttl["cases"] as? [Vectors.Object]) {
            let now = Int64(try #require(entry["now"] as? Int))
            let expected = entry["accepted_by_core_layer_expiry_60"] as? Bool
            #expect(Fernet.isTimely(token, now: now, expiry: 60) == expected, "\(entry["case"] ?? "")")
        }
        #expect(!Fernet.isTimely([], now: 0, expiry: 60))
    }

    @Test("what is no event of the layer is refused")
    func poison() throws {
        let codec = ChannelsCodec(ChannelsSettings())
        for entry in try vectors.list("poison_for_django_consumers", "vectors") where entry["hex"] is String {
            let payload = try Vectors.bytes(entry)
            let member = [UInt8](repeating: 0, count: QueueMember.prefixLength) + payload
            // JSON is read although it is not the configured format; an unknown type is an event.
            guard payload.first != UInt8(ascii: "{") else { continue }
            guard let decoded = try? QueueMember(member, codec, now: 0, expiry: 60) else { continue }
            #expect(decoded.event["type"]?.text != nil)
        }
        for count in 0...QueueMember.prefixLength {
            let member = [UInt8](repeating: 0x80, count: count)
            #expect(throws: ChannelsCodecError.truncated) { try QueueMember(member, codec, now: 0, expiry: 60) }
        }
        let odd = ChannelsValue.object(["type": .text("a"), "__asgi_channel__": .int(1)])
        let member = [UInt8](repeating: 0, count: QueueMember.prefixLength) + (try MessagePackWriter.encode(odd))
        #expect(throws: ChannelsCodecError.malformed) { try QueueMember(member, codec, now: 0, expiry: 60) }
    }
}
