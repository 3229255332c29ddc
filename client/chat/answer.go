package chat

import (
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/client"
)

// assembler assembles an answer. Its errors are [*client.ModelError].
type assembler interface {
	// event processes the data of the next event, which is JSON, and reports whether it
	// was the last.
	event(data jsontext.Value) (last bool, err error)
	// whole processes an answer that was not streamed.
	whole(answer jsontext.Value) error
	// turn returns the answer once there is no more input, or an error if the answer is
	// incomplete.
	turn() (client.Turn, error)
}

// speech is the text of a model for the person.
type speech struct {
	give func(piece string) // may be nil
	said strings.Builder
}

// say passes a piece on.
func (s *speech) say(piece string) {
	if piece == "" {
		return
	}
	s.said.WriteString(piece)
	if s.give != nil {
		s.give(piece)
	}
}

// explain adds, in its own paragraph, the reason why there is no text or no more text.
func (s *speech) explain(why string) {
	if s.said.Len() > 0 {
		why = "\n\n" + why
	}
	s.say(why)
}

// done marks the end of a stream of Chat Completions, the only event of all four
// providers that is not JSON.
const done = "[DONE]"

// readStream assembles an answer that arrives as events.
func readStream(r io.Reader, a assembler) (client.Turn, error) {
	events := newEvents(r)
	for {
		data, err := events.next()
		if errors.Is(err, io.EOF) {
			return a.turn()
		}
		if err != nil {
			return client.Turn{}, lost(err)
		}
		if string(data) == done {
			return a.turn()
		}
		data, err = readable(data)
		if err != nil {
			return client.Turn{}, err
		}
		last, err := a.event(data)
		if err != nil {
			return client.Turn{}, err
		}
		if last {
			return a.turn()
		}
	}
}

// readWhole assembles an answer that arrives in one piece, although a stream was
// requested.
func readWhole(body []byte, a assembler) (client.Turn, error) {
	answer, err := readable(body)
	if err != nil {
		return client.Turn{}, err
	}
	if err := a.whole(answer); err != nil {
		return client.Turn{}, err
	}
	return a.turn()
}

// readable checks that data is JSON, and replaces invalid UTF-8 with U+FFFD, as the
// reader of an event stream must (HTML Standard, 9.2.6).
func readable(data []byte) (jsontext.Value, error) {
	if !utf8.Valid(data) {
		data = []byte(strings.ToValidUTF8(string(data), "\uFFFD"))
	}
	v := jsontext.Value(data)
	if !v.IsValid(lenient) {
		return nil, malformed("a piece of its answer is no JSON", nil)
	}
	return v, nil
}
