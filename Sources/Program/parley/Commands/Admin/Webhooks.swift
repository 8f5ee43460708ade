import ArgumentParser
import ParleyMessaging
import ParleyModel

/// `parley admin webhooks`
struct WebhooksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webhooks",
        abstract: "List the endpoints that are sent stored events, or add, move, stop or delete one.",
        discussion: """
            Prints a line for each endpoint: its ID, "enabled" or "disabled", the number of threads that wait, the number \
            of dead letters, its URL, and the last failure. --add prints the ID and the secret, which is not shown again.
            """)

    @Option(help: "URL of a new endpoint.")
    var add: String?

    @Option(help: "Kinds of events for --add, separated by commas (default: all events of logs, without audit).")
    var kinds: String?

    @Option(help: "Maximum number of events of a request for --add, 1 to 200.")
    var batch = 1

    @Option(help: "Kind of the secret for --add: hmac-sha256 or ed25519.")
    var key = WebhookKey.Kind.shared.rawValue

    @Option(help: "Where a new or moved endpoint begins: start, end, or a cursor.")
    var after: String?

    @Option(help: "ID of an endpoint that continues from --after.")
    var move: String?

    @Option(help: "ID of an endpoint to enable. It continues from its place.")
    var enable: String?

    @Option(help: "ID of an endpoint to disable.")
    var disable: String?

    @Option(help: "ID of an endpoint to delete, with its dead letters.")
    var delete: String?

    @Option(help: "ID of an endpoint whose dead letters are printed: the event, the attempts and the last failure.")
    var deadLetters: String?

    @Option(help: "ID of an endpoint whose dead letters are sent again.")
    var replay: String?

    @OptionGroup var flags: DatabaseFlags

    func validate() throws {
        let actions = [add, move, enable, disable, delete, deadLetters, replay].compactMap { $0 }
        if actions.count > 1 {
            throw ValidationError(
                "use one of --add, --move, --enable, --disable, --delete, --dead-letters and --replay")
        }
        if move != nil, after == nil { throw ValidationError("--move needs --after") }
        guard WebhookSettings.batches.contains(batch) else { throw ValidationError("--batch must be 1 to 200") }
        guard WebhookKey.Kind(rawValue: key) != nil else {
            throw ValidationError("--key must be hmac-sha256 or ed25519")
        }
        _ = try kindsOfEvents()
        _ = try start()
    }

    func run() async throws {
        try await flags.withMessaging { messaging in
            let back = BackEnd.commandLine
            if let add {
                let kinds = try kindsOfEvents()
                let settings = WebhookSettings(
                    url: add, kinds: kinds.log, rows: kinds.rows, batch: batch, secrets: [])
                let new = try await messaging.addWebhook(
                    settings, key: WebhookKey.Kind(rawValue: key) ?? .shared, from: try start() ?? .end, for: back)
                print(new.known.webhook.id, new.secret)
            } else if let id = move ?? enable ?? disable {
                let isEnabled: Bool? = move != nil ? nil : enable != nil
                _ = try await messaging.changeWebhook(
                    id, isEnabled: isEnabled, from: move == nil ? nil : try start(), for: back
                ) { _ in }
            } else if let delete {
                try await messaging.deleteWebhook(delete, for: back)
            } else if let deadLetters {
                try await printDeadLetters(of: deadLetters, messaging)
            } else if let replay {
                print(try await messaging.replayDeadLetters(of: replay, nil, for: back))
            } else {
                for known in try await messaging.webhooks(for: back) { printLine(known) }
            }
        }
    }

    private func printLine(_ known: Messaging.KnownWebhook) {
        let (webhook, progress) = (known.webhook, known.webhook.progress)
        print(
            webhook.id, webhook.isEnabled ? "enabled" : "disabled", progress.waiting.count, known.deadLetters,
            webhook.settings.url, progress.disabled ?? progress.failure ?? "")
    }

    private func printDeadLetters(of id: String, _ messaging: Messaging) async throws {
        var before: Int64?
        repeat {
            let page = try await messaging.deadLetters(of: id, before: before, limit: 200, for: .commandLine)
            for letter in page.elements { print(letter.event, letter.attempts, letter.reason) }
            before = page.last?.id
        } while before != nil
    }

    private func kindsOfEvents() throws -> EventKinds {
        guard let kinds else { return EventKinds() }
        guard let chosen = EventKinds(names: kinds.split(separator: ",").map { String($0) }) else {
            throw ValidationError("--kinds has an unknown kind; allowed are \(EventKinds.allowed)")
        }
        return chosen
    }

    private func start() throws -> Messaging.WebhookStart? {
        switch after {
        case nil: return nil
        case "start": return .start
        case "end": return .end
        case let text?:
            guard let cursor = EventCursor(text) else {
                throw ValidationError("--after must be start, end, or a cursor")
            }
            return .cursor(cursor)
        }
    }
}
