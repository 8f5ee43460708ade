package import ParleyModel

/// What must be known of a message before somebody may change it.
package typealias FoundMessage = MessagePlace
