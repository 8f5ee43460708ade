package import NIOCore
import ParleyRedisClient

/// A sentinel as a value: it says where the master of one group is, and announces when that changes. The caller decides
/// about failovers.
package struct SentinelModel: Sendable {
    /// The channel on which a sentinel announces a new master.
    private static let channel = "+switch-master".redisBytes

    private let group: String
    /// Where it believes the master to be.
    package private(set) var master: (host: String, port: Int)
    private var readers: [ServerConnectionID: RequestReader] = [:]
    private var subscriptions = Subscriptions()
    private var outputs = PendingOutputs()
    private var lastConnection = 0

    /// - Parameter group: the name of the group.
    package init(group: String, master: (host: String, port: Int)) {
        self.group = group
        self.master = master
    }

    package mutating func connect() -> ServerConnectionID {
        lastConnection += 1
        let id = ServerConnectionID(number: lastConnection)
        readers[id] = RequestReader()
        return id
    }

    package mutating func disconnected(_ connection: ServerConnectionID) {
        readers[connection] = nil
        subscriptions.remove(connection)
    }

    /// Bytes of a client have arrived.
    package mutating func receive(_ bytes: ByteBuffer, from id: ServerConnectionID) -> [ServerOutput] {
        readers[id]?.append(bytes)
        do throws(RequestReader.ReadError) {
            while let arguments = try readers[id]?.next() { reply(to: arguments, id) }
        } catch {
            disconnected(id)
            outputs.close(id)
        }
        return outputs.take()
    }

    /// The sentinels have made another server the master.
    package mutating func switchMaster(to new: (host: String, port: Int)) -> [ServerOutput] {
        let text = "\(group) \(master.host) \(master.port) \(new.host) \(new.port)"
        master = new
        for id in subscriptions.subscribers[Self.channel] ?? [] {
            let message = ["message".redisBytes, Self.channel, text.redisBytes].map { RESPValue.bulk($0) }
            outputs.append(to: id) { $0.write(.array(message)) }
        }
        return outputs.take()
    }

    private mutating func reply(to arguments: [Bytes], _ id: ServerConnectionID) {
        let words = arguments.map { $0.capitals.text }
        switch (words[0], arguments.count) {
        case ("PING", 1):
            let isSubscribed = subscriptions.count(of: id) > 0
            let pong = RESPValue.array([.bulk("pong".redisBytes), .bulk([])])
            outputs.append(to: id) { $0.write(isSubscribed ? pong : .status("PONG")) }
        case ("AUTH", 2...):
            outputs.append(to: id) { $0.write(.status("OK")) }
        case ("SENTINEL", 3) where words[1] == "GET-MASTER-ADDR-BY-NAME":
            let place: [RESPValue] = [.bulk(master.host.redisBytes), .bulk("\(master.port)".redisBytes)]
            let isKnown = arguments[2] == group.redisBytes
            if isKnown {
                outputs.append(to: id) { $0.write(.array(place)) }
            } else {
                outputs.append(to: id) { $0.writeStaticString("*-1\r\n") }
            }
        case ("SUBSCRIBE", 2...):
            for channel in arguments.dropFirst() {
                subscriptions.subscribe(id, to: channel)
                let count = Int64(subscriptions.count(of: id))
                outputs.append(to: id) {
                    $0.write(.array([.bulk("subscribe".redisBytes), .bulk(channel), .integer(count)]))
                }
            }
        default:
            outputs.append(to: id) { $0.write(.error(CommandError.notModelled(words[0]).text)) }
        }
    }
}
