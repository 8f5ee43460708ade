import ParleyJSON
import ParleyMessaging
import ParleyModel

/// The result of an import.
struct ImportReport: Sendable {
    /// The maximum number of errors listed in detail.
    static let maximumErrors = 1000

    struct LineError: Sendable {
        let line: Int
        let code: ErrorCode
        let message: String
    }

    /// The numbers of created records.
    private(set) var (users, threads, members) = (0, 0, 0)
    /// The number of records that were already in effect.
    private(set) var unchanged = 0
    private(set) var errors: [LineError] = []
    private(set) var omitted = 0

    mutating func count(_ outcome: ImportOutcome, of line: ImportLine) {
        switch outcome {
        case .added:
            if case .user = line.item.record { users += 1 } else { threads += 1 }
        case .joined: members += 1
        case .unchanged: unchanged += 1
        case .refused(let rejection): note(APIError(rejection, of: line.item.record), line: line.number)
        }
    }

    mutating func note(_ error: APIError, line: Int) {
        if errors.count < Self.maximumErrors {
            errors.append(LineError(line: line, code: error.code, message: error.message))
        } else {
            omitted += 1
        }
    }
}

extension JSONWriter {
    mutating func report(_ report: ImportReport) {
        object { json in
            json.member("users", Int64(report.users))
            json.member("threads", Int64(report.threads))
            json.member("members", Int64(report.members))
            json.member("unchanged", Int64(report.unchanged))
            json.key("errors")
            json.array(report.errors.sorted { $0.line < $1.line }) { json, error in
                json.object { json in
                    json.member("line", Int64(error.line))
                    json.member("code", error.code.rawValue)
                    json.member("message", error.message)
                }
            }
            json.member("errors_omitted", Int64(report.omitted))
        }
    }
}

extension APIError {
    fileprivate init(_ rejection: ImportOutcome.Rejection, of record: ImportRecord) {
        let isUser = if case .user = record { true } else { false }
        switch rejection {
        case .idTaken:
            self.init(.conflict, isUser ? "a user of another name has this id" : "another thread has this id")
        case .nameTaken:
            self.init(.conflict, isUser ? "another user has this name" : "another public room has this title")
        case .unknownThread: self.init(.notFound, "no such thread")
        case .unknownUser: self.init(.notFound, "no such user")
        case .directThread: self.init(.badRequest, "the members of a direct thread are its two users")
        case .otherRole: self.init(.conflict, "the user is a member with another role, or was read_only")
        case .removed: self.init(.conflict, "the user was removed from the thread; add them as an operator")
        case .banned: self.init(.conflict, "the user is banned from the thread; end the ban first")
        case .unstorable: self.init(.badRequest, "a text contains a character that cannot be stored")
        }
    }
}
