package chat

import (
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/client"
)

// assembler puts an answer together. Its errors are [*client.ModelError].
type assembler interface {
	// event takes the data of the next event, which is JSON, and reports whether it
	// was the last.
	event(data jsontext.Value) (last bool, err error)
	// whole takes an answer that was not streamed.
	whole(answer jsontext.Value) error
	// turn returns what there is when nothing more comes, or an error if that is no
	// whole answer.
	turn() (client.Turn, error)
}

// speech is what a model says to the person.
type speech struct {
	give func(piece string) // may be nil
	said strings.Builder
}

// say hands a piece on.
func (s *speech) say(piece string) {
	if piece == "" {
		return
	}
	s.said.WriteString(piece)
	if s.give != nil {
		s.give(piece)
	}
}

// explain says why there is nothing, or nothing more, in a paragraph of its own.
func (s *speech) explain(why string) {
	if s.said.Len() > 0 {
		why = "\n\n" + why
	}
	s.say(why)
}

// done is the mark at the end of a stream of Chat Completions, the one event of all
// four providers that is no JSON.
const done = "[DONE]"

// readStream puts together an answer that comes in events.
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

// readWhole puts together an answer that comes at once, though a stream was asked for.
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

// readable checks that data is JSON, and says U+FFFD for what is no UTF-8, as the
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
