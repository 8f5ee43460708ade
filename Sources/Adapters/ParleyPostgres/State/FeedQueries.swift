package import ParleyModel

/// The statements of `ChangeFeed`.
package enum FeedQueries {
    /// The current place of the feed: a snapshot, and a name for this run of this server with these tables, within
    /// which transaction ids are comparable.
    package static let place = Query(
        """
        SELECT pg_current_snapshot()::text, pg_snapshot_xmax(pg_current_snapshot())::text,
            extract(epoch FROM pg_postmaster_start_time())::text || '.'
            || (SELECT oid FROM pg_database WHERE datname = current_database())::text
            || '.' || 'versions'::regclass::oid::text
        """
    ) { row in
        (snapshot: try row.text(0), end: UInt64(try row.text(1)) ?? 0, server: try row.text(2))
    }

    /// The subjects changed by transactions that were not complete at a place (`$1`), beginning after another subject
    /// (`$2`, `$3`) of the same answer. Finds transactions that began before the place and committed after it, and each
    /// change once.
    ///
    /// Every transaction below the place's xmin was complete, so the index limits the search to what has happened since
    /// the oldest transaction running at the place began. Ids that this server has not reached yet come from the server
    /// that the tables were copied from.
    package static let changes = Query(
        """
        SELECT subject, changed::text FROM versions
        WHERE changed >= pg_snapshot_xmin($1::pg_snapshot) AND changed < pg_snapshot_xmax(pg_current_snapshot())
            AND (changed, subject) > ($2::xid8, $3) AND NOT pg_visible_in_snapshot(changed, $1::pg_snapshot)
        ORDER BY versions.changed, subject LIMIT $4
        """
    ) { row in (subject: try row.text(0), transaction: try row.text(1)) }

    /// One row per membership, or one without; in one statement, so that all rows are of one snapshot.
    package static let snapshots = Query(
        """
        SELECT users.id, users.name, coalesce(versions.version, 0), users.credentials_version, members.role,
            threads.id, threads.kind, coalesce(threads.title, peer.name, ''), threads.visibility, peer.id, peer.name
        FROM users
        LEFT JOIN versions ON versions.subject = 'u:' || users.id
        LEFT JOIN members ON members.user_id = users.id
        LEFT JOIN threads ON threads.id = members.thread_id
        LEFT JOIN users AS peer ON peer.id = CASE threads.first_user_id
            WHEN users.id THEN threads.second_user_id ELSE threads.first_user_id END
        WHERE users.id = ANY ($1) AND users.erased_ms IS NULL
        """
    ) { row in
        let user = try row.user(0)
        var snapshot = UserSnapshot(
            user: user, version: try row.int(2), credentialsVersion: try row.int(3), memberships: [])
        if let role = try row.optionalRole(4) {
            snapshot.memberships = [
                Membership(thread: try row.threadInfo(5), role: role, peer: try row.optionalUser(9))
            ]
        }
        return snapshot
    }
}
