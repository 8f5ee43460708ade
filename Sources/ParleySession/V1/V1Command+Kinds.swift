import ParleyModel
import ParleyWire

extension V1Command {
    /// The thread that the user must be a member of.
    var thread: ThreadID? {
        switch self {
        case .send(let send): send.thread
        case .edit(let thread, _, _), .delete(let thread, _), .react(let thread, _, _, _), .read(let thread, _),
            .typing(let thread, _), .leave(let thread):
            thread
        case .history(let request): request.thread
        case .resume, .join, .watch, .authenticate, .ping: nil
        }
    }

    /// It counts as a send, since it enters a log.
    var isCharged: Bool {
        switch self {
        case .send, .edit, .delete, .react: true
        case .read, .typing, .resume, .history, .join, .leave, .watch, .authenticate, .ping: false
        }
    }

    /// It begins when everything before it is answered, since its answer depends on that.
    var isBarrier: Bool {
        switch self {
        case .history, .join, .leave, .authenticate: true
        case .send, .edit, .delete, .react, .read, .typing, .resume, .watch, .ping: false
        }
    }
}
