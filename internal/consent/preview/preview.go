// Package preview makes the readable form of a call's arguments that a person is shown
// before deciding about the call.
//
// # What it promises
//
// The preview is made from the same value that will run, in its order, with every digit
// of its numbers. Nothing in it can pass for something else: a character that is not
// plainly visible is shown as its code, a line break cannot start a line of its own,
// markup is text. The preview's own notes are written with the signs … and •••, which
// are shown as codes if a value contains them, so no value can pretend that it was cut
// or hidden.
//
// A preview that is too long is cut in the middle of long texts and at the end of long
// lists, and each cut has a note with the amount. The room is shared, so that no
// argument displaces another.
//
// The value of a parameter that the schema marks ("writeOnly": true or "format":
// "password", at any depth) never appears, nor does its length. The value of a member
// with the name of a secret (password, api_key, Authorization …) is replaced by its kind
// and a rough length. In other texts the part that looks like a secret is replaced:
// known tokens, NAME=value, the values of options such as --password, mysql -p or
// curl -u USER:, and the user part and the fragment of an address.
//
// Long runs of blanks and line breaks are replaced by their number, a path that changes
// when it is resolved is shown with the result, and words with letters that look like
// others have a warning.
//
// Work is linear in the arguments and memory is bounded.
//
// # What it does not promise
//
// Marks are certain; recognizing names and forms of secrets is a help without proof. A
// marked value that is repeated in another argument is shown there, because otherwise a
// caller could hide any text by also sending it as a password. Right-to-left letters are
// shown unchanged, and a terminal may reorder them. The warnings about hosts cover common
// look-alike letters, not every possible confusion.
//
// A page that parses Arguments must insert its strings as text: markup is protected in
// the JSON itself and in Text, not after parsing.
package preview

import (
	"encoding/json"
	"fmt"
)

// maxBytes is the maximum size of Arguments and Text, and wholeBytes the maximum if some
// parameters must be shown complete.
const (
	maxBytes   = 16 << 10
	wholeBytes = 192 << 10
)

// Preview is the readable form of the arguments of one call, for the person who decides.
type Preview struct {
	// Arguments has the shape of the arguments, with secrets replaced and strings made
	// harmless: a backslash in them is doubled and characters that are not plainly visible
	// are written as \uXXXX, also after parsing. It is a JSON object of at most 16 KiB.
	Arguments json.RawMessage
	// Text has one line "path: value" for each scalar value, such as `headers.Accept:
	// "text/html"`, strings as JSON literals. At most 16 KiB.
	Text string
	// Cut is set if something was left out for length; Arguments and Text mark each place
	// with the kind and the amount.
	Cut bool
	// Hidden names the paths of values that were hidden, wholly or in part, at most 100 of
	// them, in order.
	Hidden []string
	// Warnings are sentences about content that may deceive the reader, in order, at most
	// 50, and a last sentence with the number of the others.
	Warnings []string
}

// Marked reports whether a schema marks values as secrets, so that they must never be shown.
// It errs towards true.
func Marked(schema json.RawMessage) bool {
	m, err := marksOf(schema)
	return m != nil || err != nil
}

// Of makes the preview of args, the strictly decoded and validated object that will run,
// with its defaults. The schema is that of the tool's parameters, as package schema accepts
// it; without a schema nothing is marked. It fails if either is invalid; then the call
// cannot be shown, and must not run.
//
// In the parameters named verbatim, and in all that is within them, nothing is treated as
// a secret unless the schema marks it, and there is room to show them complete: code would
// otherwise hide behind a name like password. What may deceive is marked there as well.
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
