import CEpoll
import Glibc
package import NIOCore

/// Watches the kernel sockets of one event loop, thousands of them, by one epoll instance (epoll(7)).
///
/// Level-triggered: a socket that does not read or write everything now is reported again. `PollerWake` calls `poll`
/// when a socket is ready. Bound to its event loop.
package final class SocketPoller {
    /// The place of a socket in the table. Places are reused; the generation keeps a late event of one socket from
    /// reaching the next.
    struct Slot {
        let index: UInt32
        let generation: UInt32

        /// The place of a socket that is not in the table.
        static let none = Slot(index: .max, generation: .max)

        var number: UInt64 { UInt64(generation) << 32 | UInt64(index) }
    }

    private struct Entry {
        var socket: KernelSocket?
        var generation: UInt32 = 0
    }

    /// The most events of one epoll_wait(2).
    private static let eventCount = 256
    /// The most bytes of one read.
    private static let roomBytes = 65_536

    package let eventLoop: any EventLoop
    package let epoll: CInt
    /// The receive buffer, which sockets use one at a time.
    let room: UnsafeMutableRawBufferPointer
    private let events: UnsafeMutableBufferPointer<epoll_event>
    private var entries: [Entry] = []
    private var free: [UInt32] = []

    /// - Throws: `IOError`.
    package init(eventLoop: any EventLoop) throws {
        self.eventLoop = eventLoop
        epoll = epoll_create1(CInt(EPOLL_CLOEXEC))
        guard epoll >= 0 else { throw IOError(errnoCode: errno, reason: "epoll_create1") }
        room = .allocate(byteCount: Self.roomBytes, alignment: 16)
        events = .allocate(capacity: Self.eventCount)
    }

    deinit {
        Glibc.close(epoll)
        room.deallocate()
        events.deallocate()
    }

    func add(_ socket: KernelSocket, _ interest: UInt32) throws -> Slot {
        let index: UInt32
        if let used = free.popLast() {
            index = used
        } else {
            index = UInt32(entries.count)
            entries.append(Entry())
        }
        let slot = Slot(index: index, generation: entries[Int(index)].generation)
        guard control(EPOLL_CTL_ADD, socket.descriptor, slot, interest) == 0 else {
            let failure = IOError(errnoCode: errno, reason: "epoll_ctl")
            free.append(index)
            throw failure
        }
        entries[Int(index)].socket = socket
        return slot
    }

    func change(_ slot: Slot, _ descriptor: CInt, _ interest: UInt32) {
        _ = control(EPOLL_CTL_MOD, descriptor, slot, interest)
    }

    /// Must be called once, before the descriptor is closed.
    func remove(_ slot: Slot, _ descriptor: CInt) {
        _ = control(EPOLL_CTL_DEL, descriptor, slot, 0)
        entries[Int(slot.index)] = Entry(socket: nil, generation: slot.generation &+ 1)
        free.append(slot.index)
    }

    private func control(_ operation: CInt, _ descriptor: CInt, _ slot: Slot, _ interest: UInt32) -> CInt {
        var event = epoll_event(events: interest, data: epoll_data_t(u64: slot.number))
        return epoll_ctl(epoll, operation, descriptor, &event)
    }

    /// Lets the sockets that are ready read and write, each once.
    package func poll() {
        let count = epoll_wait(epoll, events.baseAddress, CInt(events.count), 0)
        for index in 0..<max(0, Int(count)) {
            let (ready, number) = (events[index].events, events[index].data.u64)
            let entry = entries[Int(UInt32(truncatingIfNeeded: number))]
            guard entry.generation == UInt32(truncatingIfNeeded: number >> 32) else { continue }
            entry.socket?.isReady(ready)
        }
    }

    /// The open sockets.
    package var sockets: [KernelSocket] { entries.compactMap(\.socket) }

    /// Closes every connection.
    package func closeAll() {
        for socket in sockets { socket.close() }
    }
}
