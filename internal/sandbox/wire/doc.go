// Package wire carries frames between a pool and its children: four bytes of
// length, the most significant first, one that names the message, and its parts.
// Only what scripts themselves take and give is JSON: to write and read the rest as
// JSON took longer than a short script does.
//
// It promises that a reader takes no frame over [Max], holds no more memory than
// has arrived, and returns an error, never a panic, for anything that is not
// exactly one of the messages. It does not promise that a message makes sense
// when it comes: each end judges that.
package wire
