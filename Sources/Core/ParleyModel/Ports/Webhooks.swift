/// The endpoints of back ends that are sent stored events, what they have accepted, and their dead letters.
///
/// One process at a time sends to an endpoint: it has the endpoint's lease, under a token of its own.
package protocol Webhooks: Sendable {
    /// Returns all endpoints, ascending by ID.
    func webhooks() async throws(StoreError) -> [Webhook]

    /// - Returns: Whether the endpoint was added: there were fewer than `Webhook.maximumCount`, and none with its ID.
    func addWebhook(_ webhook: Webhook) async throws(StoreError) -> Bool

    /// Replaces the settings, and possibly the progress.
    /// - Parameters:
    ///   - known: The endpoint as it was read. Nothing is replaced if its settings have changed since then, or its progress if
    ///     that is to be replaced.
    ///   - progress: Ends the lease, so that the next process begins with it; `nil` leaves the progress and the lease.
    /// - Returns: Whether the endpoint exists and was as it is known.
    func changeWebhook(
        _ known: Webhook, to settings: WebhookSettings, _ progress: WebhookProgress?
    ) async throws(StoreError) -> Bool

    /// Deletes an endpoint with its dead letters.
    /// - Returns: Whether the endpoint existed.
    func deleteWebhook(_ id: String) async throws(StoreError) -> Bool

    // MARK: Sending

    /// Gives a process the lease of an endpoint.
    /// - Parameters:
    ///   - token: A random text of this lease.
    ///   - milliseconds: The time until the lease ends, by the database's clock.
    /// - Returns: The endpoint; `nil` while another token has the lease, and for an unknown one.
    func leaseWebhook(_ id: String, to token: String, for milliseconds: Int64) async throws(StoreError) -> Webhook?

    /// Replaces the progress of an endpoint, and extends the lease, or ends it with 0 milliseconds.
    /// - Parameter progress: `nil` leaves the progress as it is.
    /// - Returns: The present settings; `nil` if the token was not the last one with the lease, and nothing is stored.
    func storeWebhook(
        _ id: String, _ progress: WebhookProgress?, by token: String, for milliseconds: Int64
    ) async throws(StoreError) -> WebhookSettings?

    // MARK: Dead letters

    /// Adds an event, or replaces the row that it has. Beyond `DeadLetter.maximumCount` the oldest row is removed.
    /// - Returns: Whether the endpoint exists.
    func addDeadLetter(_ letter: DeadLetter, of id: String) async throws(StoreError) -> Bool

    /// Returns dead letters of an endpoint, the newest first.
    /// - Parameter before: The row to continue before; `nil` starts at the newest.
    func deadLetters(of id: String, before: Int64?, limit: Int) async throws(StoreError) -> [DeadLetter]

    /// Returns the number of dead letters of each endpoint that has some.
    func deadLetterCounts() async throws(StoreError) -> [String: Int]

    /// Marks dead letters to be sent again.
    /// - Parameter letters: At most a few hundred rows; `nil` for all.
    /// - Returns: The number of rows that were not marked before.
    func replayDeadLetters(of id: String, _ letters: [Int64]?) async throws(StoreError) -> Int

    /// Returns dead letters that will be sent again, the oldest first.
    func replayedDeadLetters(of id: String, limit: Int) async throws(StoreError) -> [DeadLetter]

    /// Removes a dead letter.
    /// - Returns: Whether it existed.
    func removeDeadLetter(_ letter: Int64, of id: String) async throws(StoreError) -> Bool
}
