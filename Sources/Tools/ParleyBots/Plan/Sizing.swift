/// The cluster size needed for a load: arithmetic over measured unit costs. Each of them can be overridden.
package struct Sizing: Hashable, Sendable {
    /// The load in the busiest minute.
    package struct Load: Hashable, Sendable {
        /// Concurrent sockets.
        package var sockets = 10_000
        /// Members per thread.
        package var members = 10
        /// Share of a thread's members that are connected.
        package var onlineShare = 0.5
        /// Messages per second.
        package var rate = 500.0
        /// Ratio of the busiest minute to the mean of a day.
        package var peak = 4.0
        /// Bytes of a text.
        package var textBytes = 100
        /// Reconnects per second and node after a node fails; determines how long failover takes.
        package var reconnects = 3000.0
    }

    /// Unit costs. Measured on 2 virtual cores with Redis and PostgreSQL beside the gateway; measure your own.
    package struct Costs: Hashable, Sendable {
        /// CPU microseconds of a gateway for a send, for an event received from Redis, and for a delivery to one
        /// socket.
        package var send = 60.0
        package var event = 10.0
        package var delivery = 15.0
        /// Memory of a gateway per socket, and without sockets.
        package var socketKiB = 4.5
        package var baseMiB = 60.0
        /// CPU microseconds of a Redis host for a send, and for each gateway that an event is published to.
        package var redisSend = 22.0
        package var redisPublish = 1.5
        /// Bytes that Redis keeps per send, for as long as it remembers sends (24 h).
        package var redisBytes = 464.0
        /// Bytes of PostgreSQL per message besides its text, indexes included.
        package var rowBytes = 430.0
        /// Messages per second stored by one persister.
        package var persister = 36_000.0
        /// Maximum CPU utilisation in the busiest minute.
        package var busy = 0.5
        /// Cores and memory of a gateway node.
        package var nodeCores = 2.0
        package var nodeMiB = 4096.0
    }

    /// The required resources.
    package struct Requirements: Hashable, Sendable {
        package var deliveries = 0.0
        package var gateways = 0
        /// Busy cores of all gateways.
        package var gatewayCores = 0.0
        /// The resource that determines their number.
        package var bound = ""
        package var redisHosts = 0
        package var redisCores = 0.0
        package var redisGiB = 0.0
        package var persisters = 0
        package var rowsPerDay = 0.0
        package var gibPerDay = 0.0
        /// To clients, in Mbit/s.
        package var megabits = 0.0
        /// Seconds until all sockets of a failed node are reconnected to others.
        package var failover = 0.0
    }

    package var load: Load
    package var costs: Costs

    package init(load: Load = Load(), costs: Costs = Costs()) {
        self.load = load
        self.costs = costs
    }

    /// Bytes of a delivery besides the text: JSON, frame and packet headers.
    private static let frameBytes = 330.0

    package var requirements: Requirements {
        var requirements = Requirements()
        let online = max(1, Double(load.members) * load.onlineShare)
        requirements.deliveries = load.rate * online
        let perNode = costs.nodeCores * costs.busy
        var gateways = 1
        // With more nodes each event is received more often, so the number is found by iteration.
        while gateways < 10_000 {
            let receivers = Self.receivers(online, gateways)
            let busy =
                load.rate * (costs.send + receivers * costs.event) / 1e6 + requirements.deliveries * costs.delivery
                / 1e6
            requirements.gatewayCores = busy
            if busy <= perNode * Double(gateways) { break }
            gateways += 1
        }
        let room = max(1, (costs.nodeMiB - costs.baseMiB) * 1024 * 0.7 / costs.socketKiB)
        let byMemory = Int((Double(load.sockets) / room).rounded(.up))
        requirements.bound = byMemory > gateways ? "memory for sockets" : "processor time"
        // One more, so that one may fail or be replaced.
        requirements.gateways = max(gateways, byMemory) + 1
        let receivers = Self.receivers(online, requirements.gateways)
        requirements.redisCores = load.rate * (costs.redisSend + receivers * costs.redisPublish) / 1e6
        // A Redis host uses one core.
        requirements.redisHosts = max(1, Int((requirements.redisCores / costs.busy).rounded(.up)))
        requirements.rowsPerDay = load.rate / max(1, load.peak) * 86_400
        requirements.redisGiB = requirements.rowsPerDay * costs.redisBytes / 1_073_741_824
        // Two, so that one may fail.
        requirements.persisters = max(2, Int((load.rate / (costs.persister * costs.busy)).rounded(.up)))
        requirements.gibPerDay = requirements.rowsPerDay * (costs.rowBytes + Double(load.textBytes)) / 1_073_741_824
        requirements.megabits = requirements.deliveries * (Self.frameBytes + Double(load.textBytes)) * 8 / 1e6
        requirements.failover =
            Double(load.sockets) / Double(requirements.gateways) / (load.reconnects * Double(requirements.gateways - 1))
        return requirements
    }

    /// The expected number of nodes that have at least one of the connected members.
    private static func receivers(_ online: Double, _ nodes: Int) -> Double {
        Double(nodes) * (1 - Power.of(1 - 1 / Double(nodes), online))
    }
}
