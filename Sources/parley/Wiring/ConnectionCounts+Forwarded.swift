import ParleyGateway
import ParleyREST

extension ConnectionCounts: ForwardedRequests {
    package func begin(from address: String) -> Int? {
        do {
            try openRequest(from: address)
            return nil
        } catch {
            if case .tooManyRequests(let limit) = error { return limit }
            return 0
        }
    }

    package func end(from address: String) {
        closeRequest(from: address)
    }
}
