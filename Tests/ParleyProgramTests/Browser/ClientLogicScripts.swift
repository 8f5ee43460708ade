/// What the tests of the web client's rules run in the browser.
extension ProgramTests.ClientLogicTests {
    /// The modules, and short names for values.
    static let preamble = """
        const names = ['policy', 'uuid', 'outbox', 'roster', 'timeline', 'format', 'rows', 'windowing', 'markdown', 'titles', 'visible', 'mention', 'attachments'];
        const [policy, uuid, outbox, roster, timeline, format, rows, windowing, markdown, titles, visible, mention, attachments] =
            await Promise.all(names.map((name) => import(`${location.origin}/${name}.js`)));
        const message = (seq, thread = 'a', sender = 'x', text = 'hi') =>
            ({ type: 'message', id: `m${seq}`, seq, thread_id: thread, sender_id: sender, text, epoch: 'e1', date_ms: seq * 1000 });
        const at = (seq, sender, seconds) => ({ ...message(seq, 'a', sender), date_ms: 1.7e12 + seconds * 1000 });
        const page = (seqs, { hasBefore = false, hasAfter = false } = {}) => ({
            epoch: 'e1', events: seqs.map((seq) => message(seq)), has_more_before: hasBefore, has_more_after: hasAfter, head_seq: seqs.at(-1) ?? 0,
        });
        const seqs = ({ rows }) => rows.map((each) => each.seq);
        const loaded = timeline.fromPage(page([10, 11], { hasBefore: true }));
        const change = (type, fields) => ({ type, thread_id: 'a', epoch: 'e1', message_seq: 11, date_ms: 1, ...fields });
        const entries = ['1', '2', '3'].map((id) => ({ id, op: 'message', thread: id === '3' ? 'b' : 'a', state: 'waiting' }));
        const due = (all) => outbox.due(all, 10).map((each) => each.id).join();
        const live = (seq, sender = 'x') => message(seq, 'a', sender);
        const read = (seq) => ({ type: 'read', thread_id: 'a', user_id: 'me', read_seq: seq, date: 0 });
        const rosterAfter = (frames) => {
            const all = new roster.Roster('me');
            all.apply({ type: 'hello', threads: [{ id: 'a', title: 'A', kind: 'room', epoch: 'e1', seq: 4, unread: 2, read_seq: 2 }] });
            frames.forEach((frame) => all.apply(frame));
            return all;
        };
        const after = (frames) => rosterAfter(frames).get('a');

        """

    /// A server with a log in which numbers are missing in history, and a client that misses events at any moment and
    /// loads pages, older and newer ones, that are short and late. At the end it must have everything from its first
    /// row on, and the edits of it. Answers with what went wrong, or `null`.
    static let simulation = """
        const random = (count) => {
            seed = (seed * 48271) % 2147483647;
            return seed % count;
        };
        const LENGTH = 3;
        for (let run = 0; run < 500; run += 1) {
            const log = [];
            const texts = new Map();
            const emptied = new Set();
            let mine = timeline.EMPTY;
            let isOpen = false;
            let asked = null;
            const write = () => {
                const seq = log.length + 1;
                const known = [...texts.keys()];
                const isEdit = known.length > 0 && random(3) === 0;
                const target = isEdit ? known[random(known.length)] : seq;
                texts.set(target, `text ${seq}`);
                const event = isEdit
                    ? { type: 'edited', thread_id: 'a', epoch: 'e1', seq, message_seq: target, text: `text ${seq}`, date_ms: seq }
                    : message(seq, 'a', 'x', `text ${seq}`);
                log.push(event);
                if (isOpen) mine = timeline.withEvent(mine, event);
            };
            // As history does: messages in their current state, and some numbers are empty.
            const history = ({ before = Infinity, after }) => {
                const all = log.filter(({ seq }) => seq < before && seq > (after ?? 0) && !emptied.has(seq));
                const part = after === undefined ? all.slice(-LENGTH) : all.slice(0, LENGTH);
                return {
                    epoch: 'e1', head_seq: log.length, has_more_before: part.length > 0 && part[0].seq > 1,
                    has_more_after: part.length > 0 && part.at(-1).seq < log.length,
                    events: part.map((event) => ({ ...event, text: texts.get(event.message_seq ?? event.seq) })),
                };
            };
            const ask = (isOlder) => {
                const bounds = !mine.isLoaded ? {} : isOlder ? { before: mine.from } : { after: mine.to };
                asked = { bounds, page: history(bounds) };
            };
            const take = () => {
                const { bounds, page: answer } = asked;
                asked = null;
                if (bounds.before !== undefined) mine = timeline.withOlder(mine, answer, bounds);
                else if (bounds.after !== undefined) mine = timeline.withNewer(mine, answer, bounds);
                else if (!mine.isLoaded) mine = timeline.fromPage(answer);
            };
            const steps = [
                write, write, () => { isOpen = true; }, () => { isOpen = false; }, () => { if (!asked) ask(random(2) === 0); },
                () => { if (asked) take(); },
                () => { const last = log.at(-1); if (last?.type === 'message' && random(4) === 0 && !isOpen) { emptied.add(last.seq); texts.delete(last.seq); } },
            ];
            for (let step = 0; step < 60; step += 1) steps[random(steps.length)]();
            if (asked) take();
            for (let rounds = 0; (!mine.isLoaded || mine.to < log.length) && rounds < 200; rounds += 1) { ask(false); take(); }
            isOpen = true;
            write();
            const expected = log.filter(({ type, seq }) => type === 'message' && seq >= mine.from && texts.has(seq)).map(({ seq }) => [seq, texts.get(seq)]);
            const has = mine.rows.filter(({ seq }) => texts.has(seq)).map(({ seq, text }) => [seq, text]);
            if (JSON.stringify(has) !== JSON.stringify(expected)) return { run, has, expected };
        }
        return null;
        """
}
