import NIOCore
import ParleyJSON
import ParleyModel

/// Commands about several threads or users, and about the connection itself.
extension V1Decoder {
    func resume(_ reader: inout V1FieldReader) throws(V1CommandError) -> [ThreadID: Position] {
        var threads: [ThreadID: Position]?
        try reader.enterObject("resume")
        while let key = try reader.nextKey() {
            switch key {
            case "threads":
                if try reader.isNull() { continue }
                guard threads == nil else { throw V1CommandError(.duplicate(key)) }
                threads = try positions(&reader)
            default: try reader.skip()
            }
        }
        return threads ?? [:]
    }

    private func positions(_ reader: inout V1FieldReader) throws(V1CommandError) -> [ThreadID: Position] {
        var positions: [ThreadID: Position] = [:]
        try reader.enterObject("threads")
        while let key = try reader.nextKey() {
            let thread = try ThreadID(key, in: "threads")
            guard positions.count < V1Limits.resumeThreads else {
                throw .bad("threads", "allowed are at most \(V1Limits.resumeThreads)")
            }
            guard positions[thread] == nil else { throw V1CommandError(.duplicate(V1CommandError.cut(key))) }
            positions[thread] = try position(&reader)
        }
        return positions
    }

    private func position(_ reader: inout V1FieldReader) throws(V1CommandError) -> Position {
        var epoch: String?
        var seq: Int64?
        try reader.enterObject("threads")
        while let key = try reader.nextKey() {
            switch key {
            case "epoch": try reader.read(key, into: &epoch)
            case "seq": try reader.read(key, into: &seq)
            default: try reader.skip()
            }
        }
        guard let seq else { throw .missing("seq", in: "resume") }
        try Self.check(seq, "seq", 0...Int64.max)
        // A client that has seen nothing has no epoch either.
        guard let epoch = epoch ?? (seq == 0 ? "" : nil) else { throw .missing("epoch", in: "resume") }
        guard epoch.utf8.count <= V1Limits.epochBytes else {
            throw .bad("epoch", "allowed are at most \(V1Limits.epochBytes) bytes")
        }
        return Position(epoch: Epoch(epoch), seq: seq)
    }

    func watch(_ reader: inout V1FieldReader) throws(V1CommandError) -> [UserID] {
        var users: [UserID]?
        try reader.enterObject("watch")
        while let key = try reader.nextKey() {
            switch key {
            case "users":
                if try reader.isNull() { continue }
                guard users == nil else { throw V1CommandError(.duplicate(key)) }
                users = try self.users(&reader)
            default: try reader.skip()
            }
        }
        guard let users else { throw .missing("users", in: "watch") }
        return users
    }

    private func users(_ reader: inout V1FieldReader) throws(V1CommandError) -> [UserID] {
        var users: [UserID] = []
        var known: Set<UserID> = []
        try reader.enterArray("users")
        while try reader.nextElement() {
            let user = try UserID.read("users", &reader)
            guard known.insert(user).inserted else { continue }
            guard users.count < V1Limits.watchedUsers else {
                throw .bad("users", "allowed are at most \(V1Limits.watchedUsers)")
            }
            users.append(user)
        }
        return users
    }

    func authenticate(_ reader: inout V1FieldReader) throws(V1CommandError) -> V1Command {
        var token: String?
        try reader.enterObject("auth")
        while let key = try reader.nextKey() {
            switch key {
            case "token": try reader.read(key, into: &token)
            default: try reader.skip()
            }
        }
        guard let token else { throw .missing("token", in: "auth") }
        guard (1...V1Limits.tokenBytes).contains(token.utf8.count) else {
            throw .bad("token", "allowed are 1 to \(V1Limits.tokenBytes) bytes")
        }
        return .authenticate(token: token)
    }
}
