import ParleyModel
import ParleyWire

extension V1Command {
    /// The thread that the user must be a member of. `leave` is checked where it is carried out, since a repeat finds
    /// the membership already ended.
    var thread: ThreadID? {
        switch self {
        case .send(let send): send.thread
        case .edit(let thread, _, _), .delete(let thread, _), .react(let thread, _, _, _), .read(let thread, _),
            .typing(let thread, _):
            thread
        case .history(let request): request.thread
        case .resume, .join, .leave, .watch, .authenticate, .ping: nil
        }
    }

    /// The budget charged before the command begins; `nil` if it is charged where it is carried out.
    var budget: BudgetKind? {
        switch self {
        case .send, .edit, .delete, .react: .sends
        case .history: .history
        case .watch: .watches
        case .resume: .resumes
        case .authenticate: .auths
        case .ping: .pings
        case .read, .typing, .join, .leave: nil
        }
    }

    /// Whether its meaning depends on the sends before it. Typing that began after a message must arrive after it, since
    /// the message ends what was typed before.
    var followsSends: Bool {
        switch self {
        case .read, .typing(_, true): true
        default: false
        }
    }

    /// Whether it begins only after all earlier commands have been answered, since its reply depends on them.
    var isBarrier: Bool {
        switch self {
        case .history, .join, .leave, .authenticate: true
        case .send, .edit, .delete, .react, .read, .typing, .resume, .watch, .ping: false
        }
    }
}
