import CEpoll
import CSimulator
import Glibc
import NIOCore
import ParleySockets

/// The sockets and epoll instances of all simulated nodes, by the C library's calls, so that `KernelSocket` and
/// `SocketPoller` run as they are.
///
/// Confined to the simulator's only thread.
final class SimulatedKernel: @unchecked Sendable {
    // `@unchecked Sendable`: the simulator has one thread.
    /// The node's end of a connection.
    final class Socket {
        fileprivate var received = ByteBuffer()
        fileprivate var hasEnded = false
        fileprivate var isReset = false
        /// The free space in the buffers between the node and its client, in bytes.
        fileprivate var room: Int
        fileprivate let sent: (ByteBuffer) -> Void
        fileprivate let shut: () -> Void
        fileprivate weak var epoll: Epoll?

        /// - Parameters:
        ///   - room: the most bytes that the client has not read.
        ///   - sent: takes the bytes that the node sends.
        ///   - shut: the node sends nothing more.
        init(room: Int, sent: @escaping (ByteBuffer) -> Void, shut: @escaping () -> Void) {
            self.room = room
            self.sent = sent
            self.shut = shut
        }

        /// Bytes of the client arrive.
        func receive(_ bytes: ByteBuffer) {
            received.writeImmutableBuffer(bytes)
            epoll?.wake()
        }

        /// The client sends nothing more.
        func receiveEnd() {
            hasEnded = true
            epoll?.wake()
        }

        /// The connection is broken.
        func reset() {
            isReset = true
            epoll?.wake()
        }

        /// The client has read so many bytes.
        func makeRoom(_ bytes: Int) {
            room += bytes
            epoll?.wake()
        }

        fileprivate func ready(_ interest: UInt32) -> UInt32 {
            if isReset { return EPOLLERR.rawValue | EPOLLHUP.rawValue | (interest & EPOLLIN.rawValue) }
            var events: UInt32 = 0
            if received.readableBytes > 0 || hasEnded { events |= EPOLLIN.rawValue }
            if room > 0 { events |= EPOLLOUT.rawValue }
            return events & interest
        }
    }

    final class Epoll {
        fileprivate struct Entry {
            let descriptor: CInt
            let socket: Socket
            var events: UInt32
            var data: UInt64
        }

        fileprivate var entries: [Entry] = []
        /// Lets the node call `poll` soon.
        var onReady: (() -> Void)?
        fileprivate var isPolled = false

        fileprivate func wake() { onReady?() }

        var isReady: Bool { entries.contains { $0.socket.ready($0.events) != 0 } }
    }

    private var sockets: [CInt: Socket] = [:]
    private var epolls: [CInt: Epoll] = [:]
    private var nextDescriptor = CInt(simulator_first_descriptor)

    // Called from C, on the only thread.
    nonisolated(unsafe) private static var current = SimulatedKernel()

    /// Replaces the kernel of this process for simulated descriptors.
    static func install() -> SimulatedKernel {
        simulator_set_kernel(
            simulator_kernel(
                epoll_create: { SimulatedKernel.current.createEpoll() },
                epoll_control: { SimulatedKernel.current.control($0, $1, $2, $3, $4) },
                epoll_wait: { SimulatedKernel.current.wait($0, $1, $2, $3) },
                receive: { SimulatedKernel.current.receive($0, $1, $2) },
                send: { SimulatedKernel.current.send($0, $1, $2) },
                shut_down: { SimulatedKernel.current.shutDown($0) },
                close: { SimulatedKernel.current.close($0) }))
        return current
    }

    /// Opens a socket.
    /// - Returns: its descriptor, for the node.
    func open(_ socket: Socket) -> CInt {
        defer { nextDescriptor += 1 }
        sockets[nextDescriptor] = socket
        return nextDescriptor
    }

    /// Calls `poll` of a poller on its event loop while one of its sockets is ready.
    func poll(_ poller: SocketPoller) {
        guard let epoll = epolls[poller.epoll] else { return }
        let loop = poller.eventLoop
        nonisolated(unsafe) let bound = (poller: poller, epoll: epoll)
        epoll.onReady = {
            guard !bound.epoll.isPolled else { return }
            bound.epoll.isPolled = true
            loop.execute {
                bound.epoll.isPolled = false
                bound.poller.poll()
                // A socket that has more is ready again.
                if bound.epoll.isReady { bound.epoll.wake() }
            }
        }
    }

    // MARK: Calls of nodes

    private func createEpoll() -> CInt {
        defer { nextDescriptor += 1 }
        epolls[nextDescriptor] = Epoll()
        return nextDescriptor
    }

    private func control(
        _ descriptor: CInt, _ operation: CInt, _ socket: CInt, _ events: UInt32, _ data: UInt64
    ) -> CInt {
        guard let epoll = epolls[descriptor], let end = sockets[socket] else { return -EBADF }
        let index = epoll.entries.firstIndex { $0.descriptor == socket }
        switch (operation, index) {
        case (EPOLL_CTL_ADD, nil):
            epoll.entries.append(Epoll.Entry(descriptor: socket, socket: end, events: events, data: data))
            end.epoll = epoll
        case (EPOLL_CTL_MOD, let index?):
            epoll.entries[index].events = events
            epoll.entries[index].data = data
        case (EPOLL_CTL_DEL, let index?):
            epoll.entries.remove(at: index)
            end.epoll = nil
        default: return -EINVAL
        }
        if operation != EPOLL_CTL_DEL, end.ready(events) != 0 { epoll.wake() }
        return 0
    }

    private func wait(
        _ descriptor: CInt, _ events: UnsafeMutablePointer<UInt32>?, _ data: UnsafeMutablePointer<UInt64>?,
        _ limit: CInt
    ) -> CInt {
        guard let epoll = epolls[descriptor], let events, let data else { return -EBADF }
        var count = 0
        for entry in epoll.entries {
            let ready = entry.socket.ready(entry.events)
            guard ready != 0, count < limit else { continue }
            events[count] = ready
            data[count] = entry.data
            count += 1
        }
        return CInt(count)
    }

    private func receive(_ descriptor: CInt, _ bytes: UnsafeMutableRawPointer?, _ limit: Int) -> Int {
        guard let socket = sockets[descriptor], let bytes else { return Int(-EBADF) }
        if socket.isReset { return Int(-ECONNRESET) }
        let count = min(limit, socket.received.readableBytes)
        guard count > 0 else { return socket.hasEnded ? 0 : Int(-EAGAIN) }
        socket.received.readWithUnsafeReadableBytes { received in
            if let start = received.baseAddress { bytes.copyMemory(from: start, byteCount: count) }
            return count
        }
        socket.received.discardReadBytes()
        return count
    }

    private func send(_ descriptor: CInt, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
        guard let socket = sockets[descriptor], let bytes else { return Int(-EBADF) }
        if socket.isReset { return Int(-EPIPE) }
        guard socket.room > 0 else { return Int(-EAGAIN) }
        let taken = min(count, socket.room)
        socket.room -= taken
        socket.sent(ByteBuffer(bytes: UnsafeRawBufferPointer(start: bytes, count: taken)))
        return taken
    }

    private func shutDown(_ descriptor: CInt) -> CInt {
        guard let socket = sockets[descriptor] else { return -EBADF }
        socket.shut()
        return 0
    }

    private func close(_ descriptor: CInt) -> CInt {
        if let socket = sockets.removeValue(forKey: descriptor) {
            socket.shut()
        } else if epolls.removeValue(forKey: descriptor) == nil {
            return -EBADF
        }
        return 0
    }
}
