/// Checks a Redis configuration for problems that operators should fix; for `parley check`.
package enum RedisAdvice {
    /// Checks the reply to `INFO`.
    /// - Parameter info: The reply.
    /// - Returns: The recommended changes, as text for operators; empty if there are none.
    package static func read(_ info: String) -> [String] {
        var fields: [Substring: Substring] = [:]
        for line in info.split(whereSeparator: \.isNewline) {
            guard let colon = line.firstIndex(of: ":") else { continue }
            fields[line[..<colon]] = line[line.index(after: colon)...]
        }
        var advice: [String] = []
        if let version = fields["redis_version"], let major = Int(version.prefix { $0 != "." }), major < 6 {
            advice.append("Redis \(version) is too old: 6.2 or newer is required")
        }
        if fields["cluster_enabled"] == "1" {
            advice.append(
                "Redis runs in cluster mode, which channels_redis and Parley do not support: use single hosts")
        }
        if let policy = fields["maxmemory_policy"], policy != "noeviction", fields["maxmemory"] != "0" {
            advice.append(
                "maxmemory-policy is \(policy): Redis may delete messages that are not stored yet; set it to noeviction"
            )
        }
        if fields["aof_enabled"] == "0" {
            advice.append(
                "appendonly is off: accepted messages that are not stored yet are lost when Redis ends; set it to yes")
        }
        if fields["role"] == "slave" { advice.append("this Redis is a replica, and takes no messages") }
        return advice
    }
}
