import ParleyModel

extension Settings {
    static func limits(_ reader: inout SettingsReader) -> Limits {
        var limits = Limits()
        limits.textScalars = reader.integer(
            "limits.text_chars", limits.textScalars, in: 1...100_000, "Maximum length of a message, in Unicode scalars."
        )
        limits.frameBytes = reader.integer(
            "limits.frame_bytes", limits.frameBytes, in: 1024...16_777_216,
            "Maximum size of a WebSocket frame or message, in bytes.")
        limits.sendsPerSecond = reader.integer(
            "limits.sends_per_second", limits.sendsPerSecond, in: 0...1_000_000,
            "Sends per second and user, sustained; 0: no limit.")
        limits.sendsBurst = reader.integer(
            "limits.sends_burst", limits.sendsBurst, in: 1...1_000_000, "Sends per user in a burst.")
        limits.reads = budget(
            &reader, "reads", limits.reads,
            "Read marks per second and user that members are notified of; further ones are merged; 0: no limit.",
            "Read marks per user in a burst.")
        limits.typing = budget(
            &reader, "typing", limits.typing,
            "Typing notifications per second and user; further ones are dropped; 0: no limit.",
            "Typing notifications per user in a burst.")
        limits.history = budget(
            &reader, "history", limits.history,
            "History pages per second, user and node, sustained; 0: no limit.", "History pages per user in a burst.")
        limits.lists = budget(
            &reader, "lists", limits.lists,
            "Lists and look-ups over REST per second, user and node, sustained; 0: no limit.",
            "Lists and look-ups per user in a burst.")
        limits.listsAtOnce = reader.integer(
            "limits.lists_at_once", limits.listsAtOnce, in: 0...1_000_000,
            "Lists and look-ups that a user may have in progress on a node; 0: no limit.")
        limits.searches = budget(
            &reader, "searches", limits.searches,
            "Searches and exports per second, user and node, sustained; 0: no limit.",
            "Searches and exports per user in a burst.")
        limits.searchesAtOnce = reader.integer(
            "limits.searches_at_once", limits.searchesAtOnce, in: 0...1_000_000,
            "Searches and exports that a user may have in progress on a node; 0: no limit.")
        limits.files = budget(
            &reader, "files", limits.files,
            "Attachments read per second, user and node, sustained; 0: no limit.",
            "Attachments read per user in a burst.")
        readConnections(&reader, &limits)
        readLogins(&reader, &limits)
        return limits
    }

    private static func readConnections(_ reader: inout SettingsReader, _ limits: inout Limits) {
        limits.connectionsPerUser = reader.integer(
            "limits.connections_per_user", limits.connectionsPerUser, in: 0...1_000_000,
            "Maximum sockets per user on a node; 0: no limit.")
        limits.connectionsPerAddress = reader.integer(
            "limits.connections_per_address", limits.connectionsPerAddress, in: 0...10_000_000,
            "Maximum sockets, and other connections or proxied requests, per address (IPv6: /64) on a node; 0: no limit."
        )
        limits.connections = reader.integer(
            "limits.connections", limits.connections, in: 0...10_000_000, "Maximum sockets on a node; 0: no limit.")
        limits.outboundBytes = reader.integer(
            "limits.outbound_bytes", limits.outboundBytes, in: 1024...16_777_216,
            "Maximum bytes queued for one socket; beyond it the client is too slow.")
    }

    private static func readLogins(_ reader: inout SettingsReader, _ limits: inout Limits) {
        limits.loginFailuresPerAccountPerMinute = reader.integer(
            "limits.login_failures_per_account_per_minute", limits.loginFailuresPerAccountPerMinute,
            in: 0...1_000_000,
            "Wrong passwords per account and minute from one address, and from one known device; 0: no limit.")
        limits.loginFailuresPerAccountTotalPerMinute = reader.integer(
            "limits.login_failures_per_account_total_per_minute", limits.loginFailuresPerAccountTotalPerMinute,
            in: 0...1_000_000,
            "Wrong passwords per account and minute from all addresses together, known devices not counted; 0: no limit."
        )
        limits.loginFailuresPerAddressPerMinute = reader.integer(
            "limits.login_failures_per_address_per_minute", limits.loginFailuresPerAddressPerMinute,
            in: 0...1_000_000, "Wrong passwords per address and minute, known devices not counted; 0: no limit.")
        limits.signUpsPerAddressPerMinute = reader.integer(
            "limits.signups_per_address_per_minute", limits.signUpsPerAddressPerMinute, in: 0...1_000_000,
            "Sign-ups per address and minute, over all nodes; 0: no limit.")
    }

    private static func budget(
        _ reader: inout SettingsReader, _ name: String, _ usual: Budget, _ perSecond: String, _ burst: String
    ) -> Budget {
        Budget(
            perSecond: reader.integer("limits.\(name)_per_second", usual.perSecond, in: 0...1_000_000, perSecond),
            burst: reader.integer("limits.\(name)_burst", usual.burst, in: 1...1_000_000, burst))
    }
}
