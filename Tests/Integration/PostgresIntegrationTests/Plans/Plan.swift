import Foundation
import ParleyPostgres

/// The executed plan of a statement, from `EXPLAIN (ANALYZE, FORMAT JSON)`: a node and its children.
struct Plan: Decodable {
    let kind: String
    let table: String?
    let index: String?
    /// Rows per loop.
    let rows: Double
    let loops: Double
    /// Rows that were read and filtered out, per loop.
    let refused: Double?
    let children: [Plan]?

    private enum CodingKeys: String, CodingKey {
        case kind = "Node Type"
        case table = "Relation Name"
        case index = "Index Name"
        case rows = "Actual Rows"
        case loops = "Actual Loops"
        case refused = "Rows Removed by Filter"
        case children = "Plans"
    }

    private struct Explained: Decodable {
        let plan: Plan

        private enum CodingKeys: String, CodingKey {
            case plan = "Plan"
        }
    }

    /// This node and all below it.
    var nodes: [Plan] { [self] + (children ?? []).flatMap(\.nodes) }

    /// The nodes that read tables.
    var scans: [Plan] { nodes.filter { $0.table != nil && $0.kind != "ModifyTable" } }

    /// The number of rows read from a table, including those filtered out.
    func rowsRead(of table: String) -> Int {
        Int(scans.filter { $0.table == table }.reduce(0) { $0 + ($1.rows + ($1.refused ?? 0)) * $1.loops })
    }

    /// Executes `call` and rolls it back.
    /// - Parameter isGeneric: whether to use the generic plan, as a statement has after some calls, or the custom one.
    static func of(_ call: Call, isGeneric: Bool, on connection: PostgresConnection) throws -> Plan {
        let mode = isGeneric ? "force_generic_plan" : "force_custom_plan"
        let types = call.parameters.map(\.type).joined(separator: ", ")
        let values = call.parameters.map(\.literal).joined(separator: ", ")
        let prepare = "PREPARE planned" + (types.isEmpty ? "" : "(\(types))") + " AS \(call.statement.sql)"
        let execute = "EXECUTE planned" + (values.isEmpty ? "" : "(\(values))")
        defer { _ = try? connection.run([Statement("DEALLOCATE ALL", isKept: false)()]) }
        let responses = try connection.run(
            [
                "BEGIN", "SET LOCAL plan_cache_mode = \(mode)", prepare,
                "EXPLAIN (ANALYZE, FORMAT JSON, TIMING OFF, SUMMARY OFF) \(execute)", "ROLLBACK",
            ].map { Statement($0, isKept: false)() })
        let text = try responses[3].first?.text(0) ?? ""
        guard let plan = try JSONDecoder().decode([Explained].self, from: Data(text.utf8)).first?.plan else {
            throw PostgresError(message: "no plan")
        }
        return plan
    }
}

extension Plan: CustomStringConvertible {
    var description: String {
        let below = (children ?? []).map(\.description).joined(separator: ", ")
        let object = [table, index].compactMap(\.self).joined(separator: " by ")
        return "\(kind) \(object) \(Int(rows))×\(Int(loops))" + (below.isEmpty ? "" : " [\(below)]")
    }
}

extension Parameter {
    fileprivate var type: String {
        switch self {
        case .text: "text"
        case .int: "bigint"
        case .bytes: "bytea"
        case .texts, .optionalTexts: "text[]"
        case .ints, .optionalInts: "bigint[]"
        case .byteStrings: "bytea[]"
        }
    }

    fileprivate var literal: String {
        switch self {
        case .text(let text): Self.quoted(text)
        case .int(let int): Self.number(int)
        case .bytes(let bytes): Self.quoted(bytes)
        case .texts(let texts): Self.array(texts.map { Self.quoted($0) })
        case .optionalTexts(let texts): Self.array(texts.map { Self.quoted($0) })
        case .ints(let ints): Self.array(ints.map { Self.number($0) })
        case .optionalInts(let ints): Self.array(ints.map { Self.number($0) })
        case .byteStrings(let values): Self.array(values.map { Self.quoted($0) })
        }
    }

    private static func quoted(_ text: String?) -> String {
        text.map { "'\($0.replacing("'", with: "''"))'" } ?? "NULL"
    }

    private static func quoted(_ bytes: [UInt8]) -> String {
        "'\\x" + bytes.map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }.joined() + "'"
    }

    private static func number(_ int: Int64?) -> String { int.map { "'\($0)'::bigint" } ?? "NULL" }

    private static func array(_ elements: [String]) -> String { "ARRAY[\(elements.joined(separator: ","))]" }
}
