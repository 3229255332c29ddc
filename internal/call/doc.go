// Package call holds the one type of a call and the codec of its message, as the doors make
// it, the queue carries it and workers run it, with the codec of results and the fence of
// a call.
//
// # What it promises
//
// A new field of a call is one line in [Call]: the codec reads the tags of the struct. What is
// encoded decodes to the same call, and the fast path writes the bytes that the JSON library
// would write. Unknown members of a message are ignored.
//
// A caller sets a field by a member of execute (internal/server/api/parsecall.go), and a tool
// sees it in [tool.Call] (internal/execution/execute.go: job).
//
// # What it does not promise
//
// It does not judge a call: whether its names are allowed, its tool known and its arguments
// valid is for those who take it.
package call
