import ParleyMetrics

/// The help line of each metric, and the buckets of histograms that the standard buckets do not fit.
///
/// docs/operations/monitoring.md lists them by hop. A test compares a real scrape with this table and with that list.
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
        "parley_connections": "Open TCP connections of the HTTP and WebSocket listener.",
        "parley_sockets": "Open sockets, by listener: websocket or line.",
        "parley_handshakes_total": "WebSocket handshakes, by HTTP status.",
        "parley_sockets_closed_total": "Sockets closed by the server, by close code.",
        "parley_socket_received_bytes_total": "Bytes read from sockets.",
        "parley_socket_sent_bytes_total": "Bytes written to sockets.",
        "parley_frames_dropped_total": "Frames of classic clients that were dropped, by reason.",
        "parley_commands_refused_total": "Commands of v1 clients that were refused, by error code.",
        "parley_slow_sockets_total": "Sockets closed because their client reads too slowly.",
        "parley_behind_total": "`behind` events sent to v1 clients that read too slowly.",
        "parley_limits_reached_total": "Requests and sends stopped or delayed by a limit, by setting.",
        "parley_event_loops": "Event loops that serve sockets: the number of cores they can use.",
        // Path of a message
        "parley_messages_in_total": "Messages from sockets that the log accepted.",
        "parley_messages_out_total": "Frames written to sockets.",
        "parley_frame_read_seconds": "Hop read: from reading bytes until all frames in them are processed.",
        "parley_session_seconds": "Hop session: one step of a session's state machine. One in 16 is timed.",
        "parley_append_seconds":
            "Hop append: from sending a message to the log until it is accepted; without Redis, until it is stored.",
        "parley_bus_receive_seconds":
            "Hop receive: from an event's acceptance until the fan-out processes it, for the first event of each burst. "
            + "Whole milliseconds; includes the difference between the clocks of Redis and this node.",
        "parley_bus_wait_seconds":
            "Time from the arrival of a burst of events in this process until the fan-out processes it.",
        "parley_fanout_seconds":
            "Hop fan-out: delivering a batch of events to the interested sockets of an event loop. One in 16 is timed.",
        "parley_flush_seconds": "Hop flush: writing a batch to the kernel. One in 16 is timed.",
        "parley_fanout_sockets": "Sockets that received an event, per event and event loop.",
        // Order
        "parley_sequence_gaps_total": "Gaps detected in the sequence of a thread; they are filled from the log.",
        "parley_sequence_repairs_total": "Log reads that filled a gap or released events behind one.",
        "parley_sequence_repeats_total": "Events received again or late, and not delivered again.",
        "parley_sequence_lost_total": "Events missing from both bus and log; clients were told to reload.",
        // Bus
        "parley_bus_topics": "Topics that this node subscribes to.",
        "parley_bus_received_total": "Log events, ephemeral events and control events received.",
        "parley_bus_poison_total": "Payloads that cannot be decoded or are too large.",
        "parley_bus_foreign_total": "Events that other programs sent to threads' groups.",
        "parley_bus_foreign_dropped_total": "Events of other programs that are not messages and were dropped.",
        "parley_bus_resubscribed_total": "Subscriptions restored after a loss.",
        // Django's core layer
        "parley_channels_received_total": "Events taken from this node's queues in Django's core layer.",
        "parley_channels_sent_total": "Messages put into queues of Django's consumers, counted for each queue.",
        "parley_channels_over_capacity_total": "Messages left out since a queue of Django's consumers was full.",
        "parley_channels_missed_total": "Messages that Django's core layer did not get in time.",
        "parley_channels_unwanted_total": "Events in this node's queues for threads that it has left.",
        "parley_channels_adopted_total": "Events of Django taken into the log, by outcome: accepted or repeated.",
        "parley_channels_not_adopted_total": "Events of adopted types that were not taken into the log, by reason.",
        // Redis
        "parley_redis_up": "1 while the connection is usable, else 0; by host and link.",
        "parley_redis_connects_total": "Connections established; all but the first are reconnects.",
        "parley_redis_lost_total": "Usable connections that were lost.",
        "parley_redis_attempts_failed_total": "Failed attempts to connect.",
        "parley_redis_commands_total": "Commands sent.",
        "parley_redis_writes_total": "Writes that carried the commands.",
        "parley_redis_refused_total": "Commands not sent: the queue is full, or there is no connection.",
        "parley_redis_command_seconds": "Time from a write to the reply to its first command.",
        // Persister
        "parley_persist_seconds":
            "Hop persist: from an event's acceptance until it is stored. Whole milliseconds, by two clocks.",
        "parley_persister_write_seconds": "Hop commit: duration of a persister's transaction, including failed ones.",
        "parley_persister_batches_total": "Transactions committed.",
        "parley_persister_batch_events": "Events per transaction.",
        "parley_persister_events_total":
            "Events by outcome: stored, repeated, marked (a read mark), rejected, dropped (of a deleted thread).",
        "parley_persister_retries_total": "Failed attempts that are retried.",
        "parley_persister_lag_events": "At risk: events accepted and not yet stored, by partition.",
        "parley_persister_lag_seconds": "At risk: age of the oldest event read and not yet stored, by partition.",
        "parley_persister_lag_bytes":
            "At risk: memory of the partition's stream in Redis; sampled every 5 s, 0 when empty.",
        "parley_persister_partitions": "Partitions owned by this process.",
        "parley_persister_owned": "1 for a partition owned by this process, else 0.",
        "parley_outbox_overdue": "Changes whose event is not relayed or not stored after 1.5 s; 10,000 at most.",
        "parley_outbox_age_seconds": "Known waiting time of the oldest overdue change.",
        "parley_outbox_unreadable": "Overdue changes that only a later version can read; each blocks its thread.",
        "parley_outbox_relayed_total":
            "Changes relayed or completed by a persister instead of the process that made them.",
        "parley_read_marks_dropped_total": "Read marks dropped because the queue was full or Redis was unavailable.",
        // PostgreSQL
        "parley_postgres_up": "1 if the server replied to the last request, else 0.",
        "parley_postgres_connections": "Open connections to the server.",
        "parley_postgres_connects_total": "Attempts to connect, by outcome.",
        "parley_postgres_pool_wait_seconds": "Time that a call waited for a connection.",
        "parley_postgres_pool_waiting": "Calls waiting for a connection.",
        "parley_postgres_pool_refused_total": "Calls that got no connection in time, or found the queue full.",
        "parley_postgres_call_seconds": "Time that a call held its connection, by kind.",
        // SQLite
        "parley_sqlite_writable": "1 if the database file can be written, else 0: the disk is full or broken.",
        // Clocks
        "parley_clock_ahead_seconds":
            "How far this machine's clock is ahead of a server's, by peer; negative if it is behind.",
        // Django
        "parley_django_up": "1 if the Django site's database replied to the last request, else 0.",
        // REST
        "parley_http_request_duration_seconds":
            "Time from the head of a request to its response, by route, method and status.",
        "parley_events_followers": "Readers of the stream of events on this node.",
        "parley_events_lag_seconds":
            "Age of the last event that the slowest reader was sent while later ones wait; 0: none wait.",
        "parley_event_group_lag_seconds": "Age of the oldest events that a group of readers has not acknowledged.",
        "parley_pushes_total": "Pushes to devices, by kind of the device and outcome.",
        "parley_webhook_lag_seconds": "Age of the oldest events that an endpoint of this process has not finished.",
        "parley_webhook_waiting_threads": "Threads that wait after a refusal, at all endpoints of this process.",
        "parley_webhook_requests_total": "Requests of webhooks, by outcome.",
        "parley_webhook_events_total": "Events that endpoints have accepted.",
        "parley_webhook_dead_letters_total": "Events that were given up.",
        "parley_events_sent_total": "Events that readers of the stream were sent.",
        "parley_page_reads_total":
            "History pages, by source: read from the store, or shared with a concurrent request.",
    ]
}
