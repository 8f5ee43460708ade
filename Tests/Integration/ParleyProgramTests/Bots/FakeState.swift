import NIOCore
import ParleyConformance
import ParleyJSON
import ParleyModel
import ParleyWire

/// The users, threads and sockets of a `FakeCluster`; bound to its one event loop.
final class FakeState {
    /// A room of the conformance kit, and its members.
    final class Thread {
        var room: Room
        var members: Set<String> = []
        var reads: [String: Int64] = [:]

        init(_ room: Room) { self.room = room }
    }

    let faults: Set<FakeFault>
    var threads: [String: Thread] = [:]
    /// In the order of their creation.
    var order: [String] = []
    var sockets: [ObjectIdentifier: FakeSocket] = [:]
    private var sends = 0
    private var deliveries = 0
    private var done: Set<FakeFault> = []
    private(set) var upgrades: [String] = []

    init(_ faults: Set<FakeFault>) { self.faults = faults }

    func upgraded(_ path: String) { upgrades.append(path) }

    func take(_ record: JSONTree) {
        if let thread = record["thread"], let id = thread["id"]?.text.flatMap({ ThreadID($0) }) {
            threads[id.text] = Thread(
                Room(id: id, title: thread["title"]?.text ?? "", messagePrefix: "m\(order.count)-"))
            order.append(id.text)
        } else if let member = record["member"], let thread = member["thread"]?.text, let user = member["user"]?.text {
            threads[thread]?.members.insert(user)
        }
    }

    func threads(of user: String) -> [Thread] { order.compactMap { threads[$0] }.filter { $0.members.contains(user) } }

    // MARK: Sends

    /// - Returns: the frames for the sender, in order.
    func send(_ send: V1Send, ref: Int64?, by user: String) -> [V1Frame] {
        guard let thread = threads[send.thread.text], thread.members.contains(user) else {
            return [.error(V1Failure(.notAMember, "no member"), ref: ref)]
        }
        let sender = User(id: UserID(trusted: user), name: user)
        if send.clientID.flatMap({ thread.room.receipt(of: $0, by: sender.id) }) == nil {
            sends += 1
            for case .refusesOften(let every) in faults where sends.isMultiple(of: every) {
                return [.error(V1Failure(.rateLimited, "too fast", retryAfterMilliseconds: 20), ref: ref)]
            }
        }
        let receipt = thread.room.accept(send, by: sender, milliseconds: 1_795_255_200_123)
        var frames: [V1Frame] = []
        for level in send.level == .stored ? [V1Send.Level.accepted, .stored] : [.accepted] {
            if let ref {
                frames.append(.ack(V1Ack(ref: ref, receipt: receipt, level: level, clientID: send.clientID)))
            }
        }
        guard !receipt.isRepeat else { return frames }
        thread.reads[user] = receipt.position.seq
        if faults.contains(.forgets(send: sends)) {
            thread.room.loseNewest()
        } else if let event = thread.room.event(receipt.position.seq) {
            for socket in sockets.values where socket.isLive && thread.members.contains(socket.user) {
                deliver(event, to: socket)
            }
        }
        return faults.contains(.isSilent(send: sends)) ? [] : frames
    }

    // MARK: Deliveries

    private func deliver(_ event: LogEvent, to socket: FakeSocket) {
        deliveries += 1
        for fault in faults where !done.contains(fault) { before(fault, event, socket) }
        if let from = socket.leavesOutUntil {
            if deliveries < from { return socket.leaveOut(event) }
            socket.endLeavingOut()
        }
        if faults.contains(.drops(delivery: deliveries)) { return }
        if faults.contains(.swaps(delivery: deliveries)) { return socket.delayed = event }
        socket.send(.event(event))
        if let delayed = socket.delayed, delayed.thread == event.thread {
            socket.delayed = nil
            socket.send(.event(delayed))
        }
        if faults.contains(.doubles(delivery: deliveries)) { socket.send(.event(event)) }
    }

    /// Applies a one-time fault before a delivery.
    private func before(_ fault: FakeFault, _ event: LogEvent, _ socket: FakeSocket) {
        switch fault {
        case .closesAll(let after, let code) where deliveries > after:
            done.insert(fault)
            for socket in sockets.values { socket.close(code: code) }
        case .cutsAll(let after) where deliveries > after:
            done.insert(fault)
            for socket in sockets.values { socket.cut() }
        case .saysBye(let after, let milliseconds) where deliveries > after:
            done.insert(fault)
            for socket in sockets.values { socket.sayBye(milliseconds) }
        case .leavesOut(let from, let count) where deliveries >= from:
            done.insert(fault)
            socket.leavesOutUntil = from + count
        case .startsOver(let after, let loses) where deliveries > after:
            done.insert(fault)
            socket.after { self.startOver(losing: loses) }
        default: break
        }
    }

    private func startOver(losing count: Int) {
        for thread in threads.values where thread.room.head > 0 {
            thread.room.store(through: thread.room.head - Int64(count))
            thread.room.rollBack()
            for socket in sockets.values where thread.members.contains(socket.user) {
                socket.send(.resumed([thread.room.id: thread.room.rollback], ref: nil))
            }
        }
    }

    /// The history of a thread as its store has it, with the store's faults.
    func stored(_ thread: Thread) -> [LogEvent] {
        var events = thread.room.log.compactMap(\.event)
        guard thread.room.id.text == order.first else { return events }
        for fault in faults {
            switch fault {
            case .losesInStore(let seq): events.removeAll { $0.position.seq == seq }
            case .doublesInStore(let seq):
                if var event = events.first(where: { $0.position.seq == seq }) {
                    event.position.seq = (events.last?.position.seq ?? 0) + 1
                    events.append(event)
                }
            case .reusesSeq(let seq):
                if let index = events.firstIndex(where: { $0.position.seq == seq }), index > 0 {
                    events[index].body = events[index - 1].body
                }
            default: break
            }
        }
        return events
    }
}
