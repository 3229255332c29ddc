package audit

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/internal/test/testtime"
)

// gather sends a request to all and returns the answers of both dispatchers.
func gather(t testing.TB, subject string) (answers []*nats.Msg) {
	t.Helper()
	inbox := nats.NewInbox()
	sub, err := shared.Conn.SubscribeSync(inbox)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = sub.Unsubscribe() }()
	if err := shared.Conn.PublishRequest(subject, inbox, nil); err != nil {
		t.Fatal(err)
	}
	for range shared.URLs {
		msg, err := sub.NextMsg(testtime.Patience())
		if err != nil {
			t.Fatalf("%s: %v after %d answers", subject, err, len(answers))
		}
		answers = append(answers, msg)
	}
	return answers
}

// TestMicroService: the dispatchers are visible as a NATS micro service.
func TestMicroService(t *testing.T) {
	t.Parallel()
	system.One(t, shared.NATS(), system.NewTenant(), system.EchoCall("1"))
	ids, requests := map[string]bool{}, 0
	for verb, kind := range map[string]string{"PING": "ping_response", "INFO": "info_response", "STATS": "stats_response"} {
		for _, msg := range gather(t, "$SRV."+verb+".helve-dispatcher") {
			var got struct {
				Type, Name, ID, Version string
				Endpoints               []struct {
					Subject     string
					QueueGroup  string `json:"queue_group"`
					NumRequests int    `json:"num_requests"`
				}
			}
			if err := json.Unmarshal(msg.Data, &got); err != nil {
				t.Fatal(err)
			}
			if got.Name != "helve-dispatcher" || !strings.HasSuffix(got.Type, kind) || got.ID == "" || got.Version == "" {
				t.Errorf("%s = %s, want name, type, id and version", verb, msg.Data)
			}
			ids[got.ID] = true
			if verb == "PING" {
				continue
			}
			subjects := map[string]bool{}
			for _, e := range got.Endpoints {
				subjects[e.Subject] = e.QueueGroup != ""
				requests += e.NumRequests
			}
			for operation := range system.Routes {
				if !subjects["helve.v1.*.api."+operation] {
					t.Errorf("%s: no endpoint of a queue group for %s: %s", verb, operation, msg.Data)
				}
			}
		}
	}
	if len(ids) != len(shared.URLs) {
		t.Errorf("%d services answered, want %d", len(ids), len(shared.URLs))
	}
	if requests == 0 {
		t.Error("$SRV.STATS counts no requests")
	}
}

// TestOperationsShareTheLoad: each request is answered once, by one of them.
func TestOperationsShareTheLoad(t *testing.T) {
	t.Parallel()
	inbox := nats.NewInbox()
	sub, err := shared.Conn.SubscribeSync(inbox)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = sub.Unsubscribe() }()
	const n = 50
	tenant := system.NewTenant()
	for range n {
		if err := shared.Conn.PublishRequest("helve.v1."+tenant+".api.execute", inbox,
			[]byte(`{"calls": [`+system.EchoCall("1")+`]}`)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range n {
		if _, err := sub.NextMsg(testtime.Patience()); err != nil {
			t.Fatalf("%d answers to %d requests: %v", i, n, err)
		}
	}
	// A second answer would arrive before another round trip is over.
	system.One(t, shared.NATS(), tenant, system.EchoCall("1"))
	if msg, err := sub.NextMsg(time.Millisecond); err == nil {
		t.Errorf("one answer too many: %s", msg.Data)
	}
}

func TestEmptyBodyIsAnEmptyObject(t *testing.T) {
	t.Parallel()
	d, tenant := shared.NATS(), system.NewTenant()
	if r := d.Ask(t, tenant, "tools.list", nil, ""); r.Status != 200 {
		t.Errorf("tools.list with an empty body = %d %s", r.Status, r.Body)
	}
	for _, operation := range []string{"execute", "calls.get", "agents.put", "events"} {
		system.WantProblem(t, operation, d.Ask(t, tenant, operation, nil, ""), 400, "bad_request")
	}
	for _, body := range []string{"garbage", "[]", `"x"`, "\xff", `{"call_id": 7}`} {
		system.WantProblem(t, body, d.Ask(t, tenant, "calls.get", nil, body), 400, "bad_request")
	}
}
