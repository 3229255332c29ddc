package chat

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"time"
)

// Bounds on an answer, in bytes. A long answer is a megabyte, and some tens as events
// that have a word or two each.
const (
	longestLine   = 16 << 20
	longestAnswer = 64 << 20
)

var errTooLong = errors.New("the answer is longer than 64 MiB")

// events reads the data of server-sent events (HTML Standard, 9.2). Every provider
// repeats an event's type in its data, so names are ignored, and IDs and pauses are not
// needed. Lines end in LF or CRLF; no provider ends them in CR alone.
type events struct{ lines *bufio.Scanner }

func newEvents(r io.Reader) *events {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 4096), longestLine)
	return &events{lines: lines}
}

// next returns the data of the next event with data, in its own memory, and [io.EOF] at
// the end of the stream. An event that the end cut off is dropped.
func (e *events) next() ([]byte, error) {
	var data []byte
	for e.lines.Scan() {
		line := e.lines.Bytes()
		if len(line) == 0 {
			if len(data) > 0 {
				return data, nil
			}
			data = nil
			continue
		}
		name, value, _ := bytes.Cut(line, []byte(":")) // a comment has no name
		if string(name) != "data" {
			continue
		}
		if data != nil {
			data = append(data, '\n')
		}
		data = append(data, bytes.TrimPrefix(value, []byte(" "))...)
		if data == nil {
			data = []byte{}
		}
		if len(data) > longestLine {
			return nil, bufio.ErrTooLong
		}
	}
	if err := e.lines.Err(); err != nil {
		return nil, err
	}
	return nil, io.EOF
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
