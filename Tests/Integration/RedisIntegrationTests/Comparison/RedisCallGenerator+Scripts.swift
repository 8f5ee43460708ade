import ParleyChannels
import ParleyModel
import ParleyRedis
import ParleyRedisClient
import ParleyTestSupport

/// Calls of scripts with arguments of the kind that Parley sends.
extension RedisCallGenerator {
    private static let epochs = ["epochaaa", "epochbbb", "epochccc"]
    private static let marks = ["a1111111", "r1111111", "a2222222"]

    /// `EVALSHA` of a script.
    private func run(_ script: RedisScript, _ keys: [String], _ arguments: [[UInt8]]) -> Command {
        command("EVALSHA", script.sha, "\(keys.count)") + keys.map { Array($0.utf8) } + arguments
    }

    private func run(_ script: RedisScript, _ keys: [String], _ arguments: [String]) -> Command {
        run(script, keys, arguments.map { Array($0.utf8) })
    }

    mutating func script() -> Command {
        switch draw(0...19) {
        case 0...7: append()
        case 8...9: readingScript()
        case 10...11: ingestScript()
        case 12...13: checkingScript()
        case 14: nameScript()
        case 15: rateScript()
        case 16: presenceScript()
        case 17: nodeScript()
        default: queueScript()
        }
    }

    // MARK: Log

    private mutating func mark() -> String { chance(85) ? Self.marks[0] : draw(Self.marks) }

    /// The epoch and the seq of a thread, or others.
    private mutating func position(of thread: ThreadID) -> (epoch: String, seq: Int64) {
        guard chance(90), let head = peek(names.head(of: thread)).flatMap({ PackedHead($0) }) else {
            return (draw(Self.epochs), draw(0...40))
        }
        return (head.epoch.text, head.seq + (chance(10) ? draw(-3...3) : 0))
    }

    private mutating func append() -> Command {
        let thread = thread()
        let its = names.namesOfAppend(to: thread)
        let isMessage = chance(80)
        let script = draw(
            isMessage
                ? [
                    scripts.message, scripts.message, scripts.awaitedMessage, scripts.guardedMessage,
                    scripts.guardedAwaitedMessage,
                ] : [scripts.otherEvent, scripts.deletion])
        let hasOnce = chance(50)
        var keys = [its.head, its.log, its.ingest]
        if hasOnce { keys.append(names.once(UserID(trusted: name()), "id\(draw(1...4))")) }
        let (epoch, seq) = position(of: thread)
        let (knowsEpoch, seeds) = (chance(60), chance(40))
        let mark = mark()
        let digest = String(repeating: draw(["0", "1"]), count: 32) + String(repeating: draw(["8", "9"]), count: 32)
        var arguments = [
            Array((isMessage ? its.messages : names.events(of: thread)).utf8),
            Array((knowsEpoch ? epoch + mark : mark).utf8), Array("\(max(0, seq))".utf8), payload(),
            Array((hasOnce || script.sha == scripts.guardedMessage.sha ? digest : "").utf8),
        ]
        if hasOnce || !knowsEpoch || seeds {
            let made = draw([0, -1, now, now - 1000, now + 5000, -now - 60_000, now - 13 * 3_600_000, -now + 5])
            arguments.append(Array("\(made)".utf8))
        }
        if !knowsEpoch || seeds { arguments.append(Array((chance(70) ? epoch : "").utf8)) }
        if seeds {
            let date = now - draw(-500...90_000)
            for text in [draw(Self.epochs), "\(draw(0...50))", "\(draw(0...9))", "\(date)", "\(draw(0...600_000))"] {
                arguments.append(Array(text.utf8))
            }
        }
        return run(script, keys, arguments)
    }

