package callback

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/callbacks"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// try accepts a callback without a header, and returns the error.
func (b *bench) try(s *Service, tenant, callID string) error {
	call := queue.Acceptance{Tool: "echo", User: "ann", AcceptedMS: time.Now().UnixMilli(), StartByMS: time.Now().Add(time.Hour).UnixMilli()}
	return s.Await(queuetest.Context(b.t), &protocol.Callback{URL: b.hook.URL}, tenant, callID, call)
}

// TestTenantsAreBounded: a tenant with as many waiting callbacks as it may have gets no further
// ones in any process until some have ended; another tenant and a call that was accepted before do
// not notice.
func TestTenantsAreBounded(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(http.ResponseWriter, *http.Request) {})
	b.MaxWaiting = 5
	other := &Service{Store: callbacks.On(queuetest.Connect(t, b.server)), Hosts: b.Hosts, Keys: b.Keys, MaxWaiting: 5}
	stop := b.start()
	var first []string
	for i := range b.MaxWaiting {
		id := fmt.Sprintf("c%d", i)
		if err := b.try(b.Service, "acme", id); err != nil {
			t.Fatal(err)
		}
		first = append(first, id)
	}
	refused := func(s *Service, id string) bool {
		e, ok := errors.AsType[*tool.Error](b.try(s, "acme", id))
		return ok && e.Kind == tool.RateLimited && strings.Contains(e.Msg, "5 callbacks of this tenant") &&
			strings.Contains(e.Msg, "callbacks.max_waiting")
	}
	n := 0
	for name, s := range map[string]*Service{"this process": b.Service, "another one": other} {
		queuetest.Until(t, name+" refuses", func() bool { n++; return refused(s, fmt.Sprintf("more%d", n)) })
		if err := b.try(s, "beta", "c1"); err != nil {
			t.Errorf("%s refuses another tenant: %v", name, err)
		}
		if err := b.try(s, "acme", first[0]); err != nil {
			t.Errorf("%s refuses a call that was accepted: %v", name, err)
		}
		err := s.Send(queuetest.Context(t), &protocol.Callback{URL: b.hook.URL}, "acme", "new"+name[:4], "c9", queue.Acceptance{}, []byte(`{}`))
		if e, ok := errors.AsType[*tool.Error](err); !ok || e.Kind != tool.RateLimited {
			t.Errorf("%s: Send = %v", name, err)
		}
	}
	stop() // the next process finds the bound as it was
	b.start()
	queuetest.Until(t, "the callbacks are counted", func() bool { calls, _, _ := b.Waiting(); return calls >= b.MaxWaiting })
	if !refused(other, "later") {
		t.Error("another process accepts callbacks that the one before refused")
	}
	for _, id := range first {
		b.finish(id)
	}
	for i := range n {
		b.finish(fmt.Sprintf("more%d", i+1))
	}
	queuetest.Until(t, "there is room again", func() bool { n++; return b.try(other, "acme", fmt.Sprintf("room%d", n)) == nil })
}

// TestMarkOfNobody: a mark of a tenant whose callbacks are gone is removed.
func TestMarkOfNobody(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(http.ResponseWriter, *http.Request) {})
	if err := b.Store.Mark(queuetest.Context(t), "acme", true); err != nil {
		t.Fatal(err)
	}
	b.start()
	queuetest.Until(t, "the mark is removed", func() bool {
		is, err := b.Store.Crowded(queuetest.Context(t), "acme")
		return err == nil && !is
	})
}
