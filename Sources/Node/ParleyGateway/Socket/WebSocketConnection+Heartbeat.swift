package import Glibc
import NIOCore
import ParleyAccounts
import ParleyModel
import ParleySession
import ParleySockets
import ParleyWire

/// Pings, and the end of clients that show no sign of life.
extension WebSocketConnection: Heartbeating {
    /// Seconds without any frame after which a client counts as gone.
    private static let silenceLimit: Int64 = 35
    /// The same for a client that has bytes waiting.
    private static let stallLimit: Int64 = 300

    func heartbeat(at now: Int64) -> Int64? {
        guard let socket else { return nil }
        if isClosing {
            socket.close()
            return nil
        }
        if now - lastActivity >= Self.silenceLimit, !isBusyReading(socket, at: now) {
            // While reading is paused the client is not silent: its sends wait for the server.
            close(isReading ? .silent : .unavailable)
            return nil
        }
        if let expires = identity.expires, services.clock.milliseconds >= expires {
            close(.expired)
            return nil
        }
        if now - lastPing >= Self.pingInterval {
            lastPing = now
            reply(WebSocketFrame.ping())
            // There may have been no room for the ping.
            guard !isClosing else { return nil }
        }
        let nextPing = lastPing + Self.pingInterval - now
        let nextVerdict = max(1, lastActivity + Self.silenceLimit - now)
        return min(nextPing, nextVerdict, untilExpiry)
    }

    /// The credentials were renewed: the next beat comes when they expire at the latest.
    func renewed() {
        guard !isClosing, isOpen, identity.expires != nil else { return }
        loop.heartbeats.schedule(self, after: 1)
    }

    /// Seconds until the credentials expire, rounded up; at least one.
    var untilExpiry: Int64 {
        guard let expires = identity.expires else { return .max }
        let left = max(0, expires) - services.clock.milliseconds
        return max(1, left / 1000 + (left % 1000 > 0 ? 1 : 0))
    }

    /// Whether a silent client may not have reached the ping yet, because it still reads what was sent before. Then its
    /// reading is the sign of life or, while its window is closed, the answers of its kernel.
    private func isBusyReading(_ socket: KernelSocket, at now: Int64) -> Bool {
        guard socket.waitingBytes > 0 else { return false }
        if socket.takenBytes > takenAtSign {
            takenAtSign = socket.takenBytes
            lastActivity = now
            return true
        }
        guard now - lastActivity < Self.stallLimit, let info = socket.info else { return false }
        return info.isAnswered(within: Self.silenceLimit)
    }
}

extension tcp_info {
    /// The number of unanswered probes of a closed window that is tolerated.
    private static let probeLimit = 2

    /// Whether the peer's kernel is alive, by the observations of the local kernel.
    ///
    /// A connection that loses segments may retransmit at any moment; it is alive while some are acknowledged. A closed
    /// window is probed ever less often, up to every two minutes, so that the last answer may be old though none is
    /// missing.
    /// - Parameter seconds: how long a peer with an open window may be silent.
    package func isAnswered(within seconds: Int64) -> Bool {
        if tcpi_last_ack_recv < seconds * 1000 { return true }
        return tcpi_retransmits == 0 && tcpi_probes <= Self.probeLimit
    }
}