    private mutating func readingScript() -> Command {
        let thread = thread()
        let (head, log, was) = (names.head(of: thread), names.log(of: thread), names.formerEpochs(of: thread))
        switch draw(0...5) {
        case 0...1: return run(RedisScripts.read, [head, log, was], ["\(draw(0...40))", "\(draw(0...30))"])
        case 2: return run(RedisScripts.window, [log], [draw(["-", "\(draw(0...40))-0"])])
        case 3:
            let (seq, text) = (draw(1...30), payload())
            return run(RedisScripts.redact, [log], [Array("\(seq)-0".utf8), sha(of: text), payload()])
        case 4:
            return run(RedisScripts.forget, [head, log, was], [names.goneEpoch, "\(draw(1...5000))"])
        default:
            let (epoch, seq) = position(of: thread)
            return run(
                RedisScripts.seed, [head, log], [epoch, "\(max(0, seq))", "3", "\(now)", "600000", mark()])
        }
    }

    private func sha(of text: [UInt8]) -> [UInt8] { Array(RedisScript.sha(of: text).utf8) }

    // MARK: Ingest

    private mutating func ingestScript() -> Command {
        let partitions = ["t1", "t2", "room"].map { names.partition(of: ThreadID(trusted: $0)) }
        let streams = partitions.prefix(Int(draw(1...3)))
        let keys = streams.flatMap { [names.ingest($0), names.incarnation($0)] }
        if chance(70) {
            var arguments = [draw(["new1", "new2"]), "\(draw(1...40))"]
            for _ in streams {
                arguments += [draw(["new1", "new2", ""]), draw(["0", "\(now - draw(0...3000))-\(draw(0...2))"])]
            }
            return run(RedisScripts.ingest, keys, arguments)
        }
        let arguments = streams.flatMap { _ in [draw(["new1", "new2"]), "\(now - draw(0...3000))-\(draw(0...2))"] }
        return run(RedisScripts.trim, keys, arguments)
    }

    // MARK: Checks

    private mutating func checkingScript() -> Command {
        let thread = thread()
        let (head, log, was) = (names.head(of: thread), names.log(of: thread), names.formerEpochs(of: thread))
        let (epoch, seq) = position(of: thread)
        switch draw(0...6) {
        case 0...2:
            var (keys, arguments) = (
                [head, log, was], [mark(), Self.marks[1], draw(["kept", "lost", "read"]), "600000"]
            )
            let stored = [epoch, "\(max(0, seq + draw(-2...2)))", "\(draw(0...9))", "\(now)"]
            let seen = [chance(60) ? epoch : draw(Self.epochs + [""]), "\(max(0, seq + draw(-2...2)))"]
            arguments += [draw(Self.epochs)] + stored + seen
            if chance(30) {
                keys += ["parley:other", "parley:other:log", "parley:other:was"]
                arguments += [draw(Self.epochs), "", "0", "0", "0", "", "0"]
            }
            return run(RedisScripts.check, keys, arguments)
        case 3:
            return run(
                RedisScripts.endEpoch, [head, was, log],
                [epoch, draw(Self.epochs), "\(draw(0...5))", "\(max(0, seq))", "600000"])
        case 4:
            let keys = [names.incarnationMark, names.claimMark, names.progress]
            let found = chance(70) ? [draw(["kept", "lost"]), "\(draw(0...3))"] : []
            return run(RedisScripts.settle, keys, [mark()] + found)
        case 5:
            return run(RedisScripts.advance, [names.incarnationMark, names.progress], [mark()])
        default:
            let stream = names.ingest(names.partition(of: thread))
            let id = "\(now - draw(0...3000))-\(draw(0...1))"
            return run(draw([RedisScripts.evidence, RedisScripts.acknowledge]), [stream], [id])
        }
    }

    // MARK: Shared stores

    private mutating func nameScript() -> Command {
        let (key, owner) = (names.guest(draw(["x", "y"])), name())
        let life = "\(draw(1...4000))"
        return draw([
            run(RedisScripts.holdName, ["parley:name"], [owner, life]),
            run(RedisScripts.releaseName, ["parley:name"], [owner]),
            run(RedisScripts.holdGuest, [key], [owner, draw(["", "zoe", "Zoe x"]), life]),
            run(RedisScripts.releaseGuest, [key], [owner, draw(["", "zoe"])]),
            run(
                RedisScripts.claim, [names.claim(UserID(trusted: owner), "id1"), names.claimMark],
                [draw(["aaaa1", "aaaa2", "bbbb1"]), "\(draw([0, now, now + 4000, now - 9000]))", life]),
            command("SET", names.ticket("n"), "1", "NX", "PX", life),
        ])
    }

