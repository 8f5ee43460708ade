import ParleyModel

/// Requests that all have the same result.
struct FixedRequests: PushRequests {
    private let result: Result<PushAnswer, PushRequestError>

    init(_ result: Result<PushAnswer, PushRequestError>) {
        self.result = result
    }

    func answer(to request: PushRequest) async throws(PushRequestError) -> PushAnswer {
        try result.get()
    }
}
