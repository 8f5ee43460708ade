import ParleyModel
import ParleyWire

extension V1Command {
    /// The thread that the user must be a member of. Who may leave which is seen where it is done: a repeat finds the
    /// membership ended already.
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

    /// What it is taken from before it begins; `nil` for what is charged where it is carried out.
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

    /// What it means depends on what was sent before it.
    var followsSends: Bool {
        if case .read = self { true } else { false }
    }

    /// It begins when everything before it is answered, since its answer depends on that.
    var isBarrier: Bool {
        switch self {
        case .history, .join, .leave, .authenticate: true
        case .send, .edit, .delete, .react, .read, .typing, .resume, .watch, .ping: false
        }
    }
}
