package audit

import (
	"strconv"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/protocol"
)

// operate uses the operations for operators on a system of its own, and marks them as asked
// for. Its doors compare each answer with /openapi.json.
func operate(t *testing.T, asked map[string]bool) {
	t.Helper()
	s := system.Launch(t, system.Plan{Workers: 2})
	send := func(operation string, params map[string]string, body string) system.Reply {
		t.Helper()
		asked[operation] = true
		r := s.HTTP(0).Ask(t, "default", operation, params, body)
		if r.Status != 200 {
			t.Errorf("%s = %d %.300s, want 200", operation, r.Status, r.Body)
		}
		return r
	}
	ask := func(operation string, params map[string]string) system.Reply {
		t.Helper()
		return send(operation, params, "")
	}
	system.Execute(t, s.HTTP(0), "default", `{"calls": [{"tool": "debug.echo", "arguments": {"value": 1}}]}`)
	ask("calls.list", map[string]string{"limit": "10"})
	ask("system.check", nil)
	ask("metrics.history", map[string]string{"minutes": "5"})
	ask("tools.stats", map[string]string{"tool": "debug.echo"})
	ask("policy.get", nil)
	send("policy.explain", nil, `{"tool": "delete_file", "arguments": {"path": "a.txt"}, "user": "u1"}`)
	if err := s.Conn.Publish("helve.v1.default.call.default.debug.echo", []byte("no call")); err != nil {
		t.Fatal(err)
	}
	// letter returns the number of the dead letter after the one before.
	letter := func(before uint64) (seq uint64) {
		t.Helper()
		system.Eventually(t, "the message is a dead letter", func() bool {
			list := system.Decode[protocol.DeadList](t, ask("dead.list", map[string]string{"limit": "10"}))
			for _, d := range list.Dead {
				seq = max(seq, d.Seq)
			}
			return seq > before
		})
		return seq
	}
	by := func(seq uint64) map[string]string { return map[string]string{"seq": strconv.FormatUint(seq, 10)} }
	first := letter(0)
	ask("dead.get", by(first))
	send("dead.requeue", by(first), `{"force": true}`)
	ask("dead.drop", by(letter(first)))

	list := system.Decode[struct {
		Workers []struct {
			ID string `json:"id"`
		} `json:"workers"`
	}](t, ask("workers.list", nil))
	worker := map[string]string{"worker": list.Workers[0].ID}
	pool := map[string]string{"pool": "default"}
	ask("workers.pause", worker)
	ask("pools.pause", pool)
	ask("pools.list", nil)
	ask("workers.resume", worker)
	ask("pools.resume", pool)
	ask("workers.drain", worker)
	ask("pools.drain", pool)
}
