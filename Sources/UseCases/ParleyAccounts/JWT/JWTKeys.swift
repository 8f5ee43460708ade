import JWTKit
import ParleyJSON

/// Keys that verify the signatures of JWTs (RFC 7515).
struct JWTKeys: Sendable {
    private let keys: [JWTKey]

    init(_ keys: [JWTKey]) {
        self.keys = keys
    }

    /// The claims of a token that one of the keys has signed, not yet checked.
    /// - Parameter algorithms: The accepted algorithms.
    func claims(signedIn token: String, by algorithms: Set<String>) throws(JWTRejection) -> JOSEObject {
        let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard token.utf8.count <= JWTVerifier.maximumBytes, parts.count == 3,
            let signature = Base64URL.decode(Substring(parts[2])), let header = Self.object(parts[0]),
            let named = try? (alg: header.text("alg"), kid: header.text("kid"))
        else { throw .malformed }
        // An extension that must be understood is one that we do not (RFC 7515 §4.1.11).
        guard header["crit"] == nil else { throw .malformed }
        guard let alg = named.alg, algorithms.contains(alg) else { throw .algorithm }
        let candidates = candidates(alg: alg, kid: named.kid)
        guard !candidates.isEmpty else { throw .unknownKey }
        let signed = Array(token.utf8.prefix(parts[0].count + 1 + parts[1].count))
        let isSigned = candidates.contains { key in
            (try? key.algorithm.verify(signature, signs: signed)) ?? false
        }
        guard isSigned else { throw .signature }
        guard let object = Self.object(parts[1]) else { throw .malformed }
        return object
    }

    /// The keys of this algorithm that have the token's `kid`, otherwise the keys without one; all if the token has no
    /// `kid`.
    private func candidates(alg: String, kid: String?) -> [JWTKey] {
        let fitting = keys.filter { $0.algorithm.name == alg }
        guard let kid else { return fitting }
        if keys.contains(where: { $0.kid == kid }) { return fitting.filter { $0.kid == kid } }
        return fitting.filter { $0.kid == nil }
    }

    private static func object(_ part: Substring.UTF8View) -> JOSEObject? {
        Base64URL.decode(Substring(part)).flatMap { JOSEObject($0) }
    }
}
