package import ParleyModel

/// What operators work with besides everybody else's services.
package struct AdminServices: Sendable {
    package var board: any NodeBoard
    /// How this node is.
    package var status: @Sendable () -> NodeStatus
    /// What this node says to a question; it does not need to ask itself by way of the board.
    package var answer: @Sendable (NodeQuestion) async -> NodeAnswer
    /// The names in `auth.admins`; see `Operators`.
    package var admins: Set<String>
    /// How long nodes may take to answer.
    package var patience: Duration

    package init(
        board: any NodeBoard, status: @escaping @Sendable () -> NodeStatus,
        answer: @escaping @Sendable (NodeQuestion) async -> NodeAnswer, admins: Set<String> = [],
        patience: Duration = .seconds(1)
    ) {
        self.board = board
        self.status = status
        self.answer = answer
        self.admins = admins
        self.patience = patience
    }
}
