import NIOCore
import ParleyAccounts
import ParleyFanOut
import ParleyGateway
import ParleyMessaging
import ParleyModel
import ParleyPersister

/// The layer between the adapters and the listeners: authentication and all that users, operators and back ends may do.
struct UseCases {
    let directory: BatchedDirectory
    let accounts: AccountServices
    let relay: OutboxRelay
    let messaging: Messaging
    /// Removes files that nothing refers to; `nil` if this process serves no files.
    let sweeper: AttachmentSweeper?

    init(_ base: NodeBase, on adapters: Adapters) async throws {
        let (settings, database, backend) = (base.settings, adapters.database, adapters.backend)
        let (clock, logger, limitReached, work) = (base.clock, base.logger, base.limits.reached, base.work)
        directory = BatchedDirectory(
            database, apiKeys: settings.accounts.apiKeys, idForm: settings.accounts.idForm,
            settings: settings.accounts.directory, clock: clock)
        accounts = try await AccountServices(
            settings: settings.accounts, accounts: database, directory: directory, ticketStore: backend.tickets,
            rates: backend.rates, djangoSite: adapters.django, oidcRequests: ProviderClient(), clock: clock,
            limitReached: limitReached, logger: logger)
        relay = OutboxRelay(outbox: database, history: database, log: backend.log, clock: clock, logger: logger)
        var attachments: Attachments?
        if base.role.hasREST, let (rules, storage) = settings.attachments {
            let blobs = try storage.open(clock: clock)
            let uses = UnstoredUses(store: database, messages: database, log: backend.log, sends: backend.sends)
            attachments = Attachments(
                settings: rules, store: database, blobs: blobs, uses: uses, clock: clock, logger: logger)
            sweeper = AttachmentSweeper(store: database, blobs: blobs, uses: uses, clock: clock, logger: logger)
        } else {
            sweeper = nil
        }
        let budgets = Budgets(
            BudgetSettings(
                limits: settings.gateway.limits, rates: backend.rates,
                uptime: { Int64(clamping: NIODeadline.now().uptimeNanoseconds / 1000) },
                submit: { work.submit($0) }, limitReached: limitReached))
        messaging = Messaging(
            MessagingPorts(
                log: backend.log, bus: backend.bus, store: database, state: database, accounts: database,
                directory: directory, readMarks: backend.readMarks, attachments: database, traces: backend.traces,
                events: database, webhookNetworks: settings.webhookNetworks, notifications: database),
            budgets: budgets, relay: relay, hash: accounts.login.hash, attachments: attachments,
            rooms: settings.rooms, clock: clock, tracer: base.tracer, logger: logger)
    }
}
