import CEpoll
package import Glibc
package import NIOCore

/// Receives the events of a `KernelSocket`, on its event loop.
package protocol KernelSocketOwner: AnyObject {
    /// - Parameter bytes: valid until this returns.
    func received(_ bytes: UnsafeRawBufferPointer)
    /// The kernel has taken some of the waiting bytes.
    func madeRoom()
    /// The connection is gone; called once.
    func ended()
}

/// A connected TCP socket outside of any NIO channel.
///
/// Writes go straight to the kernel. Bytes that the kernel does not take at once wait here, in order, until it has
/// room. A write never calls the owner back: the poller finds the error and ends the connection.
///
/// The owner bounds how much may wait, by `waitingBytes`, since it knows what may be left out.
///
/// Bound to its event loop.
package final class KernelSocket {
    // In an order without gaps: there are many sockets.
    private(set) var descriptor: CInt
    private var interest: UInt32 = EPOLLIN.rawValue
    private let poller: SocketPoller
    /// The entry in the poller's table, from the end of the initializer on.
    private var slot = SocketPoller.Slot.none
    /// `nil` once the connection is gone.
    private var owner: (any KernelSocketOwner)?
    /// The buffer that is sent next, and those behind it. Most sockets never hold more than one.
    private var first: ByteBuffer?
    private var ending = Ending.none
    private var rest: [ByteBuffer] = []
    /// Written bytes that the kernel has not taken yet.
    package private(set) var waitingBytes = 0
    /// Bytes that the kernel has taken in all.
    package private(set) var takenBytes: Int64 = 0

    private enum Ending {
        case none
        /// The output ends after the waiting bytes.
        case output
        /// The connection ends after the waiting bytes.
        case all
        /// A write failed; the poller reports the error.
        case broken
    }

    /// - Parameters:
    ///   - descriptor: must be non-blocking; closed with the socket.
    ///   - owner: retained until the connection has ended.
    /// - Throws: `IOError` if epoll refuses the descriptor, which then still belongs to the caller.
    package init(_ descriptor: CInt, _ poller: SocketPoller, owner: any KernelSocketOwner) throws {
        self.descriptor = descriptor
        self.poller = poller
        self.owner = owner
        slot = try poller.add(self, interest)
    }

    /// Takes over the connection of a channel, on a duplicate of its descriptor; the caller then closes the channel.
    /// The connection lives as long as one descriptor is open.
    /// - Throws: `IOError`, or the error of a channel without a socket; then nothing has changed.
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

    /// Turns reading from the kernel on or off.
    package func setReading(_ isOn: Bool) {
        setInterest(EPOLLIN.rawValue, isOn)
    }

    /// Handles the events that the poller has found.
    func isReady(_ events: UInt32) {
        if events & EPOLLIN.rawValue & interest != 0 {
            receive()
        } else if events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 {
            // Nothing can be written, and no one reads.
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

    /// Queues bytes; `flush` sends them.
    package func write(_ bytes: ByteBuffer) {
        guard case .none = ending, isOpen else { return }
        waitingBytes += bytes.readableBytes
        if first == nil { first = bytes } else { rest.append(bytes) }
    }

    package func flush() {
        // Otherwise the poller reports when the kernel has room.
        if interest & EPOLLOUT.rawValue == 0 { sendWaiting() }
    }

    /// Sends the waiting bytes and shuts the output down; the peer may still send.
    package func endOutput() {
        guard case .none = ending else { return }
        ending = .output
        flush()
    }

    /// Sends the waiting bytes and closes.
    package func closeWhenSent() {
        guard case .none = ending else { return }
        ending = .all
        flush()
    }

    /// Closes at once and discards the waiting bytes.
    package func close() {
        guard isOpen, let owner else { return }
        poller.remove(slot, descriptor)
        Glibc.close(descriptor)
        descriptor = -1
        self.owner = nil
        discardWaiting()
        owner.ended()
    }

    private func sendWaiting() {
        guard isOpen else { return }
        while let bytes = first {
            let sent = send(bytes, isLast: rest.isEmpty)
            if sent < 0 {
                if errno == EINTR { continue }
                if errno == EAGAIN || errno == ENOBUFS || errno == ENOMEM {
                    return setInterest(EPOLLOUT.rawValue, true)
                }
                ending = .broken
                discardWaiting()
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
        setInterest(EPOLLOUT.rawValue, false)
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

    private func discardWaiting() {
        (first, rest, waitingBytes) = (nil, [], 0)
    }

    private func setInterest(_ events: UInt32, _ isOn: Bool) {
        let wanted = isOn ? interest | events : interest & ~events
        guard wanted != interest else { return }
        interest = wanted
        poller.change(slot, descriptor, interest)
    }

    // MARK: Options

    /// Sets the size of the kernel's send buffer in bytes, which the kernel doubles.
    package func setSendBuffer(_ bytes: CInt) {
        var bytes = bytes
        setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &bytes, socklen_t(MemoryLayout<CInt>.size))
    }

    /// The kernel's statistics of the connection.
    package var info: tcp_info? {
        var info = tcp_info()
        var size = socklen_t(MemoryLayout<tcp_info>.size)
        let result = getsockopt(descriptor, CInt(IPPROTO_TCP), TCP_INFO, &info, &size)
        return result == 0 ? info : nil
    }
}
