import Glibc
import ParleyGateway
import Testing

/// Whether a client that has much to read is alive, by the kernel's statistics of the connection.
@Suite struct LineSignsTests {
    /// - Parameters:
    ///   - lastAck: milliseconds since the client's kernel acknowledged something.
    ///   - resent: times the oldest segment was sent again.
    ///   - probes: of a closed window, without an answer.
    private func isAnswered(lastAck: UInt32, resent: UInt8 = 0, probes: UInt8 = 0) -> Bool {
        var info = tcp_info()
        info.tcpi_last_ack_recv = lastAck
        info.tcpi_retransmits = resent
        info.tcpi_probes = probes
        return info.isAnswered(within: 35)
    }

    @Test("a connection that loses segments is alive as long as some are acknowledged")
    func lossy() {
        #expect(isAnswered(lastAck: 0, resent: 1))
        #expect(isAnswered(lastAck: 34_999, resent: 7))
        #expect(!isAnswered(lastAck: 35_000, resent: 1))
    }

    @Test("a closed window is probed ever less often, and its client is alive while probes are answered")
    func closedWindow() {
        #expect(isAnswered(lastAck: 119_000))
        #expect(isAnswered(lastAck: 119_000, probes: 2))
        #expect(!isAnswered(lastAck: 119_000, probes: 3))
    }
}
