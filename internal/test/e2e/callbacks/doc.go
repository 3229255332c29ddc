// Package callbacks tests callbacks of execute, on whole systems.
//
// It promises that the receiver of a callback gets each finished element once, signed with
// the published key, however the call ends; that a callback which is not allowed refuses its
// whole request; and that headers are shown nowhere.
package callbacks
