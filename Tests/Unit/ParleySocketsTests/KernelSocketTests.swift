import Glibc
import NIOCore
import NIOPosix
import ParleySockets
import Testing

/// Sockets outside of channels, on pairs of real ones; the wake calls `poll`.
@Suite(.timeLimit(.minutes(5))) struct KernelSocketTests {
    /// Records the events of a socket.
    final class Owner: KernelSocketOwner {
        var bytes: [UInt8] = []
        var rooms = 0
        var ends = 0
        var heard: () -> Void = {}

        func received(_ bytes: UnsafeRawBufferPointer) {
            self.bytes += bytes
            heard()
        }

        func madeRoom() { rooms += 1 }
        func ended() { ends += 1 }
    }

    /// A socket with its owner, and the other end, which does not block.
    struct Pair {
        let socket: KernelSocket
        let owner = Owner()
        let other: CInt

        init(_ poller: SocketPoller) throws {
            var ends: [CInt] = [0, 0]
            let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
            try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
            other = ends[1]
            socket = try KernelSocket(ends[0], poller, owner: owner)
        }

        func say(_ text: String) {
            _ = text.withCString { send(other, $0, strlen($0), CInt(MSG_NOSIGNAL)) }
        }

        /// What is there to read; `nil` at the end.
        func hear() -> [UInt8]? {
            var bytes = [UInt8](repeating: 0, count: 1 << 20)
            let count = recv(other, &bytes, bytes.count, 0)
            return count == 0 ? nil : Array(bytes.prefix(max(0, count)))
        }

        func hangUp() { close(other) }
    }

    private let poller: SocketPoller

    init() throws {
        poller = try SocketPoller(eventLoop: MultiThreadedEventLoopGroup.singleton.next())
    }

    @Test("bytes come in while they are wanted")
    func reading() throws {
        let pair = try Pair(poller)
        pair.say("one")
        poller.poll()
        #expect(pair.owner.bytes == Array("one".utf8))
        pair.socket.setReading(false)
        pair.say(" two")
        poller.poll()
        #expect(pair.owner.bytes == Array("one".utf8))
        pair.socket.setReading(true)
        poller.poll()
        #expect(pair.owner.bytes == Array("one two".utf8))
        pair.hangUp()
        poller.poll()
        #expect(pair.owner.ends == 1 && !pair.socket.isOpen)
    }

    @Test("what the kernel does not take waits, in order, and the owner hears when there is room")
    func waiting() throws {
        let pair = try Pair(poller)
        let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        for start in stride(from: 0, to: bytes.count, by: 1000) {
            pair.socket.write(ByteBuffer(bytes: bytes[start..<start + 1000]))
        }
        #expect(pair.socket.waitingBytes == bytes.count)
        pair.socket.flush()
        #expect(pair.socket.waitingBytes > 0 && pair.socket.takenBytes > 0)
        #expect(pair.socket.waitingBytes + Int(pair.socket.takenBytes) == bytes.count)
        var heard: [UInt8] = []
        while heard.count < bytes.count, let more = pair.hear(), !more.isEmpty {
            heard += more
            poller.poll()
        }
        #expect(heard == bytes)
        #expect(pair.owner.rooms > 0)
        #expect(pair.socket.waitingBytes == 0)
        pair.hangUp()
    }

    @Test("the end of the output comes behind what waits, and the other side may still speak")
    func endOfOutput() throws {
        let pair = try Pair(poller)
        pair.socket.write(ByteBuffer(repeating: 1, count: 2_000_000))
        pair.socket.endOutput()
        pair.socket.write(ByteBuffer(string: "too late"))
        var count = 0
        while let more = pair.hear() {
            count += more.count
            poller.poll()
        }
        #expect(count == 2_000_000)
        pair.say("I see")
        poller.poll()
        #expect(pair.owner.bytes == Array("I see".utf8))
        #expect(pair.owner.ends == 0)
        pair.hangUp()
        poller.poll()
        #expect(pair.owner.ends == 1)
    }

    @Test("a connection that is to close does so when all is sent")
    func closeWhenSent() throws {
        let pair = try Pair(poller)
        pair.socket.write(ByteBuffer(repeating: 1, count: 2_000_000))
        pair.socket.closeWhenSent()
        #expect(pair.socket.isOpen)
        var count = 0
        while let more = pair.hear() {
            count += more.count
            poller.poll()
        }
        #expect(count == 2_000_000)
        #expect(pair.owner.ends == 1)
        let cache = try Pair(poller)
        cache.socket.closeWhenSent()
        #expect(cache.owner.ends == 1)
    }

    @Test(
        "an error in a write calls nobody back; the poller finds it, reading or not",
        arguments: [true, false])
    func brokenWrite(isReading: Bool) throws {
        let pair = try Pair(poller)
        pair.socket.setReading(isReading)
        pair.hangUp()
        pair.socket.write(ByteBuffer(string: "hello?"))
        pair.socket.flush()
        #expect(pair.owner.ends == 0)
        #expect(pair.socket.waitingBytes == 0)
        poller.poll()
        #expect(pair.owner.ends == 1)
        pair.socket.close()
        #expect(pair.owner.ends == 1)
    }

    @Test("an event of a socket that was closed does not reach the next in its place")
    func staleEvent() throws {
        let (first, second) = (try Pair(poller), try Pair(poller))
        var third: Pair?
        first.owner.heard = {
            second.socket.close()
            third = try? Pair(poller)
        }
        // One look reports both, in this order; for the second, that it is over.
        second.socket.setReading(false)
        first.say("x")
        second.hangUp()
        poller.poll()
        let next = try #require(third)
        #expect(second.owner.ends == 1)
        #expect(next.socket.isOpen && next.owner.ends == 0)
        next.say("mine")
        poller.poll()
        #expect(next.owner.bytes == Array("mine".utf8))
        for pair in [first, next] { pair.hangUp() }
    }

    @Test("the poller knows all open sockets and closes them at once")
    func everybody() throws {
        let pairs = try (0..<3).map { _ in try Pair(poller) }
        pairs[1].socket.close()
        #expect(poller.sockets.map { ObjectIdentifier($0) } == [0, 2].map { ObjectIdentifier(pairs[$0].socket) })
        poller.closeAll()
        #expect(poller.sockets.isEmpty)
        #expect(pairs.map(\.owner.ends) == [1, 1, 1])
        for pair in pairs { pair.hangUp() }
    }

    @Test(
        "a loop is woken for a socket that is ready, by the kernel or by looking now and then",
        arguments: [true, false])
    func wake(isTold: Bool) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        let (began, arrived) = (loop.makePromise(of: CInt.self), loop.makePromise(of: Int.self))
        let way = try await loop.flatSubmit { () -> EventLoopFuture<Bool> in
            do {
                let poller = try SocketPoller(eventLoop: loop)
                let pair = try Pair(poller)
                var times = 0
                pair.owner.heard = {
                    times += 1
                    // The second time shows that it was requested again.
                    if times == 2 { arrived.succeed(pair.owner.bytes.count) } else { pair.say("more") }
                }
                began.succeed(pair.other)
                return try PollerWake.start(for: poller, asksKernel: isTold).map(\.value.isNotified)
            } catch {
                began.fail(error)
                return loop.makeFailedFuture(error)
            }
        }.get()
        #expect(way == isTold)
        let other = try await began.futureResult.get()
        #expect(send(other, "x", 1, CInt(MSG_NOSIGNAL)) == 1)
        #expect(try await arrived.futureResult.get() == 5)
        try await group.shutdownGracefully()
        // The end of the loop is the end of what it has; its thread may release that a moment later.
        var hangUp = pollfd(fd: other, events: Int16(POLLIN), revents: 0)
        #expect(poll(&hangUp, 1, 10_000) == 1)
        var byte: UInt8 = 0
        #expect(recv(other, &byte, 1, 0) == 0)
        close(other)
    }
}
