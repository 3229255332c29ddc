package js

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
)

// storm is a script that starts everything concurrently and never awaits most of it.
const storm = `
	async function execute(p) {
		const all = []
		for (let i = 0; i < 20; i++) {
			all.push(fetch("http://h/" + i).then(r => r.json()).catch(e => e.error_type))
			console.log("line", i, {i})
			setTimeout(() => { console.warn("late", i); fetch("http://late/").catch(() => {}) }, i % 4)
			try { fs.exists("f" + i) } catch (e) { console.error(e) }
		}
		if (p.stay) await new Promise(() => {})
		if (p.wait) await Promise.all(all)
		return all.length
	}`

// slowly is a host whose answers arrive at any time, even after the script's end.
type slowly struct{ calls, now atomic.Int64 }

func (h *slowly) Do(ctx context.Context, op Op, _ json.RawMessage) (json.RawMessage, error) {
	n := h.calls.Add(1)
	h.now.Add(1)
	defer h.now.Add(-1)
	if n%3 == 0 { // a host that sees the end, and answers nevertheless
		select {
		case <-ctx.Done():
		case <-time.After(time.Duration(n%5) * time.Millisecond):
		}
		<-time.After(time.Millisecond)
	}
	switch {
	case n%7 == 0:
		return nil, tool.Fail(tool.NetworkError, "no")
	case n%11 == 0:
		panic("of the host")
	case op == OpFetch:
		return json.RawMessage(`{"url":"http://h/","status":200,"body":"e30="}`), nil
	}
	return json.RawMessage(`{"exists":true}`), nil
}

// A run may end at any moment of its host's work; none of that work remains then.
func TestTheEndMeetsEverything(t *testing.T) {
	t.Parallel()
	task := script(t, storm)
	var work sync.WaitGroup
	for i := range 150 {
		work.Go(func() {
			h := &slowly{}
			mine := *task
			mine.Host, mine.Network, mine.Files = h, true, true
			mine.Args = fmt.Appendf(nil, `{"wait":%t,"stay":%t}`, i%3 == 0, i%3 == 1)
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i%25)*time.Millisecond)
			defer cancel()
			v, err := Run(ctx, &mine)
			if left := h.now.Load(); left != 0 {
				t.Errorf("the host still does %d things after the end", left)
			}
			before := h.calls.Load()
			if checked(t, err) == nil && string(v) != "20" {
				t.Errorf("it returned %s", v)
			}
			stays := i%3 == 1 // whose work may all be done before its time is up
			if e := tool.AsError(err); e != nil && e.Kind != tool.Timeout && (!stays || e.Kind != tool.ExecutionError) {
				t.Errorf("it failed with %v", e)
			}
			if after := h.calls.Load(); after != before {
				t.Errorf("the host was asked %d times after the end", after-before)
			}
		})
	}
	work.Wait()
}
