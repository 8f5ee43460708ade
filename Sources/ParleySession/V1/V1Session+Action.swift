package import ParleyModel
package import ParleyWire

extension V1Session {
    /// What the owner does for the session, in order.
    ///
    /// No answer may come while the actions of one step are being performed: one that is known at once is handed in
    /// afterwards.
    package enum Action: Hashable, Sendable {
        // MARK: To the client

        /// Encode and write; then `wrote`.
        case send(V1Frame)
        /// Write these events, in order, together; then `wrote`.
        case replay([LogEvent])
        /// Write what the frames hold for the encoding of the socket, in order, together; then `wrote`.
        case write([HeldFrame])
        /// Call `drained` as soon as no more than so many bytes wait in the channel, which may be so already.
        case awaitDrain(below: Int)
        /// The last action of a session.
        case close(CloseReason)

        // MARK: The log

        /// Append a message; answer with `appended`.
        case append(V1Append)
        /// Edit or delete a message, or react to it; answer with `finished`.
        case change(number: UInt64, MessageChange, Membership)
        /// Say where the log of the thread ends; answer with `foundEnds`.
        case findHead(ThreadID)
        /// Say of each thread up to where its log has been delivered; answer with `foundEnds`.
        case findEnds([ThreadID])
        /// `MessageLog.events`; answer with `readLog`.
        case readLog(ThreadID, after: Int64, limit: Int)
        /// `MessageStore.events`; answer with `readStore`.
        case readStore(ThreadID, after: Int64, limit: Int)
        /// Say which of these events are in the store; answer with `foundStored`.
        case findStored([Receipt])

        // MARK: Threads and users

        /// These threads are not among the user's memberships here. Look again, and make live what turns up; answer
        /// with `foundThreads`.
        case findThreads([ThreadID])
        /// Move the read cursor, tell the members; answer with `finished`.
        case markRead(number: UInt64, ThreadID, seq: Int64?)
        /// Tell the members of the thread, sent and forgotten; answer with `finished`.
        case showTyping(number: UInt64, Membership, isOn: Bool)
        /// Check the title, join the room or make it; answer with `finished`.
        case join(number: UInt64, title: String)
        /// End the membership, if there is one; answer with `finished`.
        case leave(number: UInt64, ThreadID)
        /// From now on hand in the `presence` of these users and no others, the present state of each at once; answer
        /// with `finished`.
        case watch(number: UInt64, [UserID])
        /// Check that these are good credentials of the same user, and let the socket live as long as they do; answer
        /// with `finished`.
        case authenticate(number: UInt64, token: String)

        // MARK: The connection

        /// Call `wake` after so many microseconds, whatever happens in the meantime.
        case wake(after: Int64)
        /// Hand in no more frames until `resumeReading`.
        case pauseReading
        case resumeReading
        /// A frame was no command, or a command was refused; count it.
        case refuse(V1ErrorCode)
    }
}
