/// Helpers for HTML text.
enum Markup {
    static func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            default: result.append(character)
            }
        }
        return result
    }

    /// A table of plain text cells.
    static func table(_ kind: String, head: [String] = [], rows: [[String]]) -> String {
        func row(_ cells: [String], _ tag: String) -> String {
            "<tr>" + cells.map { "<\(tag)>\(escaped($0))</\(tag)>" }.joined() + "</tr>"
        }
        let top = head.isEmpty ? "" : "<thead>\(row(head, "th"))</thead>"
        return "<table class=\"\(kind)\">\(top)<tbody>\(rows.map { row($0, "td") }.joined())</tbody></table>\n"
    }
}
