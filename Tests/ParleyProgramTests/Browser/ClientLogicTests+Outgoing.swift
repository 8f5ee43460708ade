import ParleyTestSupport

/// Rules about what is on its way to the server. Each script makes what it needs of fakes.
extension ProgramTests.ClientLogicTests {
    static let outgoing: [Fact] = [
        Fact(
            "an upload that something else than the server answers fails, and can be tried again",
            """
            await (async () => {
                const { uploadPiece } = await import(`${location.origin}/api.js`);
                const original = globalThis.XMLHttpRequest;
                const upload = (responseText) => {
                    globalThis.XMLHttpRequest = class {
                        upload = {};
                        status = 200;
                        responseText = responseText;
                        open() {}
                        setRequestHeader() {}
                        getResponseHeader() { return '3'; }
                        send() { queueMicrotask(() => this.onload()); }
                    };
                    const silence = new Promise((resolve) => { setTimeout(resolve, 3000, 'never settled'); });
                    const options = { signal: new AbortController().signal, onProgress: () => {} };
                    return Promise.race([silence, uploadPiece('a', new Blob(['abc']), 0, options).catch(({ status }) => status)]);
                };
                const answers = [];
                for (const text of ['<html>Log in</html>', '', 'null', '{"complete":true}']) answers.push(await upload(text));
                globalThis.XMLHttpRequest = original;
                return answers;
            })()
            """, [0, 0, 0, ["offset": 3, "isComplete": true]]),
    ]
}
