package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// Exact moves structured content into a string, with the text in which it was written: the
// SDK would read it into float64, which loses digits. [Structured] reverses it.
func Exact(msg jsonrpc.Message) jsonrpc.Message {
	answer, ok := msg.(*jsonrpc.Response)
	if !ok || !bytes.Contains(answer.Result, []byte(`"structuredContent"`)) {
		return msg
	}
	if moved, err := moveStructured(answer.Result); err == nil {
		answer.Result = moved
	}
	return answer
}

func moveStructured(result []byte) (json.RawMessage, error) {
	in := jsontext.NewDecoder(bytes.NewReader(result))
	if t, err := in.ReadToken(); err != nil || t.Kind() != '{' {
		return nil, fmt.Errorf("not an object: %w", err)
	}
	out := []byte{'{'}
	for in.PeekKind() != '}' {
		name, err := in.ReadValue()
		if err != nil {
			return nil, err
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		structured := string(name) == `"structuredContent"`
		out = append(append(out, name...), ':')
		value, err := in.ReadValue()
		if err != nil {
			return nil, err
		}
		if structured {
			if out, err = jsontext.AppendQuote(out, value); err != nil {
				return nil, err
			}
			continue
		}
		out = append(out, value...)
	}
	return append(out, '}'), nil
}

// Structured returns structured content as it was sent, nil if there is none.
func Structured(content any) json.RawMessage {
	switch text := content.(type) {
	case nil:
		return nil
	case string:
		if jsontext.Value(text).IsValid() {
			return json.RawMessage(text)
		}
	}
	raw, err := json.Marshal(content)
	if err != nil {
		return nil
	}
	return raw
}

// The ids of answers: only the ends of a long answer are kept.
var (
	idFirst = regexp.MustCompile(`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*,`)
	idLast  = regexp.MustCompile(`"id"\s*:\s*(\d{1,15})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$`)
)

// idOf returns the id of the call that a message answers, from the message's two ends.
func idOf(head, tail []byte) (jsonrpc.ID, bool) {
	found := idFirst.FindSubmatch(head)
	if found == nil {
		found = idLast.FindSubmatch(tail)
	}
	if found == nil {
		return jsonrpc.ID{}, false
	}
	n, err := strconv.ParseFloat(string(found[1]), 64)
	if err != nil {
		return jsonrpc.ID{}, false
	}
	id, err := jsonrpc.MakeID(n)
	return id, err == nil
}

// read decodes the message of a line. Nil means that the line is skipped; why is the
// reason, empty for a blank line. An unacceptable answer that names its call is replaced.
func read(l *line, longest int) (msg jsonrpc.Message, why string) {
	head, tail, instead := l.text, l.text, unreadableResponse
	switch {
	case l.tooLong():
		head, tail, instead = l.head, l.tail, tooLong
		why = fmt.Sprintf("it answered with %d bytes, at most %d are taken", l.size, longest)
	case len(bytes.TrimSpace(l.text)) == 0:
		return nil, ""
	case !utf8.Valid(l.text):
		why = "its answer is not valid UTF-8"
	default:
		msg, err := jsonrpc.DecodeMessage(l.text)
		if err == nil {
			return Listed(Exact(own(msg))), ""
		}
		why = "it sent a line that is no message"
	}
	if id, ok := idOf(head, tail); ok {
		return instead(id, why), why
	}
	return nil, why
}

// own takes from a server's error a code that only this package uses.
func own(msg jsonrpc.Message) jsonrpc.Message {
	if answer, ok := msg.(*jsonrpc.Response); ok {
		if e, ok := errors.AsType[*jsonrpc.Error](answer.Error); ok && ours(e.Code) {
			e.Code = jsonrpc.CodeInternalError
		}
	}
	return msg
}
