import ParleyTestSupport

/// Rules about the files of messages.
extension ProgramTests.ClientLogicTests {
    static let files: [Fact] = [
        Fact(
            "names and types are those that the server takes",
            """
            [
                ['a/b\\\\c\\n.jpg', '', ' .. ', 'é'.repeat(300) + '.jpeg'].map(attachments.fileName)
                    .map((name) => name.length > 40 ? [new TextEncoder().encode(name).length, name.slice(-6)] : name),
                ['image/JPEG', 'text/plain', 'text/html; charset=utf-8', '', 'nonsense', 'audio/x-m4a'].map(attachments.fileType),
            ]
            """,
            [
                ["a_b_c_.jpg", "File", "..", [255, "é.jpeg"]],
                [
                    "image/jpeg", "application/octet-stream", "text/html", "application/octet-stream",
                    "application/octet-stream", "audio/x-m4a",
                ],
            ]),
        Fact(
            "what the server would refuse is refused before it is sent, as far as its limits are known",
            """
            (() => {
                const file = (size, type = 'image/png') => ({ name: 'a', type, size });
                const limits = { max_bytes: 2_000_000, types: ['image/*', 'application/pdf'] };
                return [
                    attachments.problemOf(file(2_000_000), limits), attachments.problemOf(file(2_000_001), limits),
                    attachments.problemOf(file(0), limits), attachments.problemOf(file(1, 'application/pdf'), limits),
                    attachments.problemOf(file(1, 'video/mp4'), limits), attachments.problemOf(file(1), null),
                    attachments.problemOf(file(9e9, 'x/y'), undefined), attachments.refusalOf(413, '', file(1), limits),
                ].map((problem) => problem?.split(/[:.]/)[0] ?? null);
            })()
            """,
            [
                .null, "“a” is too large", "“a” is empty", .null, "“a” is of a type that this server does not take",
                "This server takes no files", .null, "Your files fill the space that the server gives you",
            ]),
        Fact(
            "the place of a picture is known before it is loaded, within bounds",
            """
            [[2560, 1700], [100, 4000], [1, 1], [undefined, undefined], [200, 100]]
                .map(([width, height]) => attachments.shownSize({ width, height })).map(({ width, height }) => [width, height])
            """, [[320, 213], [48, 320], [48, 48], [288, 216], [200, 100]]),
        Fact(
            "moving pictures are told by their first bytes",
            """
            (() => {
                const bytes = (text) => Uint8Array.from(text, (each) => each.charCodeAt(0));
                const webp = (flags) => bytes(`RIFF....WEBPVP8X....${String.fromCharCode(flags)}...`);
                return [bytes('GIF89a'), webp(2), webp(16), bytes('\\u0089PNG....acTL'), bytes('\\u0089PNG....IDAT'), bytes('')].map(attachments.isAnimated);
            })()
            """, [true, true, false, true, false, false]),
        Fact(
            "pictures of users are those of this server, looked up a few at a time, and remembered",
            """
            await (async () => {
                const { Avatars, avatarPath } = await import(`${location.origin}/avatars.js`);
                let [now, running, most, asked, changes] = [0, 0, 0, 0, 0];
                const all = new Avatars(async (id) => {
                    [asked, running] = [asked + 1, running + 1];
                    most = Math.max(most, running);
                    await null;
                    running -= 1;
                    if (id === 'gone') throw new Error();
                    return { avatar_url: id === 'u0' ? '/v1/attachments/x' : 'https://other.example/x' };
                }, () => { changes += 1; }, () => now);
                const turns = async () => { for (let turn = 0; turn < 200; turn += 1) await null; };
                for (let number = 0; number < 20; number += 1) all.get(`u${number}`);
                all.get('gone');
                await turns();
                const first = [all.get('u0'), all.get('u1'), all.get('gone'), asked, most, changes];
                now = 60_000;
                ['u0', 'gone'].forEach((id) => all.get(id));
                await turns();
                return [...first, asked, avatarPath('/v1/attachments/../me')];
            })()
            """, ["/v1/attachments/x", .null, .null, 21, 4, 1, 22, .null]),
        Fact(
            "at most 100 look-ups of pictures wait or are made, and the newest remain",
            """
            await (async () => {
                const { Avatars } = await import(`${location.origin}/avatars.js`);
                let answer;
                const answers = new Promise((resolve) => { answer = resolve; });
                const asked = [];
                const all = new Avatars(async (id) => {
                    asked.push(id);
                    await answers;
                    return {};
                }, () => {});
                for (let number = 0; number < 150; number += 1) all.get(`u${number}`);
                answer();
                for (let turn = 0; turn < 1000; turn += 1) await null;
                return [asked.length, asked.slice(0, 6), asked.at(-1)];
            })()
            """, [100, ["u0", "u1", "u2", "u3", "u54", "u55"], "u149"]),
        Fact(
            "a picture of a user that cannot be loaded leaves the initials until the connection is back, but not those of another user",
            """
            await (async () => {
                const { avatar, retryAvatars, showAvatar } = await import(`${location.origin}/dom.js`);
                const node = avatar('a', 'Ann');
                document.body.append(node);
                const shown = () => node.querySelector('img')?.getAttribute('src') ?? node.textContent;
                const show = (id, name, url) => {
                    showAvatar(node, id, name, url);
                    return node.querySelector('img');
                };
                const fail = (image) => image.dispatchEvent(new Event('error'));
                fail(show('a', 'Ann', '/icon-192.png?a'));
                show('a', 'Ann', '/icon-192.png?a');
                const seen = [shown()];
                retryAvatars(document);
                const old = show('a', 'Ann', '/icon-192.png?a');
                seen.push(shown());
                show('b', 'Bob', '/icon-192.png?b');
                fail(old);
                seen.push(shown());
                node.remove();
                return seen;
            })()
            """, ["A", "/icon-192.png?a", "/icon-192.png?b"]),
        Fact(
            "sizes are short",
            "[1, 999, 1000, 48_211, 999_999, 1_250_000, 20_000_000, 5e9].map(format.sizeText)",
            ["1 byte", "999 bytes", "1 kB", "48 kB", "1 MB", "1.3 MB", "20 MB", "5 GB"]),
        Fact(
            "while files are uploaded, later messages of the thread wait, and nothing else does",
            """
            (() => {
                const file = { op: 'message', thread: 'a', files: [{ isComplete: true }, {}] };
                const all = (state) => [
                    { ...file, id: '1', state }, { id: '2', op: 'message', thread: 'a', state: 'waiting' },
                    { id: '3', op: 'read', thread: 'a', state: 'waiting' }, { id: '4', op: 'message', thread: 'b', state: 'waiting' },
                ];
                const complete = [{ ...file, id: '1', state: 'waiting', files: [{ isComplete: true }] }, ...all('').slice(1)];
                return [
                    due(all('waiting')), due(all('uploading')), due(all('failed')), due(complete),
                    outbox.interrupted(all('uploading'))[0].state, outbox.restored(all('uploading'))[0].state,
                    outbox.unsentCount(all('uploading')),
                ];
            })()
            """, ["1,3,4", "3,4", "2,4", "1,4", "uploading", "waiting", 3]),
        Fact(
            "files are sent as parts, in their order, after what else there is",
            """
            (() => {
                const all = outbox.withFile([{ op: 'message', id: 'c', thread: 'a', text: '', files: [{ attachment: 'x' }, {}] }], 'c', 1, { attachment: 'y' });
                return [outbox.commandOf(all[0]).message.parts, outbox.hasRoom([{}], [{ size: 5e8 }]), outbox.hasRoom([{ files: [{ size: 1 }] }], [{ size: 5e8 }])];
            })()
            """, [[["attachment": "x"], ["attachment": "y"]], true, false]),
    ]
}
