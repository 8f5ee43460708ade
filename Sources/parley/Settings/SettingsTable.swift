/// All settings as the documentation shows them.
enum SettingsTable {
    static func markdown(_ entries: [SettingsReader.Entry]) -> String {
        let rows = entries.map { entry in
            "| `\(entry.variable)` | `\(entry.name)` | \(entry.standard) | \(entry.allowed) | \(entry.summary) |"
        }
        return (["| environment | file | default | allowed | what it is |", "|---|---|---|---|---|"] + rows)
            .joined(separator: "\n") + "\n"
    }
}
