import CEpoll
package import Glibc
public import NIOCore

/// Whoever a `KernelSocket` belongs to. Called on its event loop.
package protocol KernelSocketOwner: AnyObject {
    /// - Parameter bytes: good until this returns.
    func received(_ bytes: UnsafeRawBufferPointer)
    /// The kernel has taken something of what had to wait.
    func madeRoom()
    /// The connection is gone; comes once.
    func ended()
}

/// A connected TCP socket that is in no channel: what is left when only bytes go in and out.
///
/// Writing goes straight to the kernel; what it does not take at once waits here, in order, until there is room.
/// Nothing calls its owner back from within a write: an error is found by the poller, which ends the connection.
///
/// How much may wait is for the owner to say, who knows what is in it and what may be left out; see `waitingBytes`.
///
/// Bound to its event loop.
open class KernelSocket {
    private(set) var descriptor: CInt
    private let poller: SocketPoller
    /// In the poller's table.
    private var slot: SocketPoller.Slot?
    /// `nil` at the end.
    package private(set) var owner: (any KernelSocketOwner)?
    private var interest: UInt32 = EPOLLIN.rawValue
    /// What goes out next, and what goes out behind it. Most sockets never have more than one.
    private var first: ByteBuffer?
    private var rest: [ByteBuffer] = []
    /// Bytes that were written and that the kernel has not taken.
    package private(set) var waitingBytes = 0
    /// Bytes that it has taken.
    package private(set) var takenBytes: Int64 = 0
    private var ending = Ending.none

    private enum Ending {
        case none
        /// Nothing follows what waits.
        case output
        /// When nothing waits any more, the connection ends.
        case all
        /// Nothing can be written any more; the poller will hear of it.
        case broken
    }

    /// - Parameters:
    ///   - descriptor: does not block; closed at the end.
    ///   - owner: kept until the connection has ended.
    /// - Throws: `IOError` if the kernel does not watch it; then it stays the caller's.
    package init(_ descriptor: CInt, _ poller: SocketPoller, owner: any KernelSocketOwner) throws {
        self.descriptor = descriptor
        self.poller = poller
        self.owner = owner
        slot = try poller.add(self, interest)
    }

    /// Goes on with the connection of a channel, which is to be closed then: this has a descriptor of its own, and the
    /// connection lives as long as one is open.
    /// - Throws: `IOError`, or whatever the channel says that is none of a socket; then nothing has changed.
    package init(leaving channel: any Channel, _ poller: SocketPoller, owner: any KernelSocketOwner) throws {
        let own = try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) {
            fcntl($0, F_DUPFD_CLOEXEC, 0)
        }
        guard let own, own >= 0 else { throw IOError(errnoCode: own == nil ? ENOTSOCK : errno, reason: "fcntl") }
        descriptor = own
        self.poller = poller
        self.owner = owner
        do {
            slot = try poller.add(self, interest)
        } catch {
            Glibc.close(own)
            throw error
        }
    }

    package var eventLoop: any EventLoop { poller.eventLoop }

    package var isOpen: Bool { descriptor >= 0 }

    // MARK: In

    /// Whether bytes are taken from the kernel.
    package func setReading(_ isOn: Bool) {
        want(EPOLLIN.rawValue, isOn)
    }

    /// What the poller has found.
    func isReady(_ events: UInt32) {
        if events & EPOLLIN.rawValue & interest != 0 {
            receive()
        } else if events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 {
            // Nothing more can be read that anybody wants, and nothing written.
            return close()
        }
        if events & EPOLLOUT.rawValue != 0, isOpen {
            sendWaiting()
            owner?.madeRoom()
        }
    }

    private func receive() {
        let count = recv(descriptor, poller.room.baseAddress, poller.room.count, CInt(MSG_DONTWAIT))
        if count > 0 {
            owner?.received(UnsafeRawBufferPointer(rebasing: poller.room[..<count]))
        } else if count == 0 || (errno != EAGAIN && errno != EINTR) {
            close()
        }
    }

    // MARK: Out

    /// Takes bytes; `flush` sends them.
    open func write(_ bytes: ByteBuffer) {
        guard case .none = ending, isOpen else { return }
        waitingBytes += bytes.readableBytes
        if first == nil { first = bytes } else { rest.append(bytes) }
    }

    package func flush() {
        // Else the poller tells when there is room.
        if interest & EPOLLOUT.rawValue == 0 { sendWaiting() }
    }

    /// Sends what waits and says that nothing follows; the other side may still send.
    package func endOutput() {
        guard case .none = ending else { return }
        ending = .output
        flush()
    }

    /// Sends what waits and ends.
    package func closeWhenSent() {
        guard case .none = ending else { return }
        ending = .all
        flush()
    }

    /// Ends, and throws away what waits.
    package func close() {
        guard isOpen, let owner else { return }
        if let slot { poller.remove(slot, descriptor) }
        Glibc.close(descriptor)
        descriptor = -1
        self.owner = nil
        forget()
        owner.ended()
    }

    private func sendWaiting() {
        guard isOpen else { return }
        while let bytes = first {
            let sent = send(bytes, isLast: rest.isEmpty)
            if sent < 0 {
                if errno == EINTR { continue }
                if errno == EAGAIN || errno == ENOBUFS || errno == ENOMEM { return want(EPOLLOUT.rawValue, true) }
                ending = .broken
                forget()
                break
            }
            waitingBytes -= sent
            takenBytes += Int64(sent)
            if sent < bytes.readableBytes {
                first?.moveReaderIndex(forwardBy: sent)
            } else {
                first = rest.isEmpty ? nil : rest.removeFirst()
            }
        }
        want(EPOLLOUT.rawValue, false)
        switch ending {
        case .none, .broken: break
        case .output: shutdown(descriptor, CInt(SHUT_WR))
        case .all: close()
        }
    }

    private func send(_ bytes: ByteBuffer, isLast: Bool) -> Int {
        let flags = CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT) | (isLast ? 0 : CInt(MSG_MORE))
        return bytes.withUnsafeReadableBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, flags) }
    }

    private func forget() {
        (first, rest, waitingBytes) = (nil, [], 0)
    }

    private func want(_ events: UInt32, _ isOn: Bool) {
        let wanted = isOn ? interest | events : interest & ~events
        guard wanted != interest, let slot else { return }
        interest = wanted
        poller.change(slot, descriptor, interest)
    }

    // MARK: Options

    /// Bounds what the kernel keeps of what goes out, in bytes, which it doubles.
    package func setSendBuffer(_ bytes: CInt) {
        var bytes = bytes
        setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &bytes, socklen_t(MemoryLayout<CInt>.size))
    }

    /// What the kernel knows of the connection.
    package var info: tcp_info? {
        var info = tcp_info()
        var size = socklen_t(MemoryLayout<tcp_info>.size)
        let result = getsockopt(descriptor, CInt(IPPROTO_TCP), TCP_INFO, &info, &size)
        return result == 0 ? info : nil
    }
}
