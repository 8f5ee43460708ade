import Logging
import NIOCore
import NIOHTTP1
import ParleyAccounts
import ParleyFanOut
import ParleyMessaging
import ParleyModel
import ParleyWire

/// An admitted client: everything that its socket needs from the first frame on.
struct Admission: Sendable {
    let connection: ConnectionID
    var identity: Identity
    let address: String
    let encoding: Encoding
    /// The index of the socket's event loop.
    let loop: Int
    /// The optional headers of the 101 response.
    let subprotocol: String?
    let extensions: String?
}

/// Decides on handshakes: authenticates the client, and takes its place in the counts and in the roster.
struct AdmissionControl: Sendable {
    let accounts: AccountServices
    let messaging: Messaging
    let fanOut: FanOut
    let counts: ConnectionCounts
    let drain: DrainState
    let clock: WallClock
    let logger: Logger

    /// Authenticates a client and reserves its place. Everything that takes time happens here, before the response.
    func decide(_ request: UpgradeRequest, on eventLoop: any EventLoop) async -> Result<Admission, Rejection> {
        do throws(Rejection) {
            // The connection is the proxy's, so the client's handshakes are counted one by one.
            if request.isForwarded { try openRequest(from: request.address) }
            defer { if request.isForwarded { counts.closeRequest(from: request.address) } }
            return .success(try await admit(request, on: eventLoop))
        } catch {
            return .failure(error)
        }
    }

    private func openRequest(from address: String) throws(Rejection) {
        do {
            try counts.openRequest(from: address)
        } catch {
            throw Rejection(error)
        }
    }

    private func admit(_ request: UpgradeRequest, on eventLoop: any EventLoop) async throws(Rejection) -> Admission {
        if let violation = request.violation { throw violation }
        if drain.isDraining { throw .draining }
        guard let loop = fanOut.index(of: eventLoop) else { throw .undecided }
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
            throw Rejection(error)
        }
        let snapshot: UserSnapshot
        do {
            snapshot = try await fanOut.admit(identity.user, on: loop, encoding: encoding) { [messaging] user in
                try await messaging.snapshot(of: user)
            }
        } catch {
            counts.closeSocket(of: identity.user.id, from: request.address)
            if error is UnknownUser { throw .invalidCredentials }
            logger.warning("socket rejected", metadata: ["reason": "\(error)", "user": "\(identity.user.id)"])
            throw error is BusError ? .noEvents : .noMemberships
        }
        var admission = Admission(
            connection: .make(clock), identity: identity, address: request.address,
            encoding: encoding, loop: loop,
            subprotocol: dialect.subprotocol, extensions: extensions)
        do {
            admission.identity = try await confirm(identity, snapshot, request)
        } catch {
            withdraw(admission)
            throw error
        }
        return admission
    }

    /// Checks the credentials once more. From here on an event reports their end; an end just before is seen by this
    /// second check, and by the snapshot, which was read since.
    /// - Returns: the identity under the credentials version that the socket depends on.
    private func confirm(
        _ identity: Identity, _ snapshot: UserSnapshot, _ request: UpgradeRequest
    ) async throws(Rejection) -> Identity {
        if let suspension = snapshot.suspension, suspension.isInForce(at: clock.milliseconds) {
            throw Rejection(.suspended(suspension))
        }
        guard let confirmed = identity.confirmed(by: snapshot) else { throw .invalidCredentials }
        switch identity.credential {
        case .session:
            // The cookie may belong to another user by now.
            guard try await authenticate(request).user.id == identity.user.id else { throw Rejection.noUser }
        case .ticket:
            // So far the ticket was only read.
            do throws(AuthFailure) {
                _ = try await accounts.tickets.redeem(request.credentials.ticket ?? "", snapshot: snapshot)
            } catch {
                throw Rejection(error)
            }
        case .jwt, .password, .apiKey:
            break
        }
        return confirmed
    }

    private func authenticate(_ request: UpgradeRequest) async throws(Rejection) -> Identity {
        do {
            switch try await accounts.authenticator.authenticate(request.credentials, fresh: false) {
            case .user(let identity): return identity
            case .service: throw Rejection.noUser
            }
        } catch let failure as AuthFailure {
            throw Rejection(failure)
        } catch {
            throw .noUser
        }
    }

    /// Gives back everything that `decide` has taken, for a client that is gone before the handshake is done.
    func withdraw(_ admission: Admission) {
        let user = admission.identity.user.id
        fanOut.loops[admission.loop].execute { [fanOut] in
            fanOut.roster(admission.loop).cancelReservation(user)
        }
        fanOut.forget(admission.encoding)
        counts.closeSocket(of: user, from: admission.address)
    }
}
