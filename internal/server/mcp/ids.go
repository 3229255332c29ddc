package mcp

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"io"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// keeper keeps the ids and progress tokens of a client as they were written. The SDK reads
// numbers into float64 and then int64, so 9007199254740993 and 1.5 would return as other
// ids, which no client knows. Towards the SDK each such number is a text of the keeper.
type keeper struct {
	mark []byte // nobody else can write it
}

func newKeeper() keeper { return keeper{[]byte(`"` + rand.Text())} }

// exact reports whether the SDK returns a number as it is.
func exact(number jsontext.Value) bool {
	const most = 1 << 53
	n, err := strconv.ParseInt(string(number), 10, 64)
	return err == nil && -most < n && n < most && strconv.FormatInt(n, 10) == string(number)
}

// hide returns a message of the client with texts in place of numbers that the SDK would
// change. The message is valid JSON.
func (k keeper) hide(text []byte, m *message) []byte {
	for _, number := range []jsontext.Value{m.ID, m.Params.RequestID, m.Params.Meta.ProgressToken} {
		if number.Kind() == '0' && !exact(number) {
			return k.rewrite(text)
		}
	}
	return text
}

// places are the members that hold an id or a token.
var places = []jsontext.Pointer{"/id", "/params/requestId", "/params/_meta/progressToken"}

func (k keeper) rewrite(text []byte) []byte {
	d := jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	var out []byte
	from := int64(0)
	for {
		token, err := d.ReadToken()
		if err != nil {
			return append(out, text[from:]...)
		}
		if token.Kind() != '0' || d.StackDepth() > 3 || !slices.Contains(places, d.StackPointer()) {
			continue
		}
		number, end := jsontext.Value(token.String()), d.InputOffset()
		if exact(number) {
			continue
		}
		out = append(append(out, text[from:end-int64(len(number))]...), k.mark...)
		out = append(base64.RawURLEncoding.AppendEncode(out, number), '"')
		from = end
	}
}

// show returns a message of the SDK with the client's numbers in place of the keeper's texts.
func (k keeper) show(text []byte) []byte {
	var out []byte
	for {
		before, rest, found := bytes.Cut(text, k.mark)
		encoded, after, ended := bytes.Cut(rest, []byte{'"'})
		number, err := base64.RawURLEncoding.AppendDecode(nil, encoded)
		if !found || !ended || err != nil {
			return append(out, text...)
		}
		out = append(append(out, before...), number...)
		text = after
	}
}

// hiding is the input of the SDK: it hides the numbers in each line of a client.
type hiding struct {
	io.ReadCloser

	keeper     keeper
	part, next []byte // of a line without an end, and hidden already
	err        error
}

// Read implements [io.Reader].
func (h *hiding) Read(b []byte) (int, error) {
	for len(h.next) == 0 && h.err == nil {
		var n int
		n, h.err = h.ReadCloser.Read(b)
		h.part = append(h.part, b[:n]...)
		end := bytes.LastIndexByte(h.part, '\n') + 1
		if h.err != nil || len(h.part)-end > longest {
			end = len(h.part)
		}
		for line := range bytes.Lines(h.part[:end]) {
			m, _ := glance(line)
			h.next = append(h.next, h.keeper.hide(line, &m)...)
		}
		h.part = slices.Clone(h.part[end:])
	}
	n := copy(b, h.next)
	if h.next = h.next[n:]; n > 0 {
		return n, nil
	}
	return 0, h.err
}

// showing is the output of the SDK, with the numbers of the client.
type showing struct {
	io.WriteCloser

	keeper keeper
}

// Write implements [io.Writer] for the SDK, which writes each message in one call.
func (s showing) Write(b []byte) (int, error) {
	if _, err := s.WriteCloser.Write(s.keeper.show(b)); err != nil {
		return 0, err
	}
	return len(b), nil
}
