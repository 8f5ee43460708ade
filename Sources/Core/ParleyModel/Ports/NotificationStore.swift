/// The settings of users for notifications.
///
/// Settings for a thread end with the membership, and all settings with an erasure, in the same transaction.
package protocol NotificationStore: Sendable {
    /// Returns the settings of a user; the standard ones if there are none.
    func notifications(of user: UserID) async throws(StoreError) -> NotificationSettings

    /// Returns the settings of a user for threads, in the byte order of the threads' IDs, at most `ThreadNotifications.mostOfUser`.
    func threadNotifications(of user: UserID) async throws(StoreError) -> [ThreadNotificationRecord]

    /// Returns the settings of a user for one thread.
    func threadNotifications(
        of user: UserID, in thread: ThreadID
    ) async throws(StoreError) -> ThreadNotifications

    /// Returns the settings that decide about a message, except for users without any.
    /// - Parameter users: At most `PushDevice.mostUsers`; further users are left out.
    func notifications(
        of users: [UserID], in thread: ThreadID
    ) async throws(StoreError) -> [UserID: RecipientSettings]

    /// Changes the settings of a user.
    /// - Returns: The settings after the change; `nil` for a user who is unknown or erased.
    func setNotifications(
        _ update: NotificationUpdate, of user: UserID
    ) async throws(StoreError) -> NotificationSettings?

    /// Changes the settings of a user for a thread. Settings for other threads that have no effect any longer are removed.
    /// - Parameter now: The current time in Unix milliseconds.
    func setThreadNotifications(
        _ update: ThreadNotificationUpdate, of user: UserID, in thread: ThreadID, at now: Int64
    ) async throws(StoreError) -> ThreadNotificationOutcome
}
