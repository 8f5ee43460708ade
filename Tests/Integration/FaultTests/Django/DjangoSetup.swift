import Testing

/// How Parley and Django are set up to meet.
struct DjangoSetup: Sendable, CustomTestStringConvertible {
    /// Django's channel layer.
    var layer = "pubsub"
    var serializer = "msgpack"
    var hosts = 1
    var prefix = "asgi"
    /// `symmetric_encryption_keys` of Parley, and those of Django.
    var keys: (parley: [String], django: [String]) = ([], [])
    /// The types of Django's events that Parley takes into the log.
    var adopts: String?

    var isEncrypted: Bool { !keys.parley.isEmpty }

    var testDescription: String {
        let keys = isEncrypted ? "\(keys.parley.count) keys" : "plain"
        return "\(layer), \(serializer), \(keys), \(hosts) host(s), prefix \(prefix)"
    }

    /// The settings that both sides read; defaults are left out.
    func environment(keys: [String]) -> [String: String] {
        var environment: [String: String] = [:]
        if let adopts { environment["PARLEY_CHANNELS_ADOPT"] = adopts }
        if layer != "pubsub" { environment["PARLEY_CHANNELS_LAYER"] = layer }
        if serializer != "msgpack" { environment["PARLEY_CHANNELS_SERIALIZER"] = serializer }
        if prefix != "asgi" { environment["PARLEY_CHANNELS_PREFIX"] = prefix }
        if !keys.isEmpty { environment["PARLEY_CHANNELS_SYMMETRIC_ENCRYPTION_KEYS"] = keys.joined(separator: ",") }
        return environment
    }
}
