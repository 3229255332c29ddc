package calls

import (
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/audit/trail"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/telemetry"
)

// TestViewsOfPersons: a look of an admin or auditor at what belongs to another person, or to
// everybody, is on the trail before it is answered; a person's look at their own is not.
func TestViewsOfPersons(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	v := NewViews(trail.Writer{Queue: q, Metrics: telemetry.NewMetrics(), Log: zap.NewNop()})
	ctx := queuetest.Context(t)
	person := func(name string, roles ...identity.Role) identity.Principal {
		return identity.Principal{Tenant: "acme", User: name, Name: "key-" + name, Roles: roles}
	}
	for _, tt := range []struct {
		name string
		by   identity.Principal
		of   string
		want int
	}{
		{"own", person("ann", identity.User), "ann", 0},
		{"admin", person("root", identity.Admin), "ann", 1},
		{"admin without a name", person("", identity.Admin), "ann", 1},
		{"auditor", person("carl", identity.Auditor), "ann", 1},
		{"admin at everybody's", person("root", identity.Admin), "", 1},
		{"admin without a name at everybody's", person("", identity.Admin), "", 1},
		{"nobody is authenticated", identity.Anyone("acme"), "ann", 0},
	} {
		what := "the file \"" + strings.ReplaceAll(tt.name, " ", "-") + "\" is read"
		for range 2 { // the second time within an hour it is known
			if err := v.Person(identity.With(ctx, tt.by), "acme", tt.of, "files.get", what); err != nil {
				t.Fatalf("%s: %v", tt.name, err)
			}
		}
		if got := views(t, q, what); got != tt.want {
			t.Errorf("%s: %d records, want %d", tt.name, got, tt.want)
		}
	}
}

// views counts the records of the tenant with a detail.
func views(t *testing.T, q *queue.Queue, detail string) (n int) {
	t.Helper()
	c, err := q.Conn.JetStream().OrderedConsumer(queuetest.Context(t), streams.Audit, jetstream.OrderedConsumerConfig{})
	if err != nil {
		t.Fatal(err)
	}
	page, err := c.FetchNoWait(1000)
	if err != nil {
		t.Fatal(err)
	}
	for m := range page.Messages() {
		if text := string(m.Data()); strings.Contains(text, strings.ReplaceAll(detail, `"`, `\"`)) &&
			strings.Contains(text, `"phase":"personal_data"`) {
			n++
		}
	}
	return n
}
