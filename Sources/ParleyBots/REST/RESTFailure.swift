/// Why an HTTP call failed.
package enum RESTFailure: Error, CustomStringConvertible {
    case timedOut(String)
    case tooLong
    case closed
    case unreachable(url: String, reason: String)
    /// An unexpected status.
    case refused(path: String, status: Int, body: String)
    /// A response that violates the protocol.
    case malformed(path: String)

    package var description: String {
        switch self {
        case .timedOut(let path): "\(path) was not answered in time"
        case .tooLong: "an answer is longer than \(RESTConnection.maximumBytes) bytes"
        case .unreachable(let url, let reason): "\(url) cannot be reached: \(reason)"
        case .closed: "the connection was closed before the answer"
        case .refused(let path, let status, let body): "\(path) was answered by \(status): \(body)"
        case .malformed(let path): "the answer of \(path) is not what the protocol says"
        }
    }
}
