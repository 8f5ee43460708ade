import NIOCore
import ParleyFanOut
import ParleyModel

/// What the handlers of all doors and dialects do alike: they are bound to an event loop, to which what takes time
/// comes back.
protocol ConnectionOwner: RosterMember, SendableMetatype {
    var gateway: Gateway { get }
    /// `nil` once the connection is gone.
    var eventLoop: (any EventLoop)? { get }
    /// When the last bytes came.
    var lastRead: NIODeadline { get }
}

extension ConnectionOwner {
    /// Microseconds by a clock that never goes back.
    var now: Int64 {
        Int64(clamping: NIODeadline.now().uptimeNanoseconds / 1000)
    }

    /// Notes that a message goes off to the log, and when its bytes came: if it had to wait for something, those that
    /// came last.
    func stampSent(_ message: MessageID) {
        guard message.isTraced else { return }
        gateway.tracer.stamp(.read, message, ago: (NIODeadline.now() - lastRead).nanoseconds / 1000)
        gateway.tracer.stamp(.sent, message)
    }

    /// Does something on this loop after a while, if the connection is still open then.
    func later(_ delay: TimeAmount, _ body: @escaping @Sendable (Self) -> Void) {
        guard let loop = eventLoop else { return }
        let bound = NIOLoopBound(self, eventLoop: loop)
        loop.scheduleTask(in: delay) {
            if bound.value.eventLoop != nil { body(bound.value) }
        }
    }

    /// Does something on this loop after what it is doing now, if the connection is still open then.
    func soon(_ body: @escaping @Sendable (Self) -> Void) {
        guard let loop = eventLoop else { return }
        let bound = NIOLoopBound(self, eventLoop: loop)
        loop.execute {
            if bound.value.eventLoop != nil { body(bound.value) }
        }
    }

    /// Does something that takes time, and comes back to this loop with the answer, whether the connection is still
    /// open or not.
    /// - Parameter executor: where it is done; anywhere if not given.
    func ask<Reply: Sendable>(
        on executor: LoopExecutor? = nil,
        _ request: @escaping @Sendable () async throws -> Reply,
        _ answered: @escaping @Sendable (Self, Reply?) -> Void
    ) {
        guard let loop = eventLoop else { return }
        let bound = NIOLoopBound(self, eventLoop: loop)
        let comeBack: @Sendable (Reply?) -> Void = { reply in
            loop.execute { answered(bound.value, reply) }
        }
        if !gateway.work.submit(on: executor, { comeBack(try? await request()) }) { comeBack(nil) }
    }
}
