import ParleyTestSupport
import Testing

/// The test harness itself: a tool that cannot fail proves nothing.
@Suite struct HarnessTests {
    @Test(
        "a child process reports how it ended",
        arguments: [("exit 0", ProcessEnd.exited(0)), ("exit 7", .exited(7)), ("kill -9 $$", .killed(9))])
    func exitStatus(script: String, expected: ProcessEnd) async throws {
        let directory = try TemporaryDirectory()
        let child = try await ChildProcess.start(
            "sh", ["-c", script], environment: ["PATH": "/usr/bin:/bin"], in: directory.path,
            output: directory.path + "/output")
        #expect(try await child.exit(within: .patience) == expected)
        #expect(child.pid == nil)
        #expect(try await child.exit(within: .patience) == expected)
    }

    @Test("a child process is killed when nobody holds it any more, and signals reach it")
    func killedOnDeinit() async throws {
        let directory = try TemporaryDirectory()
        func pidOfForgottenChild() async throws -> Int32? {
            try await ChildProcess.start(
                "sleep", ["60"], environment: ["PATH": "/usr/bin:/bin"], in: directory.path,
                output: directory.path + "/output"
            ).pid
        }
        let pid = try #require(try await pidOfForgottenChild())
        let isGone = try await eventually { ChildProcess.isGone(pid) }
        #expect(isGone)

        let child = try await ChildProcess.start(
            "sleep", ["60"], environment: ["PATH": "/usr/bin:/bin"], in: directory.path,
            output: directory.path + "/output")
        child.signal(15)
        #expect(try await child.exit(within: .patience) == .killed(15))
    }

    @Test("waiting for an element ends at its bound")
    func mailboxTimesOut() async throws {
        let mailbox = Mailbox<Int>(of: "number")
        await #expect(throws: TimedOut.self) { try await mailbox.take(within: .milliseconds(10)) }
        async let taken = mailbox.take(within: .patience)
        mailbox.put(7)
        #expect(try await taken == 7)
        mailbox.put(8)
        mailbox.finish()
        mailbox.put(9)
        #expect(try await mailbox.take(within: .patience) == 8)
        #expect(try await mailbox.take(within: .patience) == nil)
    }

    @Test("waiting for an element ends with its task")
    func mailboxIsCancelled() async throws {
        let mailbox = Mailbox<Int>(of: "number")
        let task = Task { try await mailbox.take(within: .seconds(60)) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test(
        "frames of every length class are read back, whole and byte by byte",
        arguments: [0, 1, 125, 126, 65_535, 65_536, 70_000])
    func frames(length: Int) throws {
        let frame = SocketFrame(.text, (0..<length).map { UInt8($0 & 0x7F) })
        let bytes = frame.bytes(mask: nil)
        var whole = SocketFrameParser()
        whole.feed(bytes + bytes)
        #expect(try whole.next() == frame)
        #expect(try whole.next() == frame)
        #expect(try whole.next() == nil)
        var dripped = SocketFrameParser()
        for byte in bytes.dropLast() {
            dripped.feed(CollectionOfOne(byte))
            if length < 1_000 { #expect(try dripped.next() == nil) }
        }
        dripped.feed(bytes.suffix(1))
        #expect(try dripped.next() == frame)
    }

    @Test(
        "what a server must not send is noticed",
        arguments: [
            [0x81, 0x80, 0, 0, 0, 0], [0xA1, 0], [0x83, 0], [0x89, 0x7E, 0, 126], [0x09, 0], [0x81, 0x7E, 0, 5],
        ] as [[UInt8]])
    func violations(bytes: [UInt8]) {
        var parser = SocketFrameParser()
        parser.feed(bytes)
        #expect(throws: SocketFrameParser.Violation.self) { try parser.next() }
    }

    @Test("responses are read by length, by chunks and to the end, in any portions")
    func responses() throws {
        let responses: [(String, Bool)] = [
            ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", false),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\n\r\n", false),
            ("HTTP/1.1 200 OK\r\nX: a\r\n\r\nhello", true),
        ]
        for (text, needsClose) in responses {
            let bytes = Array(text.utf8)
            for size in [1, 2, 7, bytes.count] {
                var parser = HTTPReplyParser()
                var step = HTTPReplyParser.Step.more
                for start in stride(from: 0, to: bytes.count, by: size) {
                    step = try parser.feed(Array(bytes[start..<min(start + size, bytes.count)]))
                }
                if needsClose { step = try parser.finish() }
                guard case .complete(let reply, let rest) = step else {
                    Issue.record("not complete: \(text) in portions of \(size)")
                    continue
                }
                #expect(reply.text == "hello")
                #expect(rest.isEmpty)
            }
        }
    }

    @Test("what was compressed expands to the same, and not beyond a limit")
    func deflate() throws {
        let bytes = Array(String(repeating: "over and over ", count: 20_000).utf8)
        let dense = try Deflate.compress(bytes)
        #expect(dense.count < bytes.count / 10)
        #expect(try Deflate.expand(dense) == bytes)
        #expect(throws: Deflate.Failure.self) { try Deflate.expand(dense, limit: 1_000) }
    }
}
