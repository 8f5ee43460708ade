import ParleyJSON
import ParleyModel

/// The response of `GET /v1/admin/messages/{id}/trace` as a table.
struct TraceTable: Sendable {
    struct Step: Sendable {
        let hop: String
        let node: String
        let at: Int64
        let sinceFirst: Int64
        let after: String?
        let took: Int64?
        let sockets: Int64?
    }

    let message: String
    let steps: [Step]

    /// `nil` if the body is not such a response.
    init?(_ body: JSONTree) {
        guard let message = body["message_id"]?.text, let steps = body["steps"]?.elements else { return nil }
        self.message = message
        self.steps = steps.compactMap { step in
            guard let hop = step["hop"]?.text, let node = step["node"]?.text, let at = step["at_us"]?.integer,
                let sinceFirst = step["since_first_us"]?.integer
            else { return nil }
            return Step(
                hop: hop, node: node, at: at, sinceFirst: sinceFirst, after: step["after"]?.text,
                took: step["took_us"]?.integer, sockets: step["sockets"]?.integer)
        }
        guard !self.steps.isEmpty else { return nil }
    }

    var isStored: Bool { steps.contains { $0.hop == TraceStamp.Hop.committed.rawValue } }

    var text: String {
        let rows = [["HOP", "NODE", "AT", "SINCE FIRST", "TOOK", "AFTER", "SOCKETS"]] + steps.map(Self.row)
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        let lines = rows.map { row in
            let cells = row.indices.map { column in
                let gap = String(repeating: " ", count: widths[column] - row[column].count)
                // Numbers are aligned to the right.
                return [3, 4, 6].contains(column) ? gap + row[column] : row[column] + gap
            }
            let line = cells.joined(separator: "  ")
            return String(line.prefix(line.count - line.reversed().prefix { $0 == " " }.count))
        }
        return (["message \(message)", ""] + lines).joined(separator: "\n")
    }

    private static func row(_ step: Step) -> [String] {
        [
            step.hop, step.node, time(step.at), milliseconds(step.sinceFirst),
            step.took.map(milliseconds) ?? "", step.after ?? "", step.sockets.map { "\($0)" } ?? "",
        ]
    }

    /// RFC 3339 with microseconds.
    private static func time(_ microseconds: Int64) -> String {
        let text = CivilTime.rfc3339(milliseconds: microseconds / 1000)
        return "\(text.dropLast()).\(padded(microseconds % 1_000_000, to: 6))Z"
    }

    private static func milliseconds(_ microseconds: Int64) -> String {
        let (sign, size) = (microseconds < 0 ? "-" : "", microseconds.magnitude)
        return "\(sign)\(size / 1000).\(padded(Int64(size % 1000), to: 3)) ms"
    }

    private static func padded(_ number: Int64, to digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
