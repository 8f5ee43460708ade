/// Converts Swift strings to the NULL-terminated arrays of C strings that libpq expects.
enum CStrings {
    /// Calls `body` with the array, which is valid only during the call.
    static func with<Value>(_ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Value) -> Value {
        let copies = strings.map { $0.utf8CString }
        let starts = copies.indices.reduce(into: [0]) { $0.append($0[$1] + copies[$1].count) }
        return Array(copies.joined()).withUnsafeBufferPointer { characters in
            var pointers = starts.dropLast().map { offset in characters.baseAddress.map { $0 + offset } }
            pointers.append(nil)
            return pointers.withUnsafeBufferPointer { pointers in
                // The buffer is never empty, since the array always ends with NULL.
                pointers.baseAddress.map(body)
            } ?? body([nil])
        }
    }
}
