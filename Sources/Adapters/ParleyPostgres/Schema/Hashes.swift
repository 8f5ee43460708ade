/// The expressions of the indexes by hash. An index serves only queries with exactly these.
enum Hashes {
    /// 64 bits, so that no two collide by chance.
    static func of(_ text: String) -> String { "hashtextextended(\(text), 0)" }

    /// Whether two pairs of texts are equal, as a condition that an index of both hashes serves.
    static func equal(_ row: (String, String), _ key: (String, String)) -> String {
        """
        \(of(row.0)) = \(of(key.0)) AND \(of(row.1)) = \(of(key.1)) AND \(row.0) = \(key.0) AND \(row.1) = \(key.1)
        """
    }
}
