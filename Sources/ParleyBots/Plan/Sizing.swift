/// How large a cluster has to be for a load: arithmetic over measured unit costs, each of which can be replaced.
package struct Sizing: Hashable, Sendable {
    /// What is to be carried, in the busiest minute.
    package struct Load: Hashable, Sendable {
        /// Sockets at once.
        package var sockets = 10_000
        /// Members of a thread.
        package var members = 10
        /// The part of a thread's members that are connected.
        package var onlineShare = 0.5
        /// Messages a second.
        package var rate = 500.0
        /// How much larger the busiest minute is than the mean of a day.
        package var peak = 4.0
        /// Bytes of a text.
        package var textBytes = 100
        /// Sockets that come back at once when a node fails, a second and node; sets how long that takes.
        package var reconnects = 3000.0

        package init() {}
    }

    /// What things cost. Measured on 2 virtual cores with Redis and PostgreSQL beside the gateway; measure yours.
    package struct Costs: Hashable, Sendable {
        /// Microseconds of a gateway's core for a send, for an event that a gateway receives from Redis, and for a
        /// delivery to one socket.
        package var send = 60.0
        package var event = 10.0
        package var delivery = 15.0
        /// KiB of a gateway for a socket, and without sockets.
        package var socketKiB = 4.5
        package var baseMiB = 60.0
        /// Microseconds of a Redis host for a send, and for each gateway that an event is published to.
        package var redisSend = 22.0
        package var redisPublish = 1.5
        /// Bytes that Redis keeps for a send, for as long as its memory of sends lasts (24 h).
        package var redisBytes = 464.0
        /// Bytes of PostgreSQL for a message besides its text, indexes included.
        package var rowBytes = 640.0
        /// Messages a second that one persister stores.
        package var persister = 36_000.0
        /// The part of a core that may be busy in the busiest minute.
        package var busy = 0.5
        /// Cores of a gateway node, and its memory.
        package var nodeCores = 2.0
        package var nodeMiB = 4096.0

        package init() {}
    }

    /// What is needed.
    package struct Need: Hashable, Sendable {
        package var deliveries = 0.0
        package var gateways = 0
        /// Cores of gateways that are busy.
        package var gatewayCores = 0.0
        /// What bounds their number.
        package var bound = ""
        package var redisHosts = 0
        package var redisCores = 0.0
        package var redisGiB = 0.0
        package var persisters = 0
        package var rowsPerDay = 0.0
        package var gibPerDay = 0.0
        /// To clients, in Mbit a second.
        package var megabits = 0.0
        /// Seconds until all sockets of a failed node are back on the others.
        package var failover = 0.0
    }

    package var load: Load
    package var costs: Costs

    package init(load: Load = Load(), costs: Costs = Costs()) {
        self.load = load
        self.costs = costs
    }

    /// Names, frame and headers of a delivery, in bytes, besides the text.
    private static let frameBytes = 330.0

    package var need: Need {
        var need = Need()
        let online = max(1, Double(load.members) * load.onlineShare)
        need.deliveries = load.rate * online
        let perNode = costs.nodeCores * costs.busy
        var gateways = 1
        // More nodes receive each event more often, so the number is found by trying.
        while gateways < 10_000 {
            let receivers = Self.receivers(online, gateways)
            let busy = load.rate * (costs.send + receivers * costs.event) / 1e6 + need.deliveries * costs.delivery / 1e6
            need.gatewayCores = busy
            if busy <= perNode * Double(gateways) { break }
            gateways += 1
        }
        let room = max(1, (costs.nodeMiB - costs.baseMiB) * 1024 * 0.7 / costs.socketKiB)
        let byMemory = Int((Double(load.sockets) / room).rounded(.up))
        need.bound = byMemory > gateways ? "memory for sockets" : "processor time"
        // One more, so that one may fail or be replaced.
        need.gateways = max(gateways, byMemory) + 1
        let receivers = Self.receivers(online, need.gateways)
        need.redisCores = load.rate * (costs.redisSend + receivers * costs.redisPublish) / 1e6
        // A Redis host is one core.
        need.redisHosts = max(1, Int((need.redisCores / costs.busy).rounded(.up)))
        need.rowsPerDay = load.rate / max(1, load.peak) * 86_400
        need.redisGiB = need.rowsPerDay * costs.redisBytes / 1_073_741_824
        // Two, so that one may fail.
        need.persisters = max(2, Int((load.rate / (costs.persister * costs.busy)).rounded(.up)))
        need.gibPerDay = need.rowsPerDay * (costs.rowBytes + Double(load.textBytes)) / 1_073_741_824
        need.megabits = need.deliveries * (Self.frameBytes + Double(load.textBytes)) * 8 / 1e6
        need.failover = Double(load.sockets) / Double(need.gateways) / (load.reconnects * Double(need.gateways - 1))
        return need
    }

    /// How many of so many nodes have at least one of the connected members.
    private static func receivers(_ online: Double, _ nodes: Int) -> Double {
        Double(nodes) * (1 - Power.of(1 - 1 / Double(nodes), online))
    }
}
