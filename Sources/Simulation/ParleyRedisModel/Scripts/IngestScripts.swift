import ParleyChannels
import ParleyRedis
import ParleyRedisClient

extension ModelledScript {
    static let ingestScripts: [ModelledScript] = [
        ModelledScript(name: "ingest", script: RedisScripts.ingest) { engine, input throws(CommandError) in
            try ingest(&engine, input)
        },
        ModelledScript(name: "trim", script: RedisScripts.trim) { engine, input throws(CommandError) in
            var left: [RESPValue] = []
            for number in stride(from: 1, through: input.keys.count, by: 2) {
                let stream = try input.key(number)
                if try engine.get(input.key(number + 1)) == input.argument(number) {
                    let first = try input.argument(number + 1)
                    try engine.call("XTRIM", stream, "MINID", first)
                    try engine.call("SET", stream + ChannelNames.storedSuffix.redisBytes, first)
                }
                left.append(try engine.call("XLEN", stream))
            }
            return .array(left)
        },
    ]

    /// The size of the entries of a reply above which it ends, and the maximum size of an entry, in bytes.
    private static let replyBytes = 8_388_608
    private static let entryBytes = RESPLimits().bulkBytes

    /// The reply of one stream.
    private struct StreamReply {
        let stream: Bytes
        /// The incarnation that the reader knows, and the entry after which it continues.
        let known: (incarnation: Bytes, offset: Bytes)
        var error: String?
        var incarnation: Bytes = []
        var entries: [RESPValue] = []
        var length: Int64 = 0
        var hasMore = false

        var value: RESPValue {
            if let error { return .bulk(error.redisBytes) }
            return .array([.bulk(incarnation), .array(entries), .integer(length), .integer(hasMore ? 1 : 0)])
        }
    }

    private static func ingest(_ engine: inout Engine, _ input: ScriptInput) throws(CommandError) -> RESPValue {
        var replies: [StreamReply] = []
        for number in stride(from: 1, through: input.keys.count, by: 2) {
            replies.append(try begin(&engine, input, number))
        }
        let order = replies.indices.filter { replies[$0].length > 0 }
            .sorted { (replies[$0].length, $0) < (replies[$1].length, $1) }
        var (left, size) = (Int(try input.number(2)), 0)
        for (turn, place) in order.enumerated() {
            let share = max(1, left / (order.count - turn))
            try read(&engine, &replies[place], share, &size)
            left -= replies[place].entries.count
        }
        return .array(replies.map(\.value))
    }

    /// Everything of a stream's reply but its entries.
    private static func begin(
        _ engine: inout Engine, _ input: ScriptInput, _ number: Int
    ) throws(CommandError) -> StreamReply {
        let (stream, incarnationKey) = (try input.key(number), try input.key(number + 1))
        var reply = StreamReply(
            stream: stream, known: (try input.argument(number + 2), try input.argument(number + 3)))
        try engine.call("DEL", stream + ChannelNames.awaitedSuffix.redisBytes)
        let (incarnation, length) = (engine.pcall("GET", incarnationKey), engine.pcall("XLEN", stream))
        for case .error(let text) in [incarnation, length] {
            reply.error = text
            return reply
        }
        reply.incarnation = incarnation.bytes ?? []
        if incarnation == .null {
            reply.incarnation = try input.argument(1)
            try engine.call("SET", incarnationKey, reply.incarnation)
        }
        reply.length = length.number ?? 0
        return reply
    }

    private static func read(
        _ engine: inout Engine, _ reply: inout StreamReply, _ share: Int, _ size: inout Int
    ) throws(CommandError) {
        let after = "(".redisBytes
        var start = reply.incarnation == reply.known.incarnation ? after + reply.known.offset : "-".redisBytes
        var isCut = size > replyBytes
        while !isCut, reply.entries.count < share {
            let wanted = min(16, share - reply.entries.count)
            let part = try engine.entries(reply.stream, from: start, count: wanted)
            for entry in part {
                let fields = entry.entryFields
                var (bytes, taken) = (fields.reduce(64 * fields.count) { $0 + $1.count }, entry)
                if bytes > entryBytes {
                    let note: [RESPValue] = [.bulk("oversized".redisBytes), .bulk("\(bytes) bytes".redisBytes)]
                    (bytes, taken) = (64, .array([.bulk(entry.entryID), .array(note)]))
                }
                isCut = size > replyBytes
                if isCut { break }
                size += bytes
                reply.entries.append(taken)
            }
            guard part.count == wanted, let last = part.last else { break }
            start = after + last.entryID
        }
        reply.hasMore = isCut || reply.entries.count == share
    }
}
