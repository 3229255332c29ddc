package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// payloadSize is the size of a bare request and of the value of a call.
const payloadSize = 200

// callTimeout is the time after which an unanswered call counts as failed.
const callTimeout = 15 * time.Second

var (
	// payload is a JSON string of payloadSize bytes.
	payload = []byte(`"` + strings.Repeat("x", payloadSize-2) + `"`)
	body    = fmt.Appendf(nil, `{"calls":[{"tool":"debug.echo","arguments":{"value":%s}}]}`, payload)
	success = []byte(`"status":"success"`)
)

// dial returns a function that makes one call in the given way; url is that of NATS or
// of the dispatcher, and the calls last no longer than ctx. callers goroutines may call
// it concurrently.
func dial(ctx context.Context, way, url string, callers int) (call func() error, hangUp func(), err error) {
	if way == MCP || way == BareMCP {
		return dialMCP(ctx, url, callers)
	}
	if way == HTTP {
		return dialHTTP(ctx, url, callers)
	}
	nc, err := nats.Connect(url, nats.Name("helve-bench"), nats.MaxReconnects(0))
	if err != nil {
		return nil, nil, fmt.Errorf("connect to %s: %w", url, err)
	}
	switch way {
	case NATS:
		call = func() error { return callNATS(nc) }
	case Floor:
		call = func() error { return callFloor(nc) }
	default:
		call = func() error { return callBare(nc) }
	}
	return call, nc.Close, nil
}

func callBare(nc *nats.Conn) error {
	reply, err := nc.Request(echoSubject, payload, callTimeout)
	if err != nil {
		return err
	}
	if !bytes.Equal(reply.Data, payload) {
		return errors.New("the echo differs from the request")
	}
	return nil
}

func callNATS(nc *nats.Conn) error {
	reply, err := nc.Request("helve.v1.default.api.execute", body, callTimeout)
	if err != nil {
		return err
	}
	if code := reply.Header.Get("Nats-Service-Error-Code"); code != "" {
		return fmt.Errorf("the dispatcher answered %s: %s", code, reply.Header.Get("Nats-Service-Error"))
	}
	return judge(reply.Data)
}

// judge reports whether an answer is the expected success. It searches the required
// text and does not decode, as the bare way does not either.
func judge(answer []byte) error {
	if !bytes.Contains(answer, success) || !bytes.Contains(answer, payload) {
		return fmt.Errorf("the call did not succeed: %.500s", answer)
	}
	return nil
}
