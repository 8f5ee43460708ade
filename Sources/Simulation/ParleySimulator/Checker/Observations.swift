import ParleyClientCore

/// The observations of the users, and the violations that are evident from them.
///
/// Confined to the simulator's only thread.
final class Observations {
    /// A place in the log of a thread.
    struct Place: Hashable {
        let thread: String
        let epoch: String
        let seq: Int
    }

    /// The answer that a user got to a send.
    struct Acknowledged {
        let user: String
        let clientID: String
        let text: String
        let place: Place
        let message: String
        /// When it was first sent, and when the answer came, in virtual nanoseconds.
        let sent: Int64
        var told: Int64
        var isStored: Bool
    }

    /// The first sight of a message.
    struct Shown {
        let user: String
        let clientID: String?
        let place: Place
        /// In virtual nanoseconds.
        let time: Int64
    }

    private let story: Story
    /// The first event that any user saw at a place.
    private(set) var meanings: [Place: String] = [:]
    /// The time at which a user first saw a place, in virtual nanoseconds.
    private var firstSeen: [Place: Int64] = [:]
    /// Places that got a second meaning in the window that decision 050 leaves open.
    private(set) var reused: Set<Place> = []
    /// The messages that users were shown, by id.
    private(set) var shown: [String: Shown] = [:]
    /// Whether Redis may have lost what was first seen at this time without anybody noticing.
    var mayBeUnnoticed: (Int64) -> Bool = { _ in false }
    /// A room as the database has it.
    var view: (String) -> RoomView = { _ in RoomView(visibility: nil, begun: 0, isChanging: true) }
    /// Whether a user is a member of a thread, as the database has it.
    var isMember: (_ user: String, _ thread: String) -> Bool = { _, _ in false }
    private(set) var acknowledged: [String: Acknowledged] = [:]
    /// The sends after a block, which must be refused, by `client_id`.
    var blockedSends: Set<String> = []
    /// The renamings that owners were told of.
    var renamed: [(thread: String, title: String)] = []
    private(set) var violations: [String] = []
    /// Which places each user has been told are void, from which `seq` on.
    private(set) var events = 0
    private(set) var acks = 0

    init(_ story: Story) { self.story = story }

    func violation(_ text: String) {
        story.tell("VIOLATION", text)
        if violations.count < 20 { violations.append(text) }
    }

    /// A user was told what stands at a place.
    func saw(_ key: String, at place: Place, by user: String) {
        events += 1
        if let known = meanings[place] {
            guard known != key, !reused.contains(place) else { return }
            if let seen = firstSeen[place], mayBeUnnoticed(seen) {
                story.tell("checker", "\(place) is given again: its loss was within the window of decision 050")
                reused.insert(place)
                return
            }
            violation("two meanings of \(place.thread) \(place.epoch) \(place.seq): \(known) and, for \(user), \(key)")
        } else {
            meanings[place] = key
            firstSeen[place] = story.now()
        }
    }

    func saw(_ event: ThreadEvent, by user: String) {
        let place = Place(thread: event.thread, epoch: event.epoch, seq: event.seq)
        saw(event.key, at: place, by: user)
        guard case .message(let message) = event.content, shown[message.id] == nil else { return }
        shown[message.id] = Shown(user: user, clientID: message.clientID, place: place, time: story.now())
    }

    func saw(_ ack: ServerFrame.Ack, of send: Send, by user: String, at now: Int64) {
        guard let epoch = ack.epoch, let seq = ack.seq, let message = ack.messageID else {
            return violation("an ack of \(send.clientID) without a place")
        }
        acks += 1
        let place = Place(thread: send.thread, epoch: epoch, seq: seq)
        saw("message \(message)", at: place, by: user)
        if var known = acknowledged[send.clientID], known.place == place {
            known.isStored = known.isStored || ack.isStored
            if ack.isStored { known.told = now }
            acknowledged[send.clientID] = known
            return
        }
        // A send whose place was void has got another one.
        acknowledged[send.clientID] = Acknowledged(
            user: user, clientID: send.clientID, text: send.text, place: place, message: message,
            sent: send.firstSent ?? now, told: now, isStored: ack.isStored)
    }
}

extension ThreadEvent {
    /// The identity of the event, independent of the present state of its message.
    var key: String {
        switch content {
        case .message(let message): "message \(message.id)"
        case .edited(let target, _): "edited \(target)"
        case .deleted(let target): "deleted \(target)"
        case .reaction(let target, let user, let emoji, let isOn): "reaction \(target) \(user) \(emoji) \(isOn)"
        case .joined(let user): "joined \(user.id)"
        case .left(let user): "left \(user.id)"
        case .renamed(let title): "renamed \(title)"
        case .role(let user, let role): "role \(user) \(role.rawValue)"
        case .visibility(let visibility): "visibility \(visibility.rawValue)"
        case .unknown: "unknown \(type)"
        }
    }
}
