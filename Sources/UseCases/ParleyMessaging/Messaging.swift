package import Logging
package import ParleyAccounts
package import ParleyModel

/// The single entry point for everything that users, operators and back ends may read or change. Listeners authenticate, then
/// call it with a `Caller`. They have no other access to log, bus, store or directory.
///
/// - Sending: `prepare` and `append` on event loops, `send` and `change` elsewhere (`Sending`).
/// - Reading: the logs of threads in their current state, and read marks (`Reading`).
/// - State changes (`State`): of members (`Members`), rooms and direct threads (`Threads`), and accounts (`Accounts`).
/// - Files: uploads and downloads (`Attachments`).
package final class Messaging: Sendable {
    /// Validates and hashes a new password.
    package typealias PasswordHash = @Sendable (String) async throws(AccountError) -> String

    let ports: MessagingPorts
    package let budgets: Budgets
    let relay: OutboxRelay?
    let hash: PasswordHash
    let attachments: Attachments?
    package let rooms: RoomSettings
    package let rules: MessageRules
    /// The newest messages in rooms with a slow mode. The fan-out adds messages of other nodes.
    package let slowMode = SlowMode()
    let tracer: Tracer
    let clock: WallClock
    let logger: Logger
    let finder: MessageFinder
    let current: CurrentLog
    let reads: ReadMarker

    /// - Parameters:
    ///   - relay: `nil` for a command without a log. Persisters then relay its changes.
    ///   - attachments: `nil` if this process serves no files.
    package init(
        _ ports: MessagingPorts, budgets: Budgets, relay: OutboxRelay?, hash: @escaping PasswordHash,
        attachments: Attachments? = nil, rooms: RoomSettings = RoomSettings(), clock: WallClock, tracer: Tracer = .off,
        logger: Logger
    ) {
        self.ports = ports
        self.budgets = budgets
        self.relay = relay
        self.hash = hash
        self.attachments = attachments
        self.rooms = rooms
        self.clock = clock
        self.tracer = tracer
        self.logger = logger
        rules = MessageRules(textScalars: budgets.settings.limits.textScalars)
        finder = MessageFinder(log: ports.log, store: ports.store)
        current = CurrentLog(log: ports.log, store: ports.store)
        reads = ReadMarker(
            log: ports.log, marks: ports.readMarks, bus: ports.bus, clock: clock, settings: budgets.settings)
    }
}

/// The ports of `Messaging`.
package struct MessagingPorts: Sendable {
    package var log: any MessageLog
    package var bus: any ThreadBus
    package var store: any MessageStore
    /// The state and its outbox.
    package var state: any StateStore & Outbox
    package var accounts: any AccountStore
    package var directory: BatchedDirectory
    package var readMarks: any ReadMarks
    /// The attachments; `nil` if messages cannot refer to any.
    package var attachments: (any AttachmentStore)?
    /// The traces; `nil` disables tracing.
    package var traces: (any TraceStore)?
    /// The stream of stored events; `nil` if this process does not serve it.
    package var events: (any EventFeed & EventGroups & Webhooks)?
    /// The addresses that webhooks may have.
    package var webhookNetworks: WebhookNetworks
    /// The devices of users and what notifies them; `nil` if this process does not serve them.
    package var notifications: (any DeviceStore & NotificationStore)?

    package init(
        log: any MessageLog, bus: any ThreadBus, store: any MessageStore, state: any StateStore & Outbox,
        accounts: any AccountStore, directory: BatchedDirectory, readMarks: any ReadMarks,
        attachments: (any AttachmentStore)? = nil,
        traces: (any TraceStore)? = nil, events: (any EventFeed & EventGroups & Webhooks)? = nil,
        webhookNetworks: WebhookNetworks = WebhookNetworks(),
        notifications: (any DeviceStore & NotificationStore)? = nil
    ) {
        self.log = log
        self.bus = bus
        self.store = store
        self.state = state
        self.accounts = accounts
        self.directory = directory
        self.readMarks = readMarks
        self.attachments = attachments
        self.traces = traces
        self.events = events
        self.webhookNetworks = webhookNetworks
        self.notifications = notifications
    }
}
