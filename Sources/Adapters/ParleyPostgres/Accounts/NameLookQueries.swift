/// The statements about the looks of names.
package enum NameLookQueries {
    /// Serialises the creation of users with one of these looks (`$1`) who chose their names; taken in order to avoid
    /// deadlocks.
    static let lock = Statement(
        """
        SELECT pg_advisory_xact_lock(hashtext('parley looks ' || current_schema()), hash)
        FROM (SELECT DISTINCT hashtext(look) AS hash FROM unnest($1) AS look ORDER BY hash) AS hashes
        """)

    /// Whether a user has one of two looks. Names of ASCII characters are compared in lower case only: `$3` is that of such
    /// a name, otherwise `NULL`.
    package static let isTaken = Query(
        """
        SELECT EXISTS (
            SELECT 1 FROM users WHERE (look = $1 OR look = $2 OR second_look = $1 OR second_look = $2)
                AND ($3::text IS NULL OR octet_length(name) <> char_length(name) OR lower(name) = $3))
        """
    ) { try $0.bool(0) }
}
