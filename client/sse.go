package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/helve-dev/helve/internal/lib/eventstream"
)

// longestEvent bounds the data of one event, in bytes.
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
	if kind := resp.Header.Get("Content-Type"); resp.StatusCode != http.StatusOK ||
		kind != "" && !strings.HasPrefix(kind, "text/event-stream") {
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

// readEvents parses server-sent events. It returns nil when give returns false.
func readEvents(r io.Reader, give func(Event) bool) error {
	in := eventstream.NewReader(r, longestEvent)
	for {
		message, err := in.Data()
		switch {
		case errors.Is(err, io.EOF):
			return errStreamEnded
		case errors.Is(err, eventstream.ErrTooLong):
			return fmt.Errorf("an event is longer than %d bytes", longestEvent)
		case err != nil:
			return err
		}
		e, err := parseEvent(message.Data)
		if err != nil {
			return err
		}
		if message.ID != "" {
			e.ID = message.ID
		}
		if !give(e) {
			return nil
		}
	}
}

func parseEvent(data []byte) (Event, error) {
	var e Event
	if err := json.Unmarshal(data, &e, lenient); err != nil {
		return e, fmt.Errorf("an event that is not Helve's: %w", err)
	}
	return e, nil
}
