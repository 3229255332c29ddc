package gate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/helve-dev/helve/internal/consent/preview"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

const (
	// mostText bounds one text of a change, and mostTexts all of a request as JSON, so that the
	// request fits into a message beside the arguments. In bytes.
	mostText  = 64 << 10
	mostTexts = 256 << 10
	// around is the number of lines that stay beside a difference that is cut out of its text.
	around = 3
)

// changes returns what the call changes as the person is shown it.
func (p *pass) changes(ctx context.Context) ([]protocol.Change, error) {
	found, err := p.j.Changes(ctx)
	if refusal, refused := errors.AsType[*tool.Error](err); refused {
		p.j.Decision.Outcome, p.j.Decision.Reason = protocol.OutcomeBlocked, refusal.Msg
	}
	if len(found) == 0 || err != nil {
		return nil, err
	}
	for room := mostText; ; room /= 2 {
		var shown []protocol.Change
		for i := range found {
			if found[i].Exists || found[i].New != nil { // otherwise nothing is known of it
				shown = append(shown, change(&found[i], room))
			}
		}
		text, err := json.Marshal(shown)
		if err != nil || len(text) <= mostTexts || room == 0 {
			return shown, err
		}
	}
}

// change returns the readable form of a change, each text of at most room bytes.
func change(c *engine.Change, room int) protocol.Change {
	shown := protocol.Change{Path: textcut.Head(c.Path, mostPath), OldSHA256: c.OldSHA256, Cut: c.Exists && !c.Whole && c.OldSHA256 != ""}
	var before, after string
	if c.Exists && c.OldSHA256 != "" && readable(c.Old, c.Whole) {
		before = visible(c, c.Old)
		shown.Old = &before
	}
	if c.New != nil && (c.Whole || !c.Appends || !c.Exists) && readable(c.New, true) {
		after = visible(c, c.New)
		shown.New = &after
	}
	if len(before) > room || len(after) > room {
		shown.Cut = true
		if shown.Old != nil && shown.New != nil {
			before, after = apart(before, after)
		}
		before, after = lines(before, room), lines(after, room)
	}
	return shown
}

// mostPath bounds the path of a change, in bytes.
const mostPath = 1024

// readable reports whether data is a text. If it is not whole its last character may be cut.
func readable(data []byte, whole bool) bool {
	if !whole {
		data = data[:len(data)-min(len(data), utf8.UTFMax-1)]
	}
	return utf8.Valid(data) && bytes.IndexByte(data, 0) < 0
}

// visible returns a text without what looks like a secret in a file. Code is shown as it is.
func visible(c *engine.Change, data []byte) string {
	text := strings.ToValidUTF8(string(data), "")
	if c.Held != nil {
		return text
	}
	return preview.Hide(text)
}

// apart drops the lines that both texts begin and end with, but for some beside the difference.
func apart(before, after string) (string, string) {
	was, is := strings.SplitAfter(before, "\n"), strings.SplitAfter(after, "\n")
	head := 0
	for head < min(len(was), len(is)) && was[head] == is[head] {
		head++
	}
	tail := 0
	for tail < min(len(was), len(is))-head && was[len(was)-1-tail] == is[len(is)-1-tail] {
		tail++
	}
	head, tail = max(head-around, 0), max(tail-around, 0)
	return strings.Join(was[head:len(was)-tail], ""), strings.Join(is[head:len(is)-tail], "")
}

// lines returns the lines of a text that fit into room bytes, or the beginning of its first.
func lines(text string, room int) string {
	if len(text) <= room {
		return text
	}
	text = textcut.Head(text, room)
	if end := strings.LastIndexByte(text, '\n'); end >= 0 {
		return text[:end+1]
	}
	return text
}
