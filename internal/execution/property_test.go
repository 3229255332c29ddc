package execution

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/tool"
)

// TestEveryDeliveryEndsRightly plays random schedules of deliveries, early redeliveries,
// lost workers, cancellations, shortages and moves, with random answers of the stores:
// in time, late, refused, carried out but unheard. When the faults are over the queue must
// become empty, and every promise of the package must hold, also where each result is stored
// by itself.
func TestEveryDeliveryEndsRightly(t *testing.T) {
	for _, k := range []kind{reading, single, repeatable, acting} {
		t.Run(k.name, func(t *testing.T) {
			outcomes := map[string]int{}
			for n := range uint64(seeds) {
				synctest.Test(t, func(t *testing.T) {
					m := newModel(t, k)
					m.play(rand.New(rand.NewPCG(n, 1)), n)
					m.check()
					for _, w := range m.wrong {
						t.Errorf("seed %d: %s", n, w)
					}
					if t.Failed() {
						t.FailNow()
					}
					for _, c := range m.calls {
						outcomes[c.outcome()]++
					}
				})
			}
			t.Log(outcomes)
		})
	}
}

// play runs one schedule.
func (m *model) play(r *rand.Rand, seed uint64) {
	m.seeded(seed, uint64(r.IntN(40)))
	m.parks = r.IntN(5) == 0
	m.toolTime = time.Duration(r.IntN(800)) * time.Millisecond
	for range 3 {
		m.add()
	}
	switch r.IntN(4) {
	case 0:
		m.lacking = m.nodes[0]
	case 1:
		m.denying = m.nodes[0]
	}
	startBy := time.Now().Add(time.Duration(r.IntN(20)) * time.Second)
	for n := range 1 + r.IntN(4) {
		m.submit(fmt.Sprint("c", n), func(c *Call) { c.StartByMS = startBy.UnixMilli() })
	}
	if r.IntN(3) == 0 { // results that are ready together
		m.toolTime /= 8
		for _, msg := range m.queue {
			m.deliver(msg, m.nodes[2])
		}
		time.Sleep(time.Duration(r.IntN(400)) * time.Millisecond)
	}
	for range 4 + r.IntN(10) {
		n := m.nodes[r.IntN(len(m.nodes))]
		switch r.IntN(8) {
		case 0, 1, 2:
			if msg := m.undelivered(); msg != nil {
				m.deliver(msg, n)
			}
		case 3, 4: // a heartbeat is late
			if msg := m.any(r); msg != nil {
				m.deliver(msg, n)
			}
		case 5:
			m.kill(n)
			m.add()
		case 6:
			m.cancel("c0", r.IntN(2) == 0)
		case 7:
			m.mu.Lock()
			m.shortage = Shortage(r.IntN(3))
			m.mu.Unlock()
		}
		time.Sleep(time.Duration(r.IntN(400)) * time.Millisecond)
	}
	m.settle()
}

// any returns a message that is in the queue, also if a worker holds it.
func (m *model) any(r *rand.Rand) *message {
	m.mu.Lock()
	defer m.mu.Unlock()
	if msg := m.queue[r.IntN(len(m.queue))]; !msg.gone {
		return msg
	}
	return nil
}

// cancel cancels a call as a dispatcher does: it stops the owners, or after two probes
// without an answer ends the call itself, unless it has started. A dispatcher that dies
// leaves the fence without a result.
func (m *model) cancel(id string, dies bool) {
	m.mu.Lock()
	nodes := slices.Clone(m.nodes)
	m.mu.Unlock()
	owned := false
	for _, n := range nodes {
		owned = n.x.Cancel("acme", id) != nil || owned
	}
	if owned {
		return
	}
	go func() {
		for range 2 {
			time.Sleep(150 * time.Millisecond)
			m.mu.Lock()
			nodes := slices.Clone(m.nodes)
			m.mu.Unlock()
			for _, n := range nodes {
				if n.x.Find("acme", id) != nil {
					return
				}
			}
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		c := m.call(id)
		if c.parked || c.fence != nil {
			return
		}
		c.fence = &call.Fence{By: "d1", Ended: string(tool.Cancelled)}
		if !dies {
			_ = m.keep(id, []byte(`{"status":"error","error_type":"cancelled"}`), []byte(`{}`), true) // there may be one
		}
	}()
}

// settle ends the faults and delivers until the queue is empty and no worker owns a call.
func (m *model) settle() {
	m.mu.Lock()
	m.calm, m.shortage = true, NoShortage
	m.mu.Unlock()
	for range 200 {
		time.Sleep(time.Second)
		for _, id := range m.resumed() {
			m.submit(id, func(c *Call) { c.ConsentID, c.Copy = "consent", true })
		}
		if msg := m.undelivered(); msg != nil {
			m.deliver(msg, m.nodes[len(m.nodes)-1])
			continue
		}
		synctest.Wait()
		if m.idle() {
			return
		}
	}
	m.breaksf("the queue is not empty: %d messages", len(m.queue))
}

// resumed returns the parked calls that a person lets go on, once.
func (m *model) resumed() (ids []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, c := range m.calls {
		if strings.Contains(id, attemptMark) {
			continue
		}
		if c.parked && len(c.results) == 0 {
			ids = append(ids, id)
			c.parked = false
		}
	}
	m.parks = false
	return ids
}

func (m *model) idle() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, msg := range m.queue {
		if !msg.gone {
			return false
		}
	}
	return !slices.ContainsFunc(m.nodes, func(n *node) bool { return n.x.Count() > 0 })
}

// outcome returns the outcome of the call, empty without a result.
func (c *modelCall) outcome() string {
	switch {
	case len(c.results) == 0:
		return ""
	case c.results[0].ErrorType != "":
		return string(c.results[0].ErrorType)
	}
	return "success"
}

// check holds the promises against the content of the stores.
func (m *model) check() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, c := range m.calls {
		if strings.Contains(id, attemptMark) {
			continue
		}
		outcome, acted := c.outcome(), len(c.effects)
		switch {
		case outcome == "":
			m.breaksf("%s has no result", id)
		case outcome == "success" && acted == 0:
			m.breaksf("%s succeeded and did nothing", id)
		case m.kind.unrepeatable() && acted > 1:
			m.breaksf("the tool of %s acted on %q", id, c.effects)
		case m.kind.unrepeatable() && acted == 1 && outcome != "success" && outcome != string(tool.OutcomeUnknown):
			m.breaksf("%s ended in %s, which means that it did nothing, and acted", id, outcome)
		}
		for _, r := range c.results {
			if want := fmt.Sprintf("f-%s-%d", id, r.Attempt); r.Worker != "" && r.record.ID != want {
				m.breaksf("the result of attempt %d of %s has the record %s", r.Attempt, id, r.record.ID)
			}
		}
	}
	for _, d := range m.taken {
		if !d.n.dead && (d.freed != 1 || len(d.ends) == 0) {
			m.breaksf("a delivery to %s ended as %q and freed its slot %d times", d.n.id, d.ends, d.freed)
		}
	}
	for _, n := range m.nodes {
		if ended := n.x.ended.Load(); ended != 0 || n.x.Count() != 0 {
			m.breaksf("%s counts %d calls that have ended, and owns %d", n.id, ended, n.x.Count())
		}
		if g, ok := n.x.Results.(*grouping); ok && len(g.queues) > 0 {
			m.breaksf("%s keeps results for %d dispatchers", n.id, len(g.queues))
		}
	}
}
