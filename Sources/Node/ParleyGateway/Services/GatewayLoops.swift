import NIOCore
import ParleyFanOut
import ParleySockets

/// The `GatewayLoop` of each event loop of the fan-out.
struct GatewayLoops: Sendable {
    private let fanOut: FanOut
    private let startPolling: PollerWake.Start
    private let boxes: [NIOLoopBoundBox<GatewayLoop?>]

    init(_ fanOut: FanOut, startPolling: @escaping PollerWake.Start) {
        self.fanOut = fanOut
        self.startPolling = startPolling
        boxes = fanOut.loops.map { .makeEmptyBox(eventLoop: $0) }
    }

    /// Makes the state of all loops, and starts their heartbeats and polling.
    /// - Returns: whether the kernel notifies the loops of events on sockets; otherwise they poll.
    /// - Throws: `IOError`.
    func start(
        members: @escaping @Sendable (LoopRoster) -> any MemberRegistry, work: WorkPool
    ) async throws -> Bool {
        var areNotified = true
        for (index, eventLoop) in fanOut.loops.enumerated() {
            let isNotified = try await eventLoop.flatSubmit { [self] in
                do {
                    let loop = try GatewayLoop(
                        index: index, eventLoop: eventLoop, members: members(fanOut.roster(index)), work: work)
                    boxes[index].value = loop
                    loop.heartbeats.start()
                    return try startPolling(loop.poller)
                } catch {
                    return eventLoop.makeFailedFuture(error)
                }
            }.get()
            areNotified = areNotified && isNotified
        }
        return areNotified
    }

    /// The state of an event loop; must be called on that loop, after `start`.
    /// - Returns: `nil` if the loop is none of the fan-out's.
    func loop(of eventLoop: any EventLoop) -> GatewayLoop? {
        guard let index = fanOut.index(of: eventLoop) else { return nil }
        guard let loop = boxes[index].value else { preconditionFailure("Gateway was not started") }
        return loop
    }

    /// Runs `body` on every loop in turn.
    func map<Value: Sendable>(_ body: @escaping @Sendable (GatewayLoop) -> Value) async -> [Value] {
        var values: [Value] = []
        for (box, eventLoop) in zip(boxes, fanOut.loops) {
            let value = try? await eventLoop.submit { box.value.map(body) }.get()
            if let value = value ?? nil { values.append(value) }
        }
        return values
    }

    /// Runs `body` on every loop; returns at once.
    func forEach(_ body: @escaping @Sendable (GatewayLoop) -> Void) {
        for (box, eventLoop) in zip(boxes, fanOut.loops) {
            eventLoop.execute { box.value.map(body) }
        }
    }
}
