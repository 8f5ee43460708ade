import ParleyAccounts
import ParleyMessaging
import ParleyModel

/// The commands that sessions carry out, and the ports that they read and append by.
struct MessagingServices: Sendable {
    let log: any MessageLog
    let bus: any ThreadBus
    let store: any MessageStore
    let directory: BatchedDirectory
    let commands: LogCommands
    let stateChanges: StateChanges
    let reads: ReadMarker

    init(_ messaging: Messaging) {
        let ports = messaging.ports
        log = ports.log
        bus = ports.bus
        store = ports.store
        directory = ports.directory
        commands = messaging.commands
        stateChanges = messaging.changes
        reads = ReadMarker(
            log: log, marks: ports.readMarks, bus: bus, clock: commands.clock, settings: commands.settings)
    }

    /// Reads events with the present state of their messages.
    var currentLog: CurrentLog { CurrentLog(log: log, store: store) }

    /// Publishes that both users of a direct thread are members, after the log has accepted its first message.
    ///
    /// The position is below that message: sockets that are open by now read it from the log, and later ones find the
    /// membership in the store.
    func announce(_ membership: Membership, of user: User, at receipt: Receipt) {
        guard let peer = membership.peer else { return }
        let before = receipt.position.seq - 1
        let thread = membership.thread.id
        let theirs = Membership(
            thread: ThreadInfo(id: thread, kind: .direct, title: user.name), role: .member, peer: user)
        bus.publish(.added(membership, after: before), to: user.id)
        bus.publish(.added(theirs, after: before), to: peer.id)
    }
}
