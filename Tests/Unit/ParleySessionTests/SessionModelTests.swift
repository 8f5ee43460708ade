import ParleyModel
import ParleySession
import ParleyTestSupport
import ParleyWire
import Testing

/// Every short sequence of events of a client, the log, the lookups and the rate, run to its end.
@Suite struct SessionModelTests {
    private enum Event: CaseIterable {
        case sendsToRoom
        case sendsToPeer
        case sendsElsewhere
        case logAnswersOldest
        case logAnswersNewest
        case logGoesAway
        case logComesBack
        case rateIsUsedUp
        case secondPasses
        case lookUpSucceeds
        case lookUpFindsNothing
        case lookUpFails
    }

    @Test("in all sequences of 6 events each send is appended once, in order, or dropped for its reason")
    func allStories() {
        var stories = 0
        tell(Model(), depth: 6, &stories)
        #expect(stories > 10_000)
    }

    @Test("the same holds in long random sequences", arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
    func randomStories(seed: UInt64) {
        var generator = SeededGenerator(seed)
        for _ in 0..<200 {
            var model = Model()
            for _ in 0..<60 {
                let event = Event.allCases.randomElement(using: &generator) ?? .secondPasses
                if model.allows(event) { model.perform(event) }
            }
            model.finish()
            if let violation = model.violation { Issue.record("seed \(seed): \(violation) in \(model.story)") }
        }
    }

    private func tell(_ model: Model, depth: Int, _ stories: inout Int) {
        var end = model
        end.finish()
        stories += 1
        if let violation = end.violation { Issue.record("\(violation) in \(end.story)") }
        guard depth > 0 else { return }
        for event in Event.allCases where model.allows(event) {
            var next = model
            next.perform(event)
            tell(next, depth: depth - 1, &stories)
        }
    }

    /// A session, and a log that rejects everything from an outage until its failures have been delivered.
    private struct Model {
        var story: [Event] = []
        var violation: String?

        private var session = ClassicSession()
        private var now: Int64 = 0
        private var sent = 0
        private var isRateUsedUp = false
        private var charged = 0
        private var found: [ThreadID: Membership] = [:]
        private var isLogAway = false
        private var log: [String] = []
        private var dropped: [String] = []
        private var inFlight: [(message: OutgoingMessage, isRefused: Bool)] = []
        private var lookUp: ClassicSession.Action?
        /// The lookups that sends need, in the order of the sends; each has its own name.
        private var needed: [ClassicSession.Action] = []
        private var wakes: [Int64] = []
        private var isPaused = false

        func allows(_ event: Event) -> Bool {
            switch event {
            case .sendsToRoom, .sendsToPeer, .sendsElsewhere: session.isReading
            case .logAnswersOldest: !inFlight.isEmpty
            case .logAnswersNewest: inFlight.count > 1
            case .logGoesAway: !isLogAway
            case .logComesBack: isLogAway && !inFlight.contains { $0.isRefused }
            case .rateIsUsedUp: !isRateUsedUp
            case .secondPasses: isRateUsedUp || !wakes.isEmpty
            case .lookUpSucceeds, .lookUpFindsNothing, .lookUpFails: lookUp != nil
            }
        }

        mutating func perform(_ event: Event) {
            story.append(event)
            switch event {
            case .sendsToRoom:
                send(.send(thread: TestClient.room, text: "\(sent)"))
            case .sendsToPeer:
                needed.append(.findUser(name: "\(sent)"))
                send(.sendDirect(toUser: "\(sent)", text: "\(sent)"))
            case .sendsElsewhere:
                needed.append(.findThread(ThreadID(trusted: "\(sent)")))
                send(.send(thread: ThreadID(trusted: "\(sent)"), text: "\(sent)"))
            case .logAnswersOldest: reply(inFlight.removeFirst())
            case .logAnswersNewest: reply(inFlight.removeLast())
            case .logGoesAway: isLogAway = true
            case .logComesBack: isLogAway = false
            case .rateIsUsedUp: isRateUsedUp = true
            case .secondPasses: passSecond()
            case .lookUpSucceeds: answerLookUp(isFound: true)
            case .lookUpFindsNothing: answerLookUp(isFound: false)
            case .lookUpFails:
                lookUp = nil
                step { $0.lookUpFailed(at: $1, &$2) }
            }
        }

        /// Delivers all results; then nothing may be pending.
        mutating func finish() {
            for _ in 0..<200 {
                if violation != nil { return }
                if !inFlight.isEmpty {
                    reply(inFlight.removeFirst())
                } else if lookUp != nil {
                    answerLookUp(isFound: true)
                } else if !wakes.isEmpty {
                    isLogAway = false
                    passSecond()
                } else {
                    return check()
                }
            }
            violation = "no end"
        }

        private mutating func check() {
            let all = (log + dropped).compactMap { Int($0) }
            if all.sorted() != Array(0..<sent) { violation = "sent \(sent), logged \(log), dropped \(dropped)" }
            if log.compactMap({ Int($0) }) != log.compactMap({ Int($0) }).sorted() { violation = "logged as \(log)" }
            if charged != sent { violation = "\(sent) sends charged as \(charged)" }
            if isPaused || !session.isReading { violation = "reads no more" }
        }

        private mutating func send(_ command: ClientCommand) {
            sent += 1
            step { $0.received(command, membership: nil, at: $1, &$2) }
        }

        private mutating func reply(_ item: (message: OutgoingMessage, isRefused: Bool)) {
            if item.isRefused {
                step { $0.appendFailed(item.message, at: $1, &$2) }
            } else {
                step { $0.appendAccepted(at: $1, &$2) }
            }
        }

        private mutating func answerLookUp(isFound: Bool) {
            let request = lookUp
            lookUp = nil
            needed.removeFirst()
            switch request {
            case .findUser(let name):
                if !isFound { dropped.append(name) }
                let user = User(id: UserID(trusted: name), name: name)
                step { $0.resolvedUser(isFound ? user : nil, by: TestClient.alice.id, at: $1, &$2) }
            case .findThread(let thread):
                if !isFound { dropped.append(thread.text) }
                let membership = Membership(thread: ThreadInfo(id: thread, kind: .room, title: "x"), role: .member)
                if isFound { found[thread] = membership }
                step { $0.resolvedThread(isFound ? membership : nil, at: $1, &$2) }
            default:
                violation = "no question"
            }
        }

        private mutating func passSecond() {
            now += 1_000_000
            isRateUsedUp = false
            let due = wakes.filter { $0 <= now }
            wakes.removeAll { $0 <= now }
            for _ in due { step { $0.wake(at: $1, &$2) } }
        }

        private mutating func step(_ body: (inout ClassicSession, Int64, inout [ClassicSession.Action]) -> Void) {
            var actions: [ClassicSession.Action] = []
            body(&session, now, &actions)
            while let query = session.query { session.answered(facts(for: query), at: now, &actions) }
            for action in actions {
                switch action {
                case .append(let message): append(message)
                case .findUser, .findThread:
                    if lookUp != nil { violation = "two questions at once" }
                    if action != needed.first { violation = "asks \(action) instead of \(needed)" }
                    lookUp = action
                case .wake(let after): wakes.append(now + after)
                case .pauseReading:
                    if isPaused { violation = "paused twice" }
                    isPaused = true
                case .resumeReading:
                    if !isPaused { violation = "resumed twice" }
                    isPaused = false
                case .drop, .replyUnknownUser, .markRead: break
                case .close(let reason): violation = "closed: \(reason.text)"
                }
            }
        }

        private mutating func facts(for query: ClassicSession.Query) -> ClassicSession.Facts {
            var permit = Permit.granted
            if query.needsPermit {
                if isRateUsedUp { permit = .wait(microseconds: 300_000) } else { charged += 1 }
            }
            let membership: Membership? =
                switch query.target {
                case .thread(let thread): thread == TestClient.room ? TestClient.roomMembership : found[thread]
                case .peer: nil
                }
            return ClassicSession.Facts(permit: permit, membership: membership)
        }

        private mutating func append(_ message: OutgoingMessage) {
            let target = message.membership.peer?.name ?? message.membership.thread.id.text
            if target != TestClient.room.text, target != message.text {
                violation = "\(message.text) goes to \(target)"
            }
            inFlight.append((message, isLogAway))
            if !isLogAway { log.append(message.text) }
        }
    }
}
