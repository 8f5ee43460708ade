/// A command to send, with the completion of its reply.
struct CommandRequest {
    let command: RESPCommand
    let server: String?
    let completion: CommandConnection.Completion
}
