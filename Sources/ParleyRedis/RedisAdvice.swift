/// What a Redis tells about itself that whoever runs it should know, in plain words; for `parley check`.
package enum RedisAdvice {
    /// - Parameter info: the answer to `INFO`.
    /// - Returns: what should be otherwise; empty if all is well.
    package static func read(_ info: String) -> [String] {
        var fields: [Substring: Substring] = [:]
        for line in info.split(whereSeparator: \.isNewline) {
            guard let colon = line.firstIndex(of: ":") else { continue }
            fields[line[..<colon]] = line[line.index(after: colon)...]
        }
        var advice: [String] = []
        if let version = fields["redis_version"], let major = Int(version.prefix { $0 != "." }), major < 6 {
            advice.append("Redis \(version) is too old: 6.2 or newer is needed")
        }
        if fields["cluster_enabled"] == "1" {
            advice.append("Redis runs in cluster mode, which channels_redis and Parley do not speak: use single hosts")
        }
        if let policy = fields["maxmemory_policy"], policy != "noeviction", fields["maxmemory"] != "0" {
            advice.append(
                "maxmemory-policy is \(policy): Redis may delete messages that are not stored yet; set it to noeviction"
            )
        }
        if fields["aof_enabled"] == "0" {
            advice.append(
                "appendonly is off: what was accepted and is not stored yet is lost when Redis ends; set it to yes")
        }
        if fields["role"] == "slave" { advice.append("this Redis is a replica, and takes no messages") }
        return advice
    }
}