    private mutating func rateScript() -> Command {
        let key = names.rate(name())
        if chance(60) {
            let interval = draw([1000, 250_000, 3_000_000])
            return run(RedisScripts.take, [key], ["\(interval)", "\(interval * 5)", "\(draw(1...5))"])
        }
        return run(RedisScripts.count, [key], ["\(draw(0...2))", "\(draw(1...5000))"])
    }

    private mutating func presenceScript() -> Command {
        let leases = names.presenceNodes
        let users = ["ann", "bob", "c"].prefix(Int(draw(1...3))).map { names.presence(of: UserID(trusted: $0)) }
        let node = draw(["n1", "n2"])
        switch draw(0...5) {
        case 0...2:
            let states = users.map { _ in draw(["0", "1"]) }
            return run(RedisScripts.presenceWrite, [leases] + users, [node, "\(draw(500...3000))", "3600"] + states)
        case 3: return run(RedisScripts.presenceRead, [leases] + users, ["2000", "3600"])
        case 4: return run(RedisScripts.presenceRenew, [leases], [node, "\(draw(0...3000))", "3600"])
        default: return run(RedisScripts.presenceLeases, [leases], [String]())
        }
    }

    private mutating func nodeScript() -> Command {
        let node = draw(["n1", "n2", "n3"])
        let list = names.requests(to: node)
        return draw([
            run(
                RedisScripts.nodePut, [names.nodes, names.status(of: node)], [node, "{}", draw(["0", "1500", "9000"])]),
            run(RedisScripts.nodeList, [names.nodes], ["\(draw(1...3))"]),
            run(RedisScripts.nodePost, [list], ["r\(draw(1...9))", "\(draw(1...3))", "5000"]),
            run(RedisScripts.nodeTake, [list], [String]()), command("LRANGE", list, "0", "-1"),
        ])
    }

    // MARK: Core layer

    private mutating func queueScript() -> Command {
        let thread = thread()
        let keys = [names.queueDue, names.queueFrom, names.log(of: thread)]
        switch draw(0...6) {
        case 0...1: return run(RedisScripts.queueTake, keys, [thread.text, draw(["0", "1"])])
        case 2: return run(RedisScripts.queueCommit, keys, [thread.text, "\(draw(0...40))"])
        case 3: return run(RedisScripts.queueOverdue, [names.queueDue], ["\(draw(0...3000))", "2"])
        case 4:
            let group = names.layerGroup(thread.text)
            return run(
                RedisScripts.queueMembers, [group, "k1"],
                ["\(Double(now) / 1000)", "86400", draw(["+", "-"]) + "gateway.n!1", draw(["+", "-"]) + name()])
        default: return queueSend(thread)
        }
    }

    private mutating func queueSend(_ thread: ThreadID) -> Command {
        let queues = [draw(["asgiq1!", "k1"]), "asgiq2!"].prefix(Int(draw(1...2)))
        let (count, arePieces) = (draw(1...3), chance(50))
        var arguments = [draw(Self.epochs), "\(draw([60, 2]))", "\(count)", arePieces ? "1" : "0"].map {
            Array($0.utf8)
        }
        for _ in queues { arguments += [Array("\(draw(1...4))".utf8), payload()] }
        let first = draw(1...10)
        for number in 0..<count {
            arguments.append(Array("\(first + number)".utf8))
            arguments.append(random.bytes(12))
            for _ in arePieces ? queues.prefix(1) : queues { arguments.append(payload()) }
        }
        return run(RedisScripts.queueSend, ["parley:sent:\(thread.text)"] + queues, arguments)
    }
}
