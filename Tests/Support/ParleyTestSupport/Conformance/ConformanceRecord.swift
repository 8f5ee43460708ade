/// A client's row of `Tests/Fixtures/conformance.json`: what the conformance kit is told when it runs against the client.
package struct ConformanceRecord: Sendable {
    package let name: String
    /// A description in Markdown.
    package let about: String
    /// The rules that the client may break, by name.
    package let allowed: [String]
    /// The scenarios that do not fit the client, by name. The value is the rule that is not checked without the scenario;
    /// `nil` if other scenarios check it as well.
    package let lacked: [String: String?]

    /// The client has no row.
    package struct Missing: Error {
        package let name: String
    }

    /// All clients, in the order of the table.
    package static func all() throws -> [ConformanceRecord] {
        let file = try JSONValue(parsing: try Repository.text("Tests/Fixtures/conformance.json"))
        return (file["clients"]?.array ?? []).map { row in
            ConformanceRecord(
                name: row["name"]?.string ?? "", about: row["about"]?.string ?? "",
                allowed: (row["allows"]?.array ?? []).compactMap(\.string),
                lacked: (row["lacks"]?.object ?? [:]).mapValues(\.string))
        }
    }

    /// - Throws: ``Missing``.
    package static func named(_ name: String) throws -> ConformanceRecord {
        guard let record = try all().first(where: { $0.name == name }) else { throw Missing(name: name) }
        return record
    }

    /// Whether the kit checks a rule in the scenarios of this client.
    package func keeps(_ rule: String) -> Bool {
        !allowed.contains(rule) && !lacked.values.contains(rule)
    }
}
