import ParleyChannels
import ParleyModel
import ParleyRedis
import ParleyRedisClient

/// What Redis, Django and other nodes send.
extension FuzzTarget {
    func resp(_ bytes: [UInt8]) throws {
        func read(_ portions: [[UInt8]]) -> [RESPValue] {
            guard let reader = RESPReader() else { return [] }
            var values: [RESPValue] = []
            for portion in portions {
                do {
                    try portion.withUnsafeBytes { try reader.feed($0) }
                    while let value = try reader.next() { values.append(value) }
                } catch {
                    return values
                }
            }
            return values
        }
        let (whole, cut) = portions(bytes)
        let values = read(cut)
        // The whole is refused as soon as a part of it is, with the replies before that part.
        try expect(values.starts(with: read(whole)), "other portions, other replies")
        for value in values { try log(value) }
    }

    func channels(_ bytes: [UInt8]) throws {
        for value in [try? MessagePackReader.decode(bytes), try? PythonJSONReader.decode(bytes)] {
            guard let value else { continue }
            _ = try? ForeignPayload.event(value)
            _ = (SignalPayload.ephemeral(value), SignalPayload.control(value), SignalPayload.readMark(value))
            guard let event = try? EventPayload.event(value) else { continue }
            for serializer in ChannelsSettings.Serializer.allCases {
                let payload = EventPayload.bytes(of: event, serializer)
                let again =
                    switch serializer {
                    case .msgpack: try? MessagePackReader.decode(payload)
                    case .json: try? PythonJSONReader.decode(payload)
                    }
                let back = again.flatMap { try? EventPayload.event($0) }
                try expect(back == event, "written and read, it is another event")
            }
        }
    }

    /// What a log reads from a reply.
    private func log(_ value: RESPValue) throws {
        if case .accepted(let head, let time) = AppendReply(.success(value)) {
            try expect(LogBounds.seqs.contains(head.seq) && LogBounds.dates.contains(time), "numbers of no log")
        }
        if let bytes = value.bytes, let head = PackedHead(bytes) {
            let again = PackedHead(head.bytes)
            // A name of an epoch that is not UTF-8 is read with replacements, which are longer.
            let isPlain = bytes[32..<48].allSatisfy { $0 < 0x80 }
            try expect(!isPlain || again == head, "written and read, it is another head")
        }
        for entry in value.elements ?? [] {
            guard let entry = StreamEntry(entry) else { continue }
            for codec in Self.codecs { _ = entry.event(codec) }
        }
    }

    private static func settings(_ keys: [String]) -> ChannelsSettings {
        var settings = ChannelsSettings()
        settings.symmetricEncryptionKeys = keys
        return settings
    }

    private static let codecs = [EventCodec(settings([])), EventCodec(settings(["secret"]))]

    func queues(_ bytes: [UInt8]) throws {
        for keys in [[], ["secret"]] {
            let codec = ChannelsCodec(Self.settings(keys))
            _ = try? QueueMember(bytes, codec, now: 1_800_000_000, expiry: 60)
            // A token of these bytes, since none is made by chance.
            let prefix = [UInt8](repeating: 0, count: QueueMember.prefixLength)
            guard let fernet = codec.fernet, let token = try? fernet.encrypt(bytes, seconds: 1_800_000_000) else {
                continue
            }
            try expect((try? fernet.decrypt(token)) == bytes, "encrypted and decrypted, it is another payload")
            _ = try? QueueMember(prefix + token, codec, now: 1_800_000_000, expiry: 60)
            _ = try? fernet.decrypt(bytes)
        }
    }
}
