package import ParleyAccounts
package import ParleyModel

/// The only way in: everything that users, operators and back ends may read or change. Listeners authenticate, then call
/// it with a `Caller`; they hold nothing else of log, bus, store or directory.
///
/// - Sending: `prepare` and `append` on event loops, `send` and `change` elsewhere (`Sending`).
/// - Reading: threads' logs in their present state, read marks (`Reading`).
/// - State changes: members, rooms and accounts (`changes`).
package final class Messaging: Sendable {
    let ports: MessagingPorts
    package let budgets: Budgets
    package let changes: StateChanges
    /// `nil` if this process serves no files.
    package let attachments: Attachments?
    package let rules: MessageRules
    let tracer: Tracer
    let clock: WallClock
    let finder: MessageFinder
    let current: CurrentLog
    let reads: ReadMarker

    package init(
        _ ports: MessagingPorts, budgets: Budgets, changes: StateChanges, attachments: Attachments? = nil,
        clock: WallClock, tracer: Tracer = .off
    ) {
        self.ports = ports
        self.budgets = budgets
        self.changes = changes
        self.attachments = attachments
        self.clock = clock
        self.tracer = tracer
        rules = MessageRules(textScalars: budgets.settings.limits.textScalars)
        finder = MessageFinder(log: ports.log, store: ports.store)
        current = CurrentLog(log: ports.log, store: ports.store)
        reads = ReadMarker(
            log: ports.log, marks: ports.readMarks, bus: ports.bus, clock: clock, settings: budgets.settings)
    }
}

/// What `Messaging` reads and appends by.
package struct MessagingPorts: Sendable {
    package var log: any MessageLog
    package var bus: any ThreadBus
    package var store: any MessageStore
    package var accounts: any AccountStore
    package var directory: BatchedDirectory
    package var readMarks: any ReadMarks
    /// `nil` if messages cannot refer to attachments.
    package var attachments: (any AttachmentStore)?
    /// `nil` disables tracing.
    package var traces: (any TraceStore)?

    package init(
        log: any MessageLog, bus: any ThreadBus, store: any MessageStore, accounts: any AccountStore,
        directory: BatchedDirectory, readMarks: any ReadMarks, attachments: (any AttachmentStore)? = nil,
        traces: (any TraceStore)? = nil
    ) {
        self.log = log
        self.bus = bus
        self.store = store
        self.accounts = accounts
        self.directory = directory
        self.readMarks = readMarks
        self.attachments = attachments
        self.traces = traces
    }
}
