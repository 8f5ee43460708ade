package import ParleyModel

/// Statements for `ChangeFeed`.
package enum FeedQueries {
    /// Returns the current position in the feed: a snapshot, and a name for this run of the server with these tables.
    /// Transaction IDs are comparable within one such run.
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

    /// Returns the subjects changed by transactions that were not complete at a position (`$1`). A page begins after
    /// another subject (`$2`, `$3`) of the same answer. The result includes transactions that began before the position
    /// and committed after it, and contains each change once.
    ///
    /// Every transaction below the position's xmin was complete, so the index limits the search to changes since the
    /// start of the oldest transaction that was running at the position. IDs that this server has not reached yet come
    /// from the server that the tables were copied from.
    package static let changes = Query(
        """
        SELECT subject, changed::text FROM versions
        WHERE changed >= pg_snapshot_xmin($1::pg_snapshot) AND changed < pg_snapshot_xmax(pg_current_snapshot())
            AND (changed, subject) > ($2::xid8, $3) AND NOT pg_visible_in_snapshot(changed, $1::pg_snapshot)
        ORDER BY versions.changed, subject LIMIT $4
        """
    ) { row in (subject: try row.text(0), transaction: try row.text(1)) }

    /// Returns one row per membership, or a single row for a user without memberships. One statement reads all rows, so
    /// that they belong to one snapshot.
    package static let snapshots = Query(
        """
        SELECT users.id, users.name, coalesce(versions.version, 0), users.credentials_version, members.role,
            threads.id, threads.kind, coalesce(threads.title, peer.name, \(EntranceQueries.namesOfGroup), ''), threads.visibility, peer.id, peer.name,
            nullif(users.display_name, users.name), \(SanctionQueries.memberColumns), \(SuspensionQueries.columns)
        FROM users
        LEFT JOIN versions ON versions.subject = 'u:' || users.id
        LEFT JOIN members ON members.user_id = users.id
        \(SanctionQueries.joinMute)
        LEFT JOIN threads ON threads.id = members.thread_id
        LEFT JOIN users AS peer ON peer.id = CASE threads.first_user_id
            WHEN users.id THEN threads.second_user_id ELSE threads.first_user_id END
        WHERE users.id = ANY ($1) AND users.erased_ms IS NULL
        """
    ) { row in
        let user = try row.user(0)
        var snapshot = UserSnapshot(
            user: user, displayName: try row.optionalText(11), version: try row.int(2),
            credentialsVersion: try row.int(3), memberships: [], suspension: try row.optionalSuspension(18))
        if let role = try row.optionalRole(4) {
            snapshot.memberships = [
                Membership(
                    thread: try row.threadInfo(5), role: role, peer: try row.optionalUser(9), try row.limits(12))
            ]
        }
        return snapshot
    }

    /// Returns the options of the given rooms that have others than the standard ones.
    package static let options = Query("SELECT id, options FROM threads WHERE id = ANY ($1) AND options IS NOT NULL") {
        (room: try $0.thread(0), options: try $0.options(1))
    }
}
