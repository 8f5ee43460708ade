import ParleyMessaging

extension Settings {
    /// Reads the bounds of webhooks.
    static func webhooks(_ reader: inout SettingsReader) -> WebhookPolicy {
        let hours = reader.integer(
            "webhooks.patience_hours", 72, in: 1...8_760,
            "Hours after its first failure at which an event of a webhook is given up.")
        return WebhookPolicy(patience: .seconds(Int64(hours) * 3_600))
    }

    /// Reads the networks that webhooks may connect to. Also for commands.
    static func webhookNetworks(_ reader: inout SettingsReader) -> WebhookNetworks {
        let text = reader.optionalText(
            "webhooks.allowed_networks",
            allowed: "comma-separated addresses and networks, e.g. 127.0.0.1,10.0.0.0/8, at most 64",
            "Networks that webhooks may connect to although they are not public, also over http.")
        let words = (text ?? "").split(separator: ",").map { $0.filter { $0 != " " } }
        let networks = words.compactMap { IPNetwork($0) }
        if networks.count < words.count || networks.count > WebhookNetworks.maximumAllowed {
            reader.rejectValue(of: "webhooks.allowed_networks")
        }
        return WebhookNetworks(allowed: networks)
    }
}
