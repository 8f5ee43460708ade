import ParleyJSON

extension MessagePart {
    /// Reads stored parts written by `json(_:)`.
    /// - Throws: `StoreError.failed` if this version cannot read them.
    package static func stored(_ json: String) throws(StoreError) -> [MessagePart] {
        guard let elements = (try? JSONTree(parsing: json))?.elements else { throw .failed("parts are no JSON array") }
        var parts: [MessagePart] = []
        for element in elements {
            guard let part = MessagePart(element) else { throw .failed("a part is of an unknown kind") }
            parts.append(part)
        }
        return parts
    }
}
