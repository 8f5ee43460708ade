import ArgumentParser
import ParleyBots

/// `parley bots plan`: how large a cluster has to be.
struct BotsPlanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Say how large a cluster has to be for a load.",
        discussion: """
            Arithmetic over unit costs. The defaults are those of docs/performance.md; run `parley bots` on your \
            machines and give what you measured.
            """
    )

    @Option(help: "Sockets at once.")
    var sockets: Int = 10_000
    @Option(help: "Members of a thread.")
    var members: Int = 10
    @Option(help: "Part of a thread's members that are connected, 0 to 1.")
    var onlineShare: Double = 0.5
    @Option(help: "Messages a second in the busiest minute.")
    var rate: Double = 500
    @Option(help: "How much larger the busiest minute is than the mean of a day.")
    var peak: Double = 4
    @Option(help: "Bytes of a text.")
    var textBytes: Int = 100

    @Option(help: "Cores of a gateway node.")
    var nodeCores: Double = 2
    @Option(help: "Memory of a gateway node, in MiB.")
    var nodeMemory: Double = 4096
    @Option(help: "Part of the cores that may be busy.")
    var busy: Double = 0.5
    @Option(help: "A gateway's µs for a send.")
    var sendCost: Double?
    @Option(help: "A gateway's µs for an event from Redis.")
    var eventCost: Double?
    @Option(help: "A gateway's µs for a delivery to one socket.")
    var deliveryCost: Double?
    @Option(help: "A gateway's KiB for a socket.")
    var socketMemory: Double?
    @Option(help: "Redis' µs for a send.")
    var redisCost: Double?
    @Option(help: "PostgreSQL's bytes for a message besides its text.")
    var rowBytes: Double?

    func validate() throws {
        guard sockets > 0, members > 0, (0...1).contains(onlineShare), rate >= 0, peak >= 1, textBytes >= 0,
            nodeCores > 0, nodeMemory > 100, busy > 0, busy <= 1
        else { throw ValidationError("a value is out of its range; see --help") }
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
