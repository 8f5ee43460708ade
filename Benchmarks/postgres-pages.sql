-- Fills an empty Parley database with :messages messages, like one that has been in use for a long time.
--
-- One message in ten is in one thread ("big"); the others go round 9,000 rooms. All threads talk at the same time, as
-- they do in life, so that the messages of one lie scattered over the table. One user has 200 of the threads ("busy").

\set rooms 9000
\set users 2000

SET synchronous_commit = off;

INSERT INTO users (id, name, created_ms)
SELECT md5('u' || n), 'user ' || n, 0 FROM generate_series(0, :users - 1) AS n;

INSERT INTO threads (id, kind, title, visibility, created_ms)
SELECT CASE n WHEN 0 THEN 'big' ELSE md5('r' || n) END, 'room', 'room ' || n, 'public', 0 FROM generate_series(0, :rooms) AS n;

INSERT INTO messages (thread_id, seq, id, epoch, date_ms, n, sender_id, sender_name, client_id, text)
SELECT
    CASE WHEN big THEN 'big' ELSE md5('r' || room) END, seq, md5('m' || i), 'epoch1', 1600000000000 + i * 10::bigint, seq,
    md5('u' || sender), 'user ' || sender, md5('c' || i),
    left(repeat('It is raining in Wien, and the coffee is good. ', 4), 20 + (i * 7 % 160)::int)
FROM (
    SELECT i, i % 10 = 0 AS big, (i - i / 10 - 1) % :rooms + 1 AS room, i * 31 % :users AS sender,
        CASE WHEN i % 10 = 0 THEN i / 10 ELSE (i - i / 10 - 1) / :rooms + 1 END AS seq
    FROM generate_series(1, :messages::bigint) AS i) AS plan;

UPDATE threads SET epoch = 'epoch1', head_seq = head.seq, head_n = head.seq, head_ms = head.date_ms, last_message_seq = head.seq
FROM (SELECT DISTINCT ON (thread_id) thread_id, seq, date_ms FROM messages ORDER BY thread_id, seq DESC) AS head
WHERE head.thread_id = threads.id;

INSERT INTO members (thread_id, user_id, role, read_seq, read_n, joined_ms)
SELECT threads.id, users.id, 'member', threads.head_seq * (users.n % 10) / 10, threads.head_seq * (users.n % 10) / 10, 0
FROM (SELECT id, head_seq, row_number() OVER (ORDER BY id) AS n FROM threads) AS threads
JOIN (SELECT id, row_number() OVER (ORDER BY id) AS n FROM users) AS users ON users.n % 200 = threads.n % 200;

-- A cursor without a number was set ahead of what was stored; its number is looked up.
INSERT INTO users (id, name, created_ms) VALUES ('busy', 'busy', 0);
INSERT INTO members (thread_id, user_id, role, read_seq, read_n, joined_ms)
SELECT id, 'busy', 'member', head_seq / 2, CASE WHEN n % 10 > 0 THEN head_seq / 2 END, 0
FROM (SELECT id, head_seq, row_number() OVER (ORDER BY id DESC) AS n FROM threads) AS threads WHERE n <= 200;

VACUUM ANALYZE;
