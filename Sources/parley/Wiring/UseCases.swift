import ParleyAccounts
import ParleyFanOut
import ParleyGateway
import ParleyMessaging
import ParleyModel

/// The layer between the adapters and the listeners: authentication and all commands.
struct UseCases {
    let limits: LimitCounters
    let directory: BatchedDirectory
    let accounts: AccountServices
    /// The pool for work that event loops must not wait for.
    let work = WorkPool()
    let relay: OutboxRelay
    let messaging: Messaging

    init(_ parts: Parts, as role: Role, on adapters: Adapters) async throws {
        let (settings, database, backend) = (parts.settings.accounts, adapters.database, adapters.backend)
        limits = LimitCounters(factory: parts.registry)
        directory = BatchedDirectory(
            database, apiKeys: settings.apiKeys, idForm: settings.idForm, settings: settings.directory,
            clock: parts.clock)
        accounts = try await AccountServices(
            settings: settings, accounts: database, directory: directory, ticketStore: backend.tickets,
            rates: backend.rates, djangoSite: adapters.django, clock: parts.clock, limitReached: limits.reached,
            logger: parts.logger)
        relay = parts.makeRelay(adapters)
        let budgets = parts.makeBudgets(adapters, work, limitReached: limits.reached)
        messaging = Messaging(
            MessagingPorts(
                log: backend.log, bus: backend.bus, store: database, accounts: database, directory: directory,
                readMarks: backend.readMarks, attachments: database, traces: backend.traces),
            budgets: budgets,
            changes: parts.makeChanges(adapters, accounts, directory, relay, budgets),
            attachments: try parts.makeAttachments(adapters, for: role, budgets),
            clock: parts.clock, tracer: parts.tracer)
    }
}
