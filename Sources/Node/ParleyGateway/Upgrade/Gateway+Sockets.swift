package import NIOCore
package import NIOHTTP1
import ParleySockets

/// Sockets that have never been NIO channels, as in a simulated cluster.
extension Gateway {
    /// The answer to a client whose handshake is rejected.
    package struct HandshakeRejection: Hashable, Sendable {
        package let status: Int
        /// Seconds.
        package let retryAfter: Int?
    }

    /// Decides on a handshake, and serves the client on its socket if it is admitted: what `UpgradeGate` and
    /// `SocketDetacher` do for a channel.
    /// - Parameters:
    ///   - descriptor: a connected, non-blocking socket; it belongs to the gateway if the client is admitted.
    ///   - head: the request.
    ///   - eventLoop: one of the fan-out's, which the socket will live on.
    ///   - accepted: called on the event loop before the first frame is sent.
    /// - Returns: `nil` if the client is admitted.
    package func serve(
        _ descriptor: CInt, _ head: HTTPRequestHead, from address: String, on eventLoop: any EventLoop,
        accepted: @escaping @Sendable () -> Void
    ) async -> HandshakeRejection? {
        let decision = await admission.decide(
            UpgradeRequest(head: head, address: address, isForwarded: false), on: eventLoop)
        let rejection: Rejection
        switch decision {
        case .failure(let failure): rejection = failure
        case .success(let admission):
            guard drains else {
                let isServed = try? await eventLoop.submit { [self] in
                    begin(descriptor, admission, on: eventLoop, accepted)
                }.get()
                return isServed == true ? nil : HandshakeRejection(status: 503, retryAfter: nil)
            }
            self.admission.withdraw(admission)
            rejection = .draining
        }
        return HandshakeRejection(status: Int(rejection.status.code), retryAfter: rejection.retryAfter)
    }

    private func begin(
        _ descriptor: CInt, _ admission: Admission, on eventLoop: any EventLoop, _ accepted: () -> Void
    ) -> Bool {
        guard let loop = loops.loop(of: eventLoop) else { return false }
        let connection = WebSocketConnection(admission: admission, services: services, loop: loop)
        guard let socket = try? KernelSocket(descriptor, loop.poller, owner: connection) else {
            self.admission.withdraw(admission)
            return false
        }
        services.limits.counts.keepConnection()
        accepted()
        connection.begin(socket, early: ByteBuffer())
        return true
    }
}
