package chat

import (
	"bufio"
	"errors"
	"io"
	"time"

	"github.com/helve-dev/helve/internal/lib/eventstream"
)

// Bounds on an answer, in bytes. A long answer is a megabyte, and some tens as events
// that have a word or two each.
const (
	longestEvent  = 16 << 20
	longestAnswer = 64 << 20
)

var errTooLong = errors.New("the answer is longer than 64 MiB")

// events reads the data of server-sent events (HTML Standard, 9.2). Every provider repeats an
// event's type in its data, so names are ignored, and IDs and pauses are not needed.
type events struct{ in *eventstream.Reader }

func newEvents(r io.Reader) *events { return &events{eventstream.NewReader(r, longestEvent)} }

// next returns the data of the next event with data, in its own memory, and [io.EOF] at
// the end of the stream. An event that the end cut off is dropped.
func (e *events) next() ([]byte, error) {
	for {
		event, err := e.in.Data()
		switch {
		case errors.Is(err, eventstream.ErrTooLong):
			return nil, bufio.ErrTooLong
		case err != nil || len(event.Data) > 0:
			return event.Data, err
		}
	}
}

// watch ends a request whose provider sends nothing. It runs from the start and pauses
// while the stream is not read: a person may be slow, a provider may not.
type watch struct {
	limit time.Duration
	timer *time.Timer
}

// bounded reads no more than left bytes.
type bounded struct {
	in   io.Reader
	left int
	idle *watch // nil for none
}

// Read implements [io.Reader].
func (b *bounded) Read(p []byte) (int, error) {
	if b.idle != nil {
		b.idle.timer.Reset(b.idle.limit)
		defer b.idle.timer.Stop()
	}
	n, err := b.in.Read(p)
	if b.left -= n; b.left < 0 {
		return 0, errTooLong
	}
	return n, err
}
