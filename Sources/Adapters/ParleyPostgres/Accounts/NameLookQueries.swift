/// Statements for the looks of names.
package enum NameLookQueries {
    /// Serialises the creation of users who chose a name with one of these looks (`$1`). The locks are taken in order
    /// to avoid deadlocks.
    static let lock = Statement(
        """
        SELECT pg_advisory_xact_lock(hashtext('parley looks ' || current_schema()), hash)
        FROM (SELECT DISTINCT hashtext(look) AS hash FROM unnest($1) AS look ORDER BY hash) AS hashes
        """)

    /// Whether a user has one of two looks. Names in ASCII are only compared in lower case: `$3` is the lower-case name
    /// for these, and `NULL` for others.
    package static let isTaken = Query(
        """
        SELECT EXISTS (
            SELECT 1 FROM users WHERE (look = $1 OR look = $2 OR second_look = $1 OR second_look = $2)
                AND ($3::text IS NULL OR octet_length(name) <> char_length(name) OR lower(name) = $3))
        """
    ) { try $0.bool(0) }
}
