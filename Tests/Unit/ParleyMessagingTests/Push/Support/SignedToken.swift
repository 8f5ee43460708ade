import Crypto
import CryptoExtras
import Foundation
import ParleyAccounts
import ParleyJSON

/// A JWT that a stand-in takes apart and verifies without the library that made it.
struct SignedToken {
    enum Problem: Error {
        case form, signature
    }

    let header: JSONTree
    let claims: JSONTree
    private let signed: Data
    private let signature: [UInt8]

    init(_ text: String) throws {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Base64URL.decode(parts[0]), let claims = Base64URL.decode(parts[1]),
            let signature = Base64URL.decode(parts[2])
        else { throw Problem.form }
        self.header = try JSONTree(parsing: header)
        self.claims = try JSONTree(parsing: claims)
        self.signature = signature
        signed = Data("\(parts[0]).\(parts[1])".utf8)
    }

    func verify(by key: P256.Signing.PublicKey) throws {
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: signature)
        guard header["alg"]?.text == "ES256", key.isValidSignature(signature, for: signed) else {
            throw Problem.signature
        }
    }

    func verify(by key: _RSA.Signing.PublicKey) throws {
        let signature = _RSA.Signing.RSASignature(rawRepresentation: Data(signature))
        guard header["alg"]?.text == "RS256",
            key.isValidSignature(signature, for: SHA256.hash(data: signed), padding: .insecurePKCS1v1_5)
        else { throw Problem.signature }
    }
}
