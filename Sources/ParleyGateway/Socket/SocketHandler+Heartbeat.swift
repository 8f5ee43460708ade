package import Glibc
import NIOCore
import ParleyAccounts
import ParleyModel
import ParleySession
import ParleySockets
import ParleyWire

/// Pings, and the end of clients that show no sign of life.
extension SocketHandler: Heartbeating {
    /// Seconds without any frame after which a client is dead.
    private static let silenceLimit: Int64 = 35
    /// Seconds after which it is so even if it has much to read.
    private static let stallLimit: Int64 = 300

    func heartbeat(at now: Int64) -> Int64? {
        guard let socket else { return nil }
        if isClosing {
            socket.close()
            return nil
        }
        if now - lastSign >= Self.silenceLimit, !isBusyReading(socket, at: now) {
            // While nothing is read it is not the client who is silent: what its sends wait for does not come.
            close(isReading ? .silent : .unavailable)
            return nil
        }
        if let expires = identity.expires, gateway.clock.milliseconds >= expires {
            close(.expired)
            return nil
        }
        if now - lastPing >= Self.pingInterval {
            lastPing = now
            reply(WebSocketFrame.ping())
            // Too much may have been waiting for one more frame.
            guard !isClosing else { return nil }
        }
        let nextPing = lastPing + Self.pingInterval - now
        let nextVerdict = max(1, lastSign + Self.silenceLimit - now)
        return min(nextPing, nextVerdict, untilExpiry)
    }

    /// The credentials are others now: the next beat comes when they expire, if not before.
    func renewed() {
        guard !isClosing, socket != nil, identity.expires != nil else { return }
        heartbeats.schedule(self, after: 1)
    }

    /// Seconds until the credentials expire, rounded up; at least one.
    var untilExpiry: Int64 {
        guard let expires = identity.expires else { return .max }
        let left = max(0, expires) - gateway.clock.milliseconds
        return max(1, left / 1000 + (left % 1000 > 0 ? 1 : 0))
    }

    /// Whether a client that sends nothing may not have come to our ping yet, since it has not read what stands before
    /// it: then its reading is what shows that it lives, or, while its window is closed, its kernel's answers are.
    private func isBusyReading(_ socket: KernelSocket, at now: Int64) -> Bool {
        guard socket.waitingBytes > 0 else { return false }
        if socket.takenBytes > takenAtSign {
            takenAtSign = socket.takenBytes
            lastSign = now
            return true
        }
        guard now - lastSign < Self.stallLimit, let info = socket.info else { return false }
        return info.isAnswered(within: Self.silenceLimit)
    }
}

extension tcp_info {
    /// Probes of a closed window that the other kernel may leave unanswered.
    private static let probeLimit = 2

    /// Whether the other kernel is there, as far as this one can tell.
    ///
    /// On a line that loses segments there may be something to send again at any moment; what counts is that some of
    /// it is acknowledged. A closed window is asked about ever less often, up to every two minutes, so that the last
    /// answer may be old though none is missing.
    /// - Parameter seconds: after which silence on an open window is an absence.
    package func isAnswered(within seconds: Int64) -> Bool {
        if tcpi_last_ack_recv < seconds * 1000 { return true }
        return tcpi_retransmits == 0 && tcpi_probes <= Self.probeLimit
    }
}
