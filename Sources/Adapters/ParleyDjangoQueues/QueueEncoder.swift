import ParleyChannels
import ParleyModel
import ParleyRedis
import ParleyRedisClient

/// Builds the commands that put messages into the queues of a host.
struct QueueEncoder: Sendable {
    /// The maximum number of payloads in a command that are built and encrypted one by one.
    private static let payloads = 256
    /// The size in bytes above which a command takes no further messages.
    private static let commandBytes = 1024 * 1024

    let names: ChannelNames
    let settings: ChannelsSettings
    let expiry: Int64
    private let fernet: Fernet?

    init(names: ChannelNames, settings: ChannelsSettings, expiry: Int64) {
        self.names = names
        self.settings = settings
        self.expiry = expiry
        fernet = Fernet(secrets: settings.symmetricEncryptionKeys)
    }

    /// Returns a command for as many messages as fit, and their number, which is at least 1.
    /// - Parameter messages: One or more messages of the same epoch.
    func command(
        _ messages: ArraySlice<LogEvent>, of thread: ThreadID, to queues: [QueueReceivers.Queue], seconds: Int64
    ) throws(ChannelsCodecError) -> (command: RESPCommand, count: Int) {
        let pieces = try queues.map { queue throws(ChannelsCodecError) in
            try QueuePieces.channels(queue.channels, settings.serializer)
        }
        let rest = pieces.reduce(0) { $0 + $1.count }
        var (bodies, size): ([[[UInt8]]], Int) = ([], 0)
        for message in messages {
            let event = QueuePieces.event(EventPayload.bytes(of: message, settings.serializer), settings.serializer)
            guard let fernet else {
                guard bodies.isEmpty || size + event.count <= Self.commandBytes else { break }
                size += event.count
                bodies.append([event])
                continue
            }
            // A token is longer by somewhat more than a third.
            let tokens = (event.count * queues.count + rest) * 3 / 2
            let fits = (bodies.count + 1) * queues.count <= Self.payloads && size + tokens <= Self.commandBytes
            guard bodies.isEmpty || fits else { break }
            size += tokens
            bodies.append(
                try pieces.map { piece throws(ChannelsCodecError) in
                    try fernet.encrypt(event + piece, seconds: seconds)
                })
        }
        return (command(Array(zip(messages, bodies)), of: thread, to: queues, pieces, size: size), bodies.count)
    }

    private func command(
        _ messages: [(event: LogEvent, payloads: [[UInt8]])], of thread: ThreadID, to queues: [QueueReceivers.Queue],
        _ pieces: [[UInt8]], size: Int
    ) -> RESPCommand {
        let joins = fernet == nil
        let step = 2 + (joins ? 1 : queues.count)
        var command = RedisScripts.queueSend.command(
            keys: [names.queueSent(thread.text)] + queues.map(\.key),
            arguments: 4 + 2 * queues.count + step * messages.count,
            capacity: size + 256 * (queues.count + messages.count + 1))
        command.append(messages.first?.event.position.epoch.text ?? "")
        command.append(expiry)
        command.append(messages.count)
        command.append(joins ? 1 : 0)
        for (queue, piece) in zip(queues, pieces) {
            command.append(queue.capacity)
            command.append(joins ? piece : [])
        }
        var generator = SystemRandomNumberGenerator()
        for message in messages {
            let seq = message.event.position.seq
            command.append(seq)
            command.append(QueueMember.prefix(seq: seq, random: UInt32.random(in: .min ... .max, using: &generator)))
            for payload in message.payloads { command.append(payload) }
        }
        return command
    }
}
