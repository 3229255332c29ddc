package system

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/internal/test/testtime"
)

// NATSDoor sends operations over NATS, to any dispatcher.
type NATSDoor struct{ nc *nats.Conn }

// NATS returns the NATS door.
func (s *System) NATS() NATSDoor { return NATSDoor{s.Conn} }

// Ask implements Door.
func (d NATSDoor) Ask(t testing.TB, tenant, operation string, params map[string]string, body string) Reply {
	t.Helper()
	if len(params) > 0 {
		body = WithFields(t, body, params)
	}
	msg, err := d.nc.Request(fmt.Sprintf("helve.v1.%s.api.%s", tenant, operation), []byte(body), testtime.Patience())
	if err != nil {
		t.Fatalf("%s: %v", operation, err)
	}
	r := Reply{200, http.Header(msg.Header), msg.Data}
	if code := msg.Header.Get("Nats-Service-Error-Code"); code != "" {
		if r.Status, err = strconv.Atoi(code); err != nil {
			t.Fatalf("Nats-Service-Error-Code = %q, want a number", code)
		}
	}
	return r
}

// WithFields adds the parameters to a JSON object, as fields.
func WithFields(t testing.TB, body string, params map[string]string) string {
	t.Helper()
	fields := map[string]any{}
	if body != "" {
		if err := json.Unmarshal([]byte(body), &fields); err != nil {
			t.Fatal(err)
		}
	}
	for name, value := range params {
		fields[name] = value
	}
	var w bytes.Buffer
	if err := json.NewEncoder(&w).Encode(fields); err != nil {
		t.Fatal(err)
	}
	return w.String()
}
