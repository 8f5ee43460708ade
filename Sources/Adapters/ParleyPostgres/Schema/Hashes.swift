/// The expressions of the indexes by hash. Such an index only serves queries with exactly the same expression.
enum Hashes {
    /// 64 bits make an accidental collision practically impossible.
    static func of(_ text: String) -> String { "hashtextextended(\(text), 0)" }

    /// A condition that two pairs of texts are equal, which an index of both hashes serves.
    static func equal(_ row: (String, String), _ key: (String, String)) -> String {
        """
        \(of(row.0)) = \(of(key.0)) AND \(of(row.1)) = \(of(key.1)) AND \(row.0) = \(key.0) AND \(row.1) = \(key.1)
        """
    }
}
