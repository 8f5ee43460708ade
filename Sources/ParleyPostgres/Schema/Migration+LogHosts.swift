extension Migration {
    /// How far the hosts of the log have come (`LogHistory.progress(ofHost:)`).
    static let logHosts = Migration(
        number: 15, name: "log hosts", oldestNode: 4,
        statements: ["CREATE TABLE log_hosts (host bigint PRIMARY KEY, progress bigint NOT NULL)"])
}
