import ParleyMetrics

/// The help line of each metric, and the buckets of histograms that the standard buckets do not fit.
///
/// docs/operations.md lists them by hop. A test compares a real scrape with this table and with that list.
enum MetricsCatalogue {
    static var settings: PrometheusRegistry.Settings {
        var settings = PrometheusRegistry.Settings()
        settings.help = help
        settings.buckets = HistogramBuckets(buckets)
        return settings
    }

    /// Buckets from 0.1 ms to 10 s, for operations of one or two network round trips.
    private static let roundTrips: [Double] = [
        0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10,
    ]

    private static let buckets: [String: [Double]] = [
        "parley_frame_read_seconds": HistogramBuckets.shortSeconds,
        "parley_session_seconds": HistogramBuckets.shortSeconds,
        "parley_bus_wait_seconds": HistogramBuckets.shortSeconds,
        "parley_fanout_seconds": HistogramBuckets.shortSeconds,
        "parley_flush_seconds": HistogramBuckets.shortSeconds,
        "parley_append_seconds": roundTrips,
        "parley_redis_command_seconds": roundTrips,
        "parley_postgres_call_seconds": roundTrips,
        "parley_postgres_pool_wait_seconds": roundTrips,
        "parley_persister_write_seconds": roundTrips,
        // Whole milliseconds.
        "parley_bus_receive_seconds": [0, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60],
        "parley_persist_seconds": [
            0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800,
        ],
        // Few buckets, since each route, method and status has its own series.
        "parley_http_request_duration_seconds": [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10],
    ]

    private static let help: [String: String] = [
        // Sockets
        "parley_connections": "TCP connections of the HTTP and WebSocket door.",
        "parley_sockets": "Open sockets, by door: websocket or line.",
        "parley_handshakes_total": "WebSocket handshakes, by the HTTP status they came to.",
        "parley_sockets_closed_total": "Sockets closed by the server, by close code.",
        "parley_socket_received_bytes_total": "Bytes read from sockets.",
        "parley_socket_sent_bytes_total": "Bytes written to sockets.",
        "parley_frames_dropped_total": "Frames of classic clients that were not carried out, by reason.",
        "parley_commands_refused_total": "Commands of v1 clients that were not carried out, by error code.",
        "parley_slow_sockets_total":
            "Sockets cut off because too many bytes waited for a client that reads too slowly.",
        "parley_behind_total": "Times that a v1 client that reads too slowly was told which events were left out.",
        "parley_limits_reached_total": "Times that a limit stopped or delayed somebody, by the name of the setting.",
        "parley_event_loops": "Event loops that sockets live on: as many cores can be busy with them.",
        // Path of a message
        "parley_messages_in_total": "Messages of sockets that the log has accepted.",
        "parley_messages_out_total": "Frames handed to sockets.",
        "parley_frame_read_seconds": "Hop read: from the bytes of a read until all that was in them is handled.",
        "parley_session_seconds": "Hop session: a step of a session's state machine. One in 16 is timed.",
        "parley_append_seconds":
            "Hop append: from sending a message off to the log until it is accepted; without Redis, until it is stored.",
        "parley_bus_receive_seconds":
            "Hop receive: from an event's acceptance until the fan-out takes it up, of the first event of each burst. "
            + "Whole milliseconds, and as true as the clocks of Redis and of this node agree.",
        "parley_bus_wait_seconds":
            "From the arrival of a burst of events in this process until the fan-out takes it up: how busy it is.",
        "parley_fanout_seconds":
            "Hop fan-out: handing a batch of events to all sockets of an event loop that want them. One in 16 is timed.",
        "parley_flush_seconds": "Hop flush: giving to the kernel what a batch has handed over. One in 16 is timed.",
        "parley_fanout_sockets": "Sockets that got an event, for each event and event loop.",
        // Order
        "parley_sequence_gaps_total": "Holes noticed in the order of a thread; they are filled from the log.",
        "parley_sequence_repairs_total": "Readings of a log that brought or freed events of a thread with a hole.",
        "parley_sequence_repeats_total": "Events that came once more, or late, and were not delivered again.",
        "parley_sequence_lost_total": "Events that neither the bus nor the log had; clients were told to reload.",
        // Bus
        "parley_bus_topics": "Topics that this node is subscribed to.",
        "parley_bus_received_total": "Events, notices and control events received.",
        "parley_bus_poison_total": "Payloads that nobody can read, or that are too large.",
        "parley_bus_foreign_total": "Events of other programs in threads' groups.",
        "parley_bus_foreign_dropped_total": "Events of other programs that are no message and are shown to nobody.",
        "parley_bus_resubscribed_total": "Times that a lost subscription was made again.",
        // Redis
        "parley_redis_up": "1 while the connection can be used, else 0; by host and link.",
        "parley_redis_connects_total": "Times that the connection was made; all but the first are reconnects.",
        "parley_redis_lost_total": "Connections that could be used and were lost.",
        "parley_redis_attempts_failed_total": "Attempts to connect that came to nothing.",
        "parley_redis_commands_total": "Commands sent.",
        "parley_redis_writes_total": "Writes that took the commands.",
        "parley_redis_refused_total": "Commands not sent: too many wait, or there is no connection.",
        "parley_redis_command_seconds": "From a write to the answer of the first command in it.",
        // Persister
        "parley_persist_seconds":
            "Hop persist: from an event's acceptance until it is stored. Whole milliseconds, by two clocks.",
        "parley_persister_write_seconds": "Hop commit: a transaction of the persister, failed ones too.",
        "parley_persister_batches_total": "Transactions committed.",
        "parley_persister_batch_events": "Events of a transaction.",
        "parley_persister_events_total":
            "Events by outcome: stored, repeated, marked (a read mark), rejected, dropped (of a deleted thread).",
        "parley_persister_retries_total": "Attempts that failed and are made again.",
        "parley_persister_lag_events": "At risk: events accepted and not stored, by partition.",
        "parley_persister_lag_seconds":
            "At risk: age of the oldest event that was read and is not stored, by partition.",
        "parley_persister_lag_bytes":
            "At risk: memory that the partition's stream takes in Redis; looked at every 5 s, 0 when it is empty.",
        "parley_persister_partitions": "Partitions that this process has.",
        "parley_persister_owned": "1 for a partition that this process has, else 0.",
        "parley_outbox_overdue":
            "Changes whose event is not told or not stored 1.5 s after they were made; 10,000 at most.",
        "parley_outbox_age_seconds": "For how long the oldest of them is known to wait.",
        "parley_outbox_unreadable": "Those that only a later version can read; each holds up its thread.",
        "parley_outbox_relayed_total": "Changes told or completed by a persister, since whoever made them did not.",
        "parley_read_marks_dropped_total": "Read marks dropped because too many waited or Redis was away.",
        // PostgreSQL
        "parley_postgres_up": "1 if the server answered when it was last asked, else 0.",
        "parley_postgres_connections": "Sessions with the server.",
        "parley_postgres_connects_total": "Attempts to connect, by outcome.",
        "parley_postgres_pool_wait_seconds": "How long a call waited for a connection.",
        "parley_postgres_pool_waiting": "Calls that wait for a connection.",
        "parley_postgres_pool_refused_total": "Calls that got no connection in time, or found too many waiting.",
        "parley_postgres_call_seconds": "How long a call had its connection, by kind.",
        // Django
        "parley_django_up": "1 if the Django site's database answered when it was last asked, else 0.",
        // REST
        "parley_http_request_duration_seconds":
            "From the head of a request to its answer, by route, method and status.",
        "parley_page_reads_total": "Pages of history: read from the store, or shared with a request under way.",
    ]
}
