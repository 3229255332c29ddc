// Package call holds the one type of a call and the codec of its message, as the doors make
// it, the queue carries it and workers run it, with the codec of results and the fence of
// a call.
//
// # What it promises
//
// A new field of a call is one line in [Call] and one in the table beside it; a test
// compares the two. What is encoded decodes to the same call, and the fast path writes the
// bytes that the JSON library would write. Unknown members of a message are ignored.
//
// # What it does not promise
//
// It does not judge a call: whether its names are allowed, its tool known and its arguments
// valid is for those who take it.
package call
