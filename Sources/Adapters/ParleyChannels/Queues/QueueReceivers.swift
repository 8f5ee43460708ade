/// The destinations of an event of a group: the queues of the group's members, by host, as `group_send` of
/// channels_redis finds them.
package struct QueueReceivers: Hashable, Sendable {
    /// A queue with the channels behind it.
    package struct Queue: Hashable, Sendable {
        package let key: String
        /// The maximum number of events in the queue.
        package let capacity: Int
        package fileprivate(set) var channels: [String]
    }

    /// The queues of each host that has any.
    package private(set) var queues: [Int: [Queue]] = [:]

    /// - Parameter members: The members of the group. Names that no channel can have, and nodes of Parley, are left out.
    package init(
        members: [String], names: ChannelNames, ring: HostRing, capacities: QueueCapacities
    ) {
        var places: [String: (host: Int, index: Int)] = [:]
        for channel in members where !LayerQueues.isNode(channel) && QueueNames.isValidChannel(channel) {
            let queue = QueueNames.queue(of: channel)
            if let place = places[queue] {
                queues[place.host]?[place.index].channels.append(channel)
                continue
            }
            let host = ring.host(of: queue)
            places[queue] = (host, queues[host]?.count ?? 0)
            queues[host, default: []].append(
                Queue(key: names.layerQueue(queue), capacity: capacities[channel], channels: [channel]))
        }
    }

    package var isEmpty: Bool { queues.isEmpty }
}
