import NIOCore
import ParleyFanOut
import ParleyModel
import ParleyTestContracts
import ParleyTestSupport
import ParleyWire
import Testing

/// A socket of a user that has gone through `admit` and `register`.
final class FakeClient: Sendable {
    private struct Place {
        let socket: FakeSocket
        let user: LocalUser
    }

    let connection: ConnectionID
    private let received: Recorder<SocketEvent>
    private let fanOut: FanOut
    private let loop: Int
    private let encoding: Encoding
    private let place: NIOLoopBoundBox<Place?>

    init(
        _ name: String, on fanOut: FanOut, loop: Int, in threads: [ThreadInfo], dialect: Dialect = .line,
        connection: String? = nil, token: TokenHash? = nil, version: Int64 = 0, start: HistoryStart? = nil
    ) async throws {
        let user = Samples.user(name)
        let connection = ConnectionID(trusted: connection ?? "\(name)-\(loop)")
        let encoding = Encoding(dialect: dialect)
        let received = Recorder<SocketEvent>()
        let place = NIOLoopBoundBox<Place?>.makeEmptyBox(eventLoop: fanOut.loops[loop])
        self.connection = connection
        self.received = received
        self.fanOut = fanOut
        self.loop = loop
        self.encoding = encoding
        self.place = place
        _ = try await fanOut.admit(user, on: loop, encoding: encoding) { _ in
            UserSnapshot(
                user: user, version: version, credentialsVersion: 0,
                memberships: threads.map { Membership(thread: $0, role: .member, start: start) })
        }
        let isRegistered = try await fanOut.loops[loop].submit {
            let socket = FakeSocket(connection, encoding, token, received)
            place.value = fanOut.roster(loop).register(socket, of: user.id).map { Place(socket: socket, user: $0) }
            return place.value != nil
        }.get()
        try #require(isRegistered, "an admitted user can be registered")
    }

    func close() async throws {
        let (fanOut, loop, place) = (fanOut, loop, place)
        try await fanOut.loops[loop].submit {
            guard let there = place.value else { return }
            fanOut.roster(loop).unregister(there.socket, of: there.user)
            place.value = nil
        }.get()
        fanOut.forget(encoding)
    }

    /// Whether the user may do something in a thread.
    func isMember(of thread: ThreadID) async throws -> Bool {
        let place = place
        return try await fanOut.loops[loop].submit { place.value?.user.memberships[thread] != nil }.get()
    }

    /// The start of the log for the user in a thread; `nil` also if they are not a member.
    func start(in thread: ThreadID) async throws -> HistoryStart? {
        let place = place
        return try await fanOut.loops[loop].submit { place.value?.user.memberships[thread]?.start }.get()
    }

    var all: [SocketEvent] { received.elements }

    /// All texts so far, in order.
    var texts: [String] { Self.texts(received.elements) }

    /// Waits for a text.
    /// - Returns: all texts so far.
    @discardableResult
    func wait(
        for text: String, file: StaticString = #fileID, line: UInt = #line
    ) async throws -> [String] {
        let received = try await received.wait("text \(text)", file: file, line: line) { $0.contains(.text(text)) }
        return Self.texts(received)
    }

    func wait(
        file: StaticString = #fileID, line: UInt = #line, until isEnough: @escaping @Sendable ([SocketEvent]) -> Bool
    ) async throws {
        try await received.wait(file: file, line: line, until: isEnough)
    }

    private static func texts(_ received: [SocketEvent]) -> [String] {
        received.compactMap { if case .text(let text) = $0 { text } else { nil } }
    }
}
