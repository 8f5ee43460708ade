extension Migration {
    /// How far the hosts of the log have come (`LogHistory.progress(ofHost:)`).
    static let logHosts = Migration(
        number: 14, name: "log hosts",
        sql: "CREATE TABLE log_hosts (host INTEGER NOT NULL PRIMARY KEY, progress INTEGER NOT NULL) STRICT;")
}
