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

// errStreamEnded means that the server closed the stream, which it never does by
// itself.
var errStreamEnded = errors.New("the event stream ended")

// stream passes the events of a trace to give. It returns nil when give returns false,
// and otherwise the reason the stream ended.
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

// readEvents parses server-sent events, in the subset that Helve uses. It returns nil
// when give returns false.
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
