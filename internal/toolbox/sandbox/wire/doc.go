// Package wire carries frames between a pool and its children: four bytes of length, the
// most significant first, one byte for the kind of message, and its parts. Only values of
// scripts are JSON: writing and reading the rest as JSON took longer than a short script
// does.
//
// It promises that a reader accepts no frame over [Max], holds little more memory than has
// arrived (four times as much), copies a large body at most once, and returns an error,
// never a panic, for anything that is not exactly one of the messages. It does not promise
// that a message makes sense in its place: each end checks that.
package wire
