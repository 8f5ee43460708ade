import ArgumentParser
import ParleyBots

/// `parley bots plan`: estimates how large a cluster has to be.
struct BotsPlanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Estimate the size of a cluster for a load.",
        discussion: """
            The estimate is calculated from unit costs. The defaults come from docs/performance.md. Measure the costs on \
            your machines with `parley bots`, and pass them as options.
            """
    )

    @Option(help: "Concurrent sockets.")
    var sockets: Int = 10_000
    @Option(help: "Members per thread.")
    var members: Int = 10
    @Option(help: "Fraction of a thread's members that are connected, 0 to 1.")
    var onlineShare: Double = 0.5
    @Option(help: "Messages per second in the busiest minute.")
    var rate: Double = 500
    @Option(help: "Ratio of the busiest minute to the daily mean.")
    var peak: Double = 4
    @Option(help: "Bytes per text.")
    var textBytes: Int = 100

    @Option(help: "Cores per gateway node.")
    var nodeCores: Double = 2
    @Option(help: "Memory per gateway node, in MiB.")
    var nodeMemory: Double = 4096
    @Option(help: "Maximum utilisation of the cores, 0 to 1.")
    var busy: Double = 0.5
    @Option(help: "Gateway CPU time per send, in µs.")
    var sendCost: Double?
    @Option(help: "Gateway CPU time per event from Redis, in µs.")
    var eventCost: Double?
    @Option(help: "Gateway CPU time per delivery to one socket, in µs.")
    var deliveryCost: Double?
    @Option(help: "Gateway memory per socket, in KiB.")
    var socketMemory: Double?
    @Option(help: "Redis CPU time per send, in µs.")
    var redisCost: Double?
    @Option(help: "PostgreSQL bytes per message, without its text.")
    var rowBytes: Double?

    func validate() throws {
        guard sockets > 0, members > 0, (0...1).contains(onlineShare), rate >= 0, peak >= 1, textBytes >= 0,
            nodeCores > 0, nodeMemory > 100, busy > 0, busy <= 1
        else { throw ValidationError("a value is out of range; see --help") }
    }

    func run() {
        var sizing = Sizing()
        (sizing.load.sockets, sizing.load.members, sizing.load.onlineShare) = (sockets, members, onlineShare)
        (sizing.load.rate, sizing.load.peak, sizing.load.textBytes) = (rate, peak, textBytes)
        (sizing.costs.nodeCores, sizing.costs.nodeMiB, sizing.costs.busy) = (nodeCores, nodeMemory, busy)
        if let sendCost { sizing.costs.send = sendCost }
        if let eventCost { sizing.costs.event = eventCost }
        if let deliveryCost { sizing.costs.delivery = deliveryCost }
        if let socketMemory { sizing.costs.socketKiB = socketMemory }
        if let redisCost { sizing.costs.redisSend = redisCost }
        if let rowBytes { sizing.costs.rowBytes = rowBytes }
        print(sizing.table)
    }
}
