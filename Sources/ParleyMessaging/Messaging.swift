package import ParleyAccounts
package import ParleyModel

/// The only way in: everything that users, operators and back ends may read or change. Listeners authenticate, then call
/// it; they hold nothing else of log, bus, store or directory.
package final class Messaging: Sendable {
    package let ports: MessagingPorts
    package let commands: LogCommands
    package let changes: StateChanges
    /// `nil` if this process serves no files.
    package let attachments: Attachments?

    package init(
        _ ports: MessagingPorts, commands: LogCommands, changes: StateChanges, attachments: Attachments? = nil
    ) {
        self.ports = ports
        self.commands = commands
        self.changes = changes
        self.attachments = attachments
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
    /// `nil` disables tracing.
    package var traces: (any TraceStore)?

    package init(
        log: any MessageLog, bus: any ThreadBus, store: any MessageStore, accounts: any AccountStore,
        directory: BatchedDirectory, readMarks: any ReadMarks, traces: (any TraceStore)? = nil
    ) {
        self.log = log
        self.bus = bus
        self.store = store
        self.accounts = accounts
        self.directory = directory
        self.readMarks = readMarks
        self.traces = traces
    }
}
