package system

import (
	"encoding/json"
	"net/http"
	"testing"
)

// Reply is an answer, whatever the door.
type Reply struct {
	Status int // HTTP status, or Nats-Service-Error-Code, or 200
	Header http.Header
	Body   []byte
}

// Decode decodes the body of an answer.
func Decode[T any](t testing.TB, r Reply) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(r.Body, &v); err != nil {
		t.Fatalf("status %d, body %.300q: %v", r.Status, r.Body, err)
	}
	return v
}

// Door is a transport for operations. Params are the operation's parameters, body is the
// JSON body, if it has one.
type Door interface {
	Ask(t testing.TB, tenant, operation string, params map[string]string, body string) Reply
}

// EveryDoor runs test over HTTP and over NATS.
func EveryDoor(t *testing.T, s *System, test func(t *testing.T, d Door)) {
	t.Run("http", func(t *testing.T) { t.Parallel(); test(t, s.HTTP(0)) })
	t.Run("nats", func(t *testing.T) { t.Parallel(); test(t, s.NATS()) })
}
