import Logging
import NIOCore
import NIOHTTP1
import ParleyAccounts
import ParleyFanOut
import ParleyModel
import ParleySession
import ParleyWire

/// A client that may come in: everything its socket needs from the first frame on.
struct Admission: Sendable {
    let connection: ConnectionID
    let identity: Identity
    let address: String
    let encoding: Encoding
    /// The index of the socket's event loop.
    let loop: Int
    /// What the 101 answer says besides the obvious.
    let subprotocol: String?
    let extensions: String?
}

extension Gateway {
    /// Who wants to come in, and whether they may; all that takes time happens here, before the answer.
    func decide(_ request: UpgradeRequest, on eventLoop: any EventLoop) async -> Result<Admission, Refusal> {
        do {
            return .success(try await admit(request, on: eventLoop))
        } catch {
            return .failure(error)
        }
    }

    private func admit(_ request: UpgradeRequest, on eventLoop: any EventLoop) async throws(Refusal) -> Admission {
        if let flaw = request.flaw { throw flaw }
        if drains { throw .draining }
        guard let loop = fanOut.index(of: eventLoop) else { throw .unavailable }
        let dialect: Dialect
        do {
            dialect = try Dialect.negotiate(offered: request.head.headers["sec-websocket-protocol"])
        } catch {
            throw .badRequest(error.explanation)
        }
        let identity = try await authenticate(request)
        let extensions = PerMessageDeflate.negotiate(offers: request.head.headers["sec-websocket-extensions"])
        let encoding = Encoding(dialect: dialect, compressed: extensions != nil)
        do {
            try counts.openSocket(of: identity.user.id, from: request.address)
        } catch {
            throw Refusal(error)
        }
        do {
            try await fanOut.admit(identity.user, on: loop, encoding: encoding) { [directory] user in
                try await directory.memberships(of: user, fresh: true)
            }
        } catch {
            counts.closeSocket(of: identity.user.id, from: request.address)
            logger.warning("socket refused", metadata: ["reason": "\(error)", "user": "\(identity.user.id)"])
            throw .unavailable
        }
        let admission = Admission(
            connection: .make(clock), identity: identity, address: request.address,
            encoding: encoding, loop: loop,
            subprotocol: dialect.subprotocol, extensions: extensions)
        do {
            try await confirm(identity, request)
        } catch {
            withdraw(admission)
            throw error
        }
        return admission
    }

    /// From here on the user's control channel would tell of a logout; one that came just before is seen by looking
    /// again.
    private func confirm(_ identity: Identity, _ request: UpgradeRequest) async throws(Refusal) {
        switch identity.credential {
        case .session:
            // The cookie may be somebody else's by now.
            guard try await authenticate(request).user.id == identity.user.id else { throw Refusal.noUser }
        case .ticket:
            // It may be used up, so it is what it stands for that is looked at.
            do throws(AuthFailure) {
                try await tickets.recheck(identity)
            } catch {
                throw Refusal(error)
            }
        case .jwt, .password, .apiKey:
            break
        }
    }

    private func authenticate(_ request: UpgradeRequest) async throws(Refusal) -> Identity {
        do {
            switch try await authenticator.authenticate(request.credentials) {
            case .user(let identity): return identity
            case .service: throw Refusal.noUser
            }
        } catch let failure as AuthFailure {
            throw Refusal(failure)
        } catch {
            throw .noUser
        }
    }

    /// Gives back all that `decide` has taken, for a client that went away before it got its answer.
    func withdraw(_ admission: Admission) {
        let user = admission.identity.user.id
        fanOut.loops[admission.loop].execute { [fanOut] in
            fanOut.roster(admission.loop).cancelReservation(user)
        }
        dismiss(user, admission.encoding, from: admission.address)
    }

    /// Gives back what `decide` has taken, but the place in the roster.
    func dismiss(_ user: UserID, _ encoding: Encoding, from address: String) {
        fanOut.forget(encoding)
        counts.closeSocket(of: user, from: address)
    }
}
