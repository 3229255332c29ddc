package client

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
)

// longestEvent bounds one line of a stream, in bytes.
const longestEvent = 16 << 20

// errStreamEnded means that the server went away: a stream has no end of its own.
var errStreamEnded = errors.New("the event stream ended")

// stream hands over the events of a trace. It returns nil when give refuses
// one, and otherwise why the stream ended.
func (t *httpTransport) stream(ctx context.Context, traceID, after string, give func(Event) bool) error {
	header := http.Header{"Accept": {"text/event-stream"}}
	if after != "" {
		header.Set("Last-Event-ID", after)
	}
	resp, err := t.send(ctx, operation{method: http.MethodGet, path: "/v1/events?trace_id=" + traceID}, header)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if kind := resp.Header.Get("Content-Type"); resp.StatusCode != http.StatusOK || !strings.HasPrefix(kind, "text/event-stream") {
		body, err := readUpTo(resp.Body, longestEvent)
		if err != nil {
			return unreachable(t.shown, err)
		}
		return t.refused(resp.StatusCode, answer{body: body})
	}
	err = readEvents(resp.Body, give)
	if err == nil {
		return nil
	}
	return unreachable(t.shown, err)
}

// readEvents parses server-sent events as far as Helve uses them. It returns nil
// when give refuses one.
func readEvents(r io.Reader, give func(Event) bool) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 4096), longestEvent)
	var id string
	var data []byte
	for lines.Scan() {
		name, value, _ := bytes.Cut(lines.Bytes(), []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "id":
			id = string(value)
		case "data":
			if data != nil {
				data = append(data, '\n')
			}
			data = append(data, value...)
			if len(data) > longestEvent {
				return fmt.Errorf("an event is longer than %d bytes", longestEvent)
			}
		case "": // a blank line ends an event; a comment begins with a colon
			if len(lines.Bytes()) > 0 || data == nil {
				continue
			}
			e, err := parseEvent(data)
			if err != nil {
				return err
			}
			if id != "" {
				e.ID = id
			}
			if !give(e) {
				return nil
			}
			data = nil
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	return errStreamEnded
}

func parseEvent(data []byte) (Event, error) {
	var e Event
	if err := json.Unmarshal(data, &e, lenient); err != nil {
		return e, fmt.Errorf("an event that is not Helve's: %w", err)
	}
	return e, nil
}
