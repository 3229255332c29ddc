// Package preview turns the arguments of a call into what a person is shown
// before deciding on it.
//
// # What it promises
//
// What is shown is made from the very value that will run, in its order, with
// every digit of its numbers. Nothing in it can pass for something else: what is
// not plainly visible stands there by its code, a line break cannot start a line
// of its own, markup is text. What the preview says itself is written with the
// signs … and •••, and where a value holds those they are written as codes, so
// no value can pretend that it was cut or hidden.
//
// What does not fit is cut from the middle of long texts and from the end of
// long lists, and each cut says how much is missing. The room is shared out, so
// that no argument pushes another one out of sight.
//
// The value of a parameter that the schema marks ("writeOnly": true or "format":
// "password", at any depth) never appears, nor does its length. The value of a
// member with a telling name (password, api_key, Authorization …) is replaced by
// its kind and a rough length. In other texts the part that looks like a secret
// is replaced.
//
// Work is linear in the arguments and memory is bounded.
//
// # What it does not promise
//
// Marks are certain; names and looks are a help and no proof. A marked value
// that is repeated in another argument is shown there, because otherwise a
// caller could hide any text by also sending it as a password. Right-to-left
// letters are shown as they are, and a terminal may order them as it likes. The
// warnings about hosts know common look-alike letters, not what a person takes
// for the same.
//
// A page that parses Arguments must still put its strings there as text:
// markup is protected in the JSON itself and in Text, not after parsing.
package preview

import (
	"encoding/json"
	"fmt"
)

// maxBytes is the longest Arguments and Text get, and wholeBytes that where some
// parameters are to be shown whole.
const (
	maxBytes   = 16 << 10
	wholeBytes = 192 << 10
)

// Preview is what a person is shown of the arguments of one call.
type Preview struct {
	// Arguments has the shape of the arguments, with secrets replaced and
	// strings made harmless: a backslash in them is doubled and what is not
	// plainly visible is written as \uXXXX, also after parsing. It is a JSON
	// object of at most 16 KiB.
	Arguments json.RawMessage
	// Text has one line "path: value" for each value that holds no other, such
	// as `headers.Accept: "text/html"`, strings as JSON literals. At most 16 KiB.
	Text string
	// Cut says that something was left out for length; Arguments and Text say
	// where, how much and of what.
	Cut bool
	// Hidden names the paths whose values were hidden, whole or in part, at most
	// 100 of them, in order.
	Hidden []string
	// Warnings are sentences about what may deceive the reader, in order, at
	// most 50 and a last one that counts the rest.
	Warnings []string
}

// Of makes the preview of args, the strictly decoded and validated object that
// will run, with its defaults. The schema is that of the tool's parameters, as
// package schema accepts it; without one nothing is marked. It fails when either
// is not what it should be; then the call cannot be shown, and should not run.
//
// In the parameters named verbatim nothing is taken for a secret, and there is
// room to show them whole: code would otherwise hide behind a name like password.
func Of(args, schema json.RawMessage, verbatim ...string) (Preview, error) {
	m, err := marksOf(schema)
	if err != nil {
		return Preview{}, fmt.Errorf("the tool's schema cannot be read, so its secrets cannot be hidden: %w", err)
	}
	top, found, err := read(args, m, verbatim)
	if err != nil {
		return Preview{}, fmt.Errorf("the arguments cannot be shown: %w", err)
	}
	p := Preview{Hidden: found.hidden, Warnings: found.sentences()}
	room := maxBytes
	if len(verbatim) > 0 {
		room = wholeBytes
	}
	p.Arguments, p.Text, p.Cut = layOut(top, room)
	return p, nil
}
