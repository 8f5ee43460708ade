package import ParleyChannels
package import ParleyModel

/// The location of the keys and channels of threads and users.
package struct RedisLayout: Hashable, Sendable {
    package let names: ChannelNames
    package let ring: HostRing

    package init(names: ChannelNames, ring: HostRing) {
        self.names = names
        self.ring = ring
    }

    /// Returns the host of a thread. It is also the host of its group's channel, so that append and publish are one
    /// step.
    package func host(of thread: ThreadID) -> Int {
        ring.count == 1 ? 0 : ring.host(of: names.messages(of: thread))
    }

    /// The partitions that can hold a thread: for each host, the partitions that one of its slots maps to.
    package var partitions: [Partition] {
        Set((0..<4096).map { partition(host: ring.host(ofSlot: $0), number: $0 >> 6) })
            .sorted { $0.number < $1.number }
    }

    /// Returns a partition, identified by its host and its number there.
    package func partition(host: Int, number: Int) -> Partition {
        Partition(number: host * ChannelNames.partitionsPerHost + number)
    }

    /// Returns the host of a partition and its number there.
    package func place(of partition: Partition) -> (host: Int, number: Int) {
        let place = partition.number.quotientAndRemainder(dividingBy: ChannelNames.partitionsPerHost)
        return (place.quotient, place.remainder)
    }
}
