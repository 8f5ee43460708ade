import NIOCore
import ParleyFanOut
import ParleyModel
import ParleyTestSupport
import ParleyWire

/// What a socket has got.
enum SocketEvent: Hashable, Sendable {
    /// The text of a message that was written and flushed.
    case text(String)
    /// With the seq above which the thread is delivered; 0 for one without events.
    case added(ThreadID, after: Int64)
    case removed(ThreadID)
    case muteChanged(ThreadID, Sanction?)
    case membershipsChanged
    case stored(ThreadID, Int64)
    case renumbered(ThreadID, from: Int64, to: Int64)
    case revoked
    case suspended(Suspension)
    case lostTrack(ThreadID)
    /// The number of frames differs from the roster's count.
    case miscounted(String)
}

/// A socket that writes down what it gets; bound to its event loop.
final class FakeSocket: RosterMember {
    let connection: ConnectionID
    let encoding: Encoding
    let sessionToken: TokenHash?
    private let received: Recorder<SocketEvent>
    /// What is written and not flushed.
    private var written: [SocketEvent] = []

    init(_ connection: ConnectionID, _ encoding: Encoding, _ token: TokenHash?, _ received: Recorder<SocketEvent>) {
        self.connection = connection
        self.encoding = encoding
        sessionToken = token
        self.received = received
    }

    func deliver(_ frames: FrameBatch, in thread: ThreadID) {
        let wire = String(decoding: frames.bytes.readableBytesView, as: UTF8.self)
        let texts = encoding.dialect == .line ? Self.lines(wire) : Self.messages(wire)
        written += texts.map { .text($0) }
        if texts.count != frames.count { written.append(.miscounted(wire)) }
    }

    func flush() {
        for event in written { received.record(event) }
        written = []
    }

    func memberAdded(_ membership: Membership, after end: Position?) {
        received.record(.added(membership.thread.id, after: end?.seq ?? 0))
    }

    func muteChanged(_ membership: Membership) {
        received.record(.muteChanged(membership.thread.id, membership.mute))
    }

    func memberRemoved(_ membership: Membership) {
        // A socket sends in the order in which it was written to.
        flush()
        received.record(.removed(membership.thread.id))
    }

    func stored(_ thread: ThreadID, seq: Int64, epoch: Epoch) {
        received.record(.stored(thread, seq))
    }

    func renumbered(_ thread: ThreadID, _ renumbering: Renumbering) {
        received.record(.renumbered(thread, from: renumbering.from, to: renumbering.to))
    }

    func membershipsChanged() {
        received.record(.membershipsChanged)
    }

    func lostTrack(of thread: ThreadID) {
        received.record(.lostTrack(thread))
    }

    func sessionRevoked() {
        received.record(.revoked)
    }

    func suspended(_ suspension: Suspension) {
        received.record(.suspended(suspension))
    }

    /// `name:text` and a line feed, each.
    private static func lines(_ wire: String) -> [String] {
        wire.split(separator: "\n").map { String($0.drop { $0 != ":" }.dropFirst()) }
    }

    /// The texts of direct JSON frames; none of the tests has a quotation mark in it.
    private static func messages(_ wire: String) -> [String] {
        var texts: [String] = []
        var rest = wire[...]
        let mark = "\"message\":\""
        while let start = rest.firstRange(of: mark) {
            rest = rest[start.upperBound...]
            texts.append(String(rest.prefix { $0 != "\"" }))
        }
        return texts
    }
}
