import ParleyModel

/// Writes `application/x-www-form-urlencoded`, also for queries.
enum FormBody {
    static func encode(_ parameters: [(name: String, value: String)]) -> String {
        parameters.map { "\(encode($0.name))=\(encode($0.value))" }.joined(separator: "&")
    }

    static func encode(_ text: String) -> String { PercentEncoding.encode(text.utf8) }
}
