/// The subscriptions of a server's clients.
struct Subscriptions: Sendable {
    /// A message on its way to a subscriber.
    struct Message: Sendable {
        let receiver: ServerConnectionID
        let channel: Bytes
        let payload: Bytes
    }

    /// The subscribers of each channel, in the order in which they have subscribed.
    private(set) var subscribers: [Bytes: [ServerConnectionID]] = [:]
    private var channels: [ServerConnectionID: [Bytes]] = [:]

    func count(of connection: ServerConnectionID) -> Int { channels[connection]?.count ?? 0 }

    func channels(of connection: ServerConnectionID) -> [Bytes] { channels[connection] ?? [] }

    mutating func subscribe(_ connection: ServerConnectionID, to channel: Bytes) {
        guard subscribers[channel]?.contains(connection) != true else { return }
        subscribers[channel, default: []].append(connection)
        channels[connection, default: []].append(channel)
    }

    mutating func unsubscribe(_ connection: ServerConnectionID, from channel: Bytes) {
        subscribers[channel]?.removeAll { $0 == connection }
        if subscribers[channel]?.isEmpty == true { subscribers[channel] = nil }
        channels[connection]?.removeAll { $0 == channel }
        if channels[connection]?.isEmpty == true { channels[connection] = nil }
    }

    mutating func remove(_ connection: ServerConnectionID) {
        for channel in channels[connection] ?? [] {
            subscribers[channel]?.removeAll { $0 == connection }
            if subscribers[channel]?.isEmpty == true { subscribers[channel] = nil }
        }
        channels[connection] = nil
    }
}
